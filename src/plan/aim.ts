import type { Diagnostic, Identity } from '../model/plan.ts'
import type { Domain } from './domains.ts'

/** Where the calls of a turn run, before entries are looked at: decided once, when the turn starts. */
export interface Aim {
  readonly domain: Domain
  /** What is asked of the domain; null: nothing but its own pin (C17). */
  readonly model: string | null
  /** Profile ids that may be called; null after any decision but a local one (R39). */
  readonly allow: readonly string[] | null
  /** Beside those of every plan. */
  readonly warnings: readonly Diagnostic[]
}

/** A turn that cannot be decided; `requested` is null where it cannot even say what it asks for. */
export interface Refused {
  readonly error: Diagnostic
  readonly requested: Identity | null
}
