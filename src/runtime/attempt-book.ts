import type { AttemptRecord } from '../model/outcome.ts'
import { type Entry, entryName, type Identity } from '../model/plan.ts'
import type { TurnFact } from '../model/turn-event.ts'
import type { AttemptResult, Usage } from '../model/usage.ts'
import { costOf, priceOf } from '../policy/cost.ts'
import type { KernelCore } from './core.ts'

/** What one attempt is known by in ledger, events and outcome. */
export interface BookedAttempt {
  readonly n: number
  readonly entry: Entry
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
}

/**
 * The attempts of one turn: a ledger row and a fact when one starts, both closed once when it ends (R34).
 *
 * 1. The row stands before the engine is asked, so that an attempt that never comes back is still on the ledger.
 * 2. Usage of an attempt that was not accepted is kept.
 */
export class AttemptBook {
  readonly #turn: string
  readonly #requested: Identity
  readonly #core: KernelCore
  readonly #tell: (fact: TurnFact) => void
  readonly records: AttemptRecord[] = []

  constructor(turn: string, requested: Identity, core: KernelCore, tell: (fact: TurnFact) => void) {
    this.#turn = turn
    this.#requested = requested
    this.#core = core
    this.#tell = tell
  }

  open(n: number, entry: Entry, mode: 'stream' | 'call'): BookedAttempt {
    const startedAt = this.#core.clock.now()
    this.#core.ledger.append({
      turn: this.#turn,
      n,
      requested: this.#requested,
      profile: entry.label,
      model: entry.model,
      mode,
      startedAt,
      endedAt: null,
      outcome: null,
      accepted: false,
      usage: null,
      cost: null,
    })
    return { n, entry, mode, startedAt }
  }

  /** Tells that it begins; whoever hears of it may cancel the turn. */
  tellStart({ n, entry, mode, startedAt }: BookedAttempt): void {
    const { label: profile, model } = entry
    this.#tell({ type: 'attempt.started', turn: this.#turn, at: startedAt, n, entry: entryName(entry), profile, model, mode })
  }

  close({ n, entry, mode, startedAt }: BookedAttempt, result: AttemptResult, accepted: boolean, usage: Usage | null): void {
    const price = priceOf(entry.profile.price, entry.model)
    const cost = costOf(usage, price)
    const endedAt = this.#core.clock.now()
    const name = entryName(entry)
    this.#core.ledger.close(this.#turn, n, { endedAt, outcome: result, accepted, usage, cost })
    this.records.push({ n, entry: name, mode, startedAt, endedAt, result, accepted, usage, cost })
    this.#tell({ type: 'attempt.ended', turn: this.#turn, at: endedAt, n, entry: name, result, accepted, usage, cost })
    const warning = usage !== null && price === undefined ? this.#core.priceUnknown(entry) : null
    if (warning !== null) this.#tell({ type: 'warning.raised', turn: this.#turn, at: endedAt, warning })
  }
}
