import type { Identity, Outcome } from '../../index.ts'
import type { Summary } from './dialect.ts'

/** What is known of a turn so far, for headers that go before an answer and for the field `relevo` behind it. */
export interface Known {
  readonly turn: string
  readonly requested: Identity | null
  readonly served: Identity | null
  readonly attempts: number
  readonly startedAt: number
  readonly now: number
}

/** The headers of an answer. Cost and notice are there only with an outcome: a stream has them in its last event. */
export function relevoHeaders(known: Known, outcome: Outcome | null): Record<string, string> {
  const { turn, requested, served, attempts, startedAt, now } = known
  return {
    'x-relevo-turn': headerText(turn),
    ...(requested === null ? {} : { 'x-relevo-requested': headerText(identityText(requested)) }),
    ...(served === null ? {} : { 'x-relevo-served': headerText(identityText(served)) }),
    'x-relevo-attempts': String(attempts),
    ...(outcome?.notice == null ? {} : { 'x-relevo-notice': headerText(outcome.notice) }),
    ...(outcome?.cost == null ? {} : { 'x-relevo-cost': String(outcome.cost) }),
    'server-timing': `relevo;dur=${Math.max(0, now - startedAt)}`,
  }
}

export function summaryOf(turn: string, outcome: Outcome): Summary {
  const { requested, served, attempts, notice, cost, usage } = outcome
  return {
    turn,
    requested: requested === null ? null : identityText(requested),
    served: served === null ? null : identityText(served),
    attempts: attempts.map(({ n, entry, mode, result }) => ({ n, entry, mode, result })),
    notice,
    cost,
    usage,
  }
}

export function identityText({ profile, model }: Identity): string {
  return `${profile}/${model}`
}

/** Names of models are anybody's text: what no header may carry is percent-encoded. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]+|%/g, (run) => encodeURIComponent(run.replace(/\p{Cs}/gu, '\ufffd')))
}
