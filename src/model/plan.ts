import type { Secret } from './secret.ts'
import type { Capabilities, Profile } from './settings.ts'

/** A finding about the settings or a plan: code and config path, with what to do about it. */
export interface Diagnostic {
  readonly code: string
  /** Config path such as `profiles.a.x.fallback[0]`. */
  readonly path: string
  /** One sentence for a person: what is wrong. */
  readonly message: string
  /** One sentence for a person: what to do. */
  readonly remedy: string
}

/** A provider profile and a model; kept apart for what was requested and what served (R33). */
export interface Identity {
  readonly profile: string
  readonly model: string
}

/** A profile that a caller names itself, and the model that it is to serve; null, blank or left out: its own. */
export interface Target {
  readonly profile: string
  readonly model?: string | null | undefined
}

/** A position in a plan. */
export interface Entry {
  readonly index: number
  /** The profile as printed: bare, or `<profile>#<n>` for a credential of a pool (C18). */
  readonly label: string
  readonly profile: Profile
  readonly secret: Secret | null
  /** Engine key that holds are set on; equal to `label` (R6, R11). */
  readonly holdKey: string
  /** Engine key of a limit that binds this model alone (T6); null where no engine tells such limits. */
  readonly modelHoldKey: string | null
  /** The model of the entry, or null when it is unpinned and sends what the caller asks for. */
  readonly pin: string | null
  /** The model that goes over the wire. */
  readonly model: string
  /** A caller's own word for the model, which the settings do not name: there are ever more of them. */
  readonly isTyped?: boolean | undefined
  readonly capabilities: Capabilities
  readonly contextWindow: number | null
}

/** `a.x/m1`, or `b.y/*` when unpinned (C29) or pinned to what only its caller names: no more names of entries than the settings make (TEL-02). */
export function entryName({ label, pin, isTyped = false }: Entry): string {
  return `${label}/${isTyped ? '*' : (pin ?? '*')}`
}

/** Made once when a turn starts and never changed during it (R12). */
export interface Plan {
  /** In the order in which they are tried; only allowed ones. */
  readonly entries: readonly Entry[]
  /** Profile of the domain that the call runs in. */
  readonly target: string
  readonly requested: Identity
  /** Profile ids that may be called, or null when there is no list (R39). */
  readonly allow: readonly string[] | null
  readonly warnings: readonly Diagnostic[]
}

/** Whether an entry may serve a call that sends tools or images at all, streaming or not (R24, C51). */
export function isCapable(entry: Entry, needs: { readonly tools?: boolean | undefined; readonly vision?: boolean | undefined }): boolean {
  return (needs.tools !== true || entry.capabilities.tools) && (needs.vision !== true || entry.capabilities.vision)
}

/** The profile that a name can only mean, since its family is one of theirs and no model is called so, and that is not there; null for every other name. */
export function lostProfile(name: string, ids: readonly string[], models: readonly string[]): string | null {
  const [id = ''] = name.split('/')
  const isMeant = id.includes('.') && ids.some((each) => familyOf(each) === familyOf(id))
  return isMeant && !ids.includes(id) && !models.includes(name) ? id : null
}

/** The family of a profile id: what stands before its first dot. */
export function familyOf(id: string): string {
  const dot = id.indexOf('.')
  return dot < 0 ? id : id.slice(0, dot)
}
