import type { FailureKind } from '../model/failure.ts'
import { firstBackoff } from './backoff.ts'
import { isCandidate, type Visit, type Walk, type WalkView } from './walk.ts'

/**
 * The walk of a recovery without streaming (R26, R29, C09, C10, C12).
 *
 * 1. Every capable entry starts with its normal budget, in plan order, the failed one apart.
 * 2. A stream that ended empty, with retries configured, grants its entry one attempt, which comes first.
 * 3. Otherwise the failed entry is out for the turn, unless it is the only candidate now: then it has one attempt.
 * 4. Both grants on one entry are one attempt; an entry that refused has none (C15).
 * 5. An overflow has shortened the history before the walk begins.
 *
 * `view.board` must already carry the hold that the failure sets.
 */
export function recover(view: WalkView, failed: number, kind: FailureKind): Walk {
  const normal: Visit = { spent: 0, budget: view.reliability.providerRetries + 1, backoffMs: firstBackoff(view.reliability) }
  const fresh: Walk = { ...view.walk, at: 0, visits: view.walk.visits.map(() => normal) }
  const grantedFirst = kind === 'empty' && view.reliability.providerRetries > 0
  const budget = grantedFirst || isOnlyCandidate({ ...view, walk: fresh }, failed, kind) ? 1 : 0
  const overflowed = kind === 'context_window'
  return {
    ...fresh,
    order: grantedFirst ? [failed, ...fresh.order.filter((index) => index !== failed)] : fresh.order,
    visits: fresh.visits.map((visit, index) => (index === failed ? { ...normal, budget } : visit)),
    history: overflowed ? 'shortened' : fresh.history,
    shortenedOnce: fresh.shortenedOnce || overflowed,
  }
}

/** Judged once, when the recovery begins: no other entry is allowed and free (C10). A hold on the failed one itself is waited out (C07). */
function isOnlyCandidate(view: WalkView, failed: number, kind: FailureKind): boolean {
  if (kind === 'refusal') return false
  return !view.walk.order.some((index) => index !== failed && isCandidate(view, index))
}
