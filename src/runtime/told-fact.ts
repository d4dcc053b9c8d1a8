import type { Outcome } from '../model/outcome.ts'
import type { TurnFact } from '../model/turn-event.ts'

/** A fact as it leaves the kernel beside the events of its turn, in the log and on the channels: no prompt or answer text is in it (R36). */
export type ToldFact = Exclude<TurnFact, { readonly type: 'turn.ended' }> | EndedTurn

/** The end of a turn, without what only its reader may see. */
export interface EndedTurn
  extends Pick<
    Outcome,
    | 'kind'
    | 'requested'
    | 'served'
    | 'usage'
    | 'cost'
    | 'retryAt'
    | 'attribution'
    | 'recoveredFrom'
    | 'historyShortened'
    | 'unterminated'
    | 'startedAt'
  > {
  readonly type: 'turn.ended'
  readonly turn: string
  readonly at: number
  /** How many there were. */
  readonly attempts: number
  /** With `config_error`: the code of what is wrong. */
  readonly error: string | null
}

/** What is listed here is told, and nothing that an outcome comes to hold besides: it carries text. */
export function withoutText(fact: TurnFact): ToldFact {
  if (fact.type !== 'turn.ended') return fact
  const { type, turn, at } = fact
  const { kind, requested, served, usage, cost, retryAt, attribution, recoveredFrom, historyShortened, unterminated, startedAt } = fact.outcome
  const attempts = fact.outcome.attempts.length
  const error = fact.outcome.error?.code ?? null
  const walk = { attribution, recoveredFrom, historyShortened, unterminated, startedAt, error }
  return { type, turn, at, kind, requested, served, attempts, usage, cost, retryAt, ...walk }
}
