import type { FailureKind } from '../model/failure.ts'
import { entryHold } from '../model/hold.ts'
import type { OutcomeKind } from '../model/outcome.ts'
import { liftsAt } from './budget.ts'
import { canStream, entryOf, hasAttemptsLeft, isAllowed, isBarred, isCandidate, isHeld, mayBeAsked, type WalkView } from './walk.ts'

/**
 * Who is asked next (R18, R24, C03, C08, C49).
 *
 * 1. A selection never names an entry that is held, spent, not allowed or over a budget.
 * 2. The walk ends only when no allowed entry has attempts left that may start within `maxInTurnWaitMs`.
 * 3. A skip is told when the walk passes a held entry for a later one, and for held entries behind the last attempt when it ends;
 *    a turn-round and a wait pass nothing. One over a budget is told alike.
 * 4. Nobody waits for an entry that is over a budget: the end of its hold would not bring it back.
 */
export type Selection =
  | { readonly to: 'attempt'; readonly entry: number; readonly mode: 'stream' | 'call'; readonly skipped: readonly Skipped[] }
  | { readonly to: 'wait'; readonly untilAt: number; readonly key: string }
  | {
      readonly to: 'end'
      readonly kind: EndKind
      readonly retryAt: number | null
      readonly skipped: readonly Skipped[]
    }

export interface Skipped {
  readonly entry: number
  readonly why: 'held' | 'over_budget'
}

type EndKind = Extract<OutcomeKind, 'exhausted' | 'all_held' | 'refused' | 'context_window' | 'budget'>

/** The next step of a walk; `opening` while a stream may still be opened (R24: once). */
export function select(view: WalkView, opening: boolean): Selection {
  if (opening && view.needs.streaming) {
    const stream = selectStream(view)
    if (stream !== null) return stream
  }
  return selectCall(view)
}

/** The first free entry that streams; null when only free entries that cannot stream are left, or none may be waited for (C08). */
function selectStream(view: WalkView): Selection | null {
  const free = view.walk.order.filter((index) => isCandidate(view, index))
  const chosen = free.find((index) => canStream(entryOf(view.plan, index), view.needs))
  return chosen === undefined ? null : { to: 'attempt', entry: chosen, mode: 'stream', skipped: [] }
}

function selectCall(view: WalkView): Selection {
  const { order, at } = view.walk
  const skipped: Skipped[] = []
  for (let place = at; place < order.length; place++) {
    const index = order[place] as number
    if (isCandidate(view, index)) return { to: 'attempt', entry: index, mode: 'call', skipped }
    const why = whyPassed(view, index)
    if (why !== null) skipped.push({ entry: index, why })
  }
  return turnRound(view) ?? waitForEarliest(view) ?? end(view, skipped)
}

function whyPassed(view: WalkView, index: number): Skipped['why'] | null {
  if (!mayBeAsked(view, index)) return null
  if (isBarred(view, index)) return 'over_budget'
  return isHeld(view, index) ? 'held' : null
}

/** At the end of the list a free entry with attempts left starts the walk again at the top (C49). */
function turnRound(view: WalkView): Selection | null {
  const index = view.walk.order.find((each) => isCandidate(view, each))
  return index === undefined ? null : { to: 'attempt', entry: index, mode: 'call', skipped: [] }
}

/** The earliest reset among entries with attempts left, when it is near enough to be waited for inside the turn (R16, R18). */
function waitForEarliest(view: WalkView): Selection | null {
  if (view.reliability.onAllHeld !== 'wait') return null
  const earliest = earliestReset(
    view,
    view.walk.order.filter((index) => hasAttemptsLeft(view.walk, index) && !isBarred(view, index)),
  )
  if (earliest === null || earliest.untilAt - view.now > view.reliability.maxInTurnWaitMs) return null
  return { to: 'wait', untilAt: earliest.untilAt, key: earliest.key }
}

/**
 * `all_held` when every allowed entry is held, spent ones included (C02), those over a budget left aside; `budget` when one of these would
 * have been asked; otherwise as the last failure has it (C11, C15).
 */
function end(view: WalkView, skipped: readonly Skipped[]): Selection {
  const within = view.walk.order.filter((index) => !isBarred(view, index))
  const earliest = earliestReset(view, within)
  if (earliest !== null && within.every((index) => isHeld(view, index))) {
    return { to: 'end', kind: 'all_held', retryAt: earliest.untilAt, skipped }
  }
  const barred = view.walk.order.filter((index) => mayBeAsked(view, index) && isBarred(view, index))
  if (barred.length > 0) return { to: 'end', kind: 'budget', retryAt: barredUntil(view, barred), skipped }
  return { to: 'end', kind: endingOf(view.walk.lastFailure), retryAt: null, skipped }
}

/** When the first of them is within its budgets again; null when no day brings one back. */
function barredUntil({ plan, money, spent, now }: WalkView, barred: readonly number[]): number | null {
  if (money === undefined || spent === undefined) return null
  const instants = barred.map((index) => liftsAt(money, spent, index, entryOf(plan, index).profile.id, now)).filter((at) => at !== null)
  return instants.length === 0 ? null : Math.min(...instants)
}

function endingOf(last: FailureKind | null): EndKind {
  if (last === 'refusal') return 'refused'
  return last === 'context_window' ? 'context_window' : 'exhausted'
}

function earliestReset(view: WalkView, indices: readonly number[]): { untilAt: number; key: string } | null {
  let earliest: { untilAt: number; key: string } | null = null
  for (const index of indices) {
    const entry = entryOf(view.plan, index)
    const hold = isAllowed(view.plan, entry) ? entryHold(view.board, entry, view.now) : undefined
    if (hold !== undefined && (earliest === null || hold.untilAt < earliest.untilAt)) earliest = hold
  }
  return earliest
}
