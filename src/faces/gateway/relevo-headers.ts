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
  const headers: Record<string, string> = { 'x-relevo-turn': headerText(turn) }
  if (requested !== null) headers['x-relevo-requested'] = headerText(identityText(requested))
  if (served !== null) headers['x-relevo-served'] = headerText(identityText(served))
  headers['x-relevo-attempts'] = String(attempts)
  if (outcome !== null && outcome.notice !== null) headers['x-relevo-notice'] = headerText(outcome.notice)
  if (outcome !== null && outcome.cost !== null) headers['x-relevo-cost'] = String(outcome.cost)
  headers['server-timing'] = `relevo;dur=${Math.max(0, now - startedAt)}`
  return headers
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

/** Clients take 16 KiB of headers of an answer, and here are four names. */
const MAX_HEADER = 2_048
const PLAIN = /^[\x20-\x24\x26-\x7e]*$/

/**
 * Names of models are anybody's text: what no header may carry is percent-encoded, and what is too long is cut. The field `relevo` of the body has
 * it whole.
 */
function headerText(text: string): string {
  const whole = encoded(text)
  if (whole.length <= MAX_HEADER) return whole
  let kept = ''
  for (const character of text) {
    const next = kept + encoded(character)
    if (next.length > MAX_HEADER) break
    kept = next
  }
  return `${kept}...`
}

function encoded(text: string): string {
  return PLAIN.test(text) ? text : text.replace(/[^\x20-\x7e]+|%/g, (run) => encodeURIComponent(run.replace(/\p{Cs}/gu, '\ufffd')))
}
