import type { FailureKind } from '../model/failure.ts'
import type { Board } from '../model/hold.ts'
import { entryHold } from '../model/hold.ts'
import { type Entry, isCapable, type Plan } from '../model/plan.ts'
import type { Reliability } from '../model/settings.ts'
import { firstBackoff } from './backoff.ts'
import { isOverBudget, type MoneyRules, type Spent } from './budget.ts'

/**
 * Where a turn stands in its plan. A value: every function here and in select, judge and recover returns a new one.
 *
 * 1. `order` lists positions of the plan in the order in which this walk visits them; only entries capable of the call are in it.
 * 2. An entry may be attempted while `spent < budget`; an entry that is left for good has its budget cut to what is spent.
 * 3. `at` is the place in `order` where the walk looks next; places before it are reached again only by a turn-round (C49).
 */
export interface Walk {
  readonly order: readonly number[]
  readonly at: number
  readonly visits: readonly Visit[]
  /** Which history the next attempt sends (R20). */
  readonly history: 'original' | 'shortened'
  /** A shortening happened in this turn; there is no second one (C13). */
  readonly shortenedOnce: boolean
  readonly lastFailure: FailureKind | null
}

/** The attempts of one entry, by its index in the plan. */
export interface Visit {
  readonly spent: number
  readonly budget: number
  readonly backoffMs: number
}

/** What a call needs of an entry beyond its being free. */
export interface Needs {
  /** A stream is wanted: a sink is there and the caller did not refuse it (R24). */
  readonly streaming: boolean
  readonly tools: boolean
  readonly vision: boolean
}

/** All that a decision about the walk may read. */
export interface WalkView {
  readonly plan: Plan
  readonly needs: Needs
  readonly reliability: Reliability
  readonly walk: Walk
  readonly board: Board
  readonly now: number
  /** Absent where no budget is set. */
  readonly money?: MoneyRules | undefined
  readonly spent?: Spent | undefined
}

/** The walk at the start of a turn: all capable entries in plan order, each with its whole budget (R13, C51). */
export function startWalk(plan: Plan, needs: Needs, reliability: Reliability): Walk {
  const visit: Visit = { spent: 0, budget: reliability.providerRetries + 1, backoffMs: firstBackoff(reliability) }
  return {
    order: plan.entries.filter((entry) => isCapable(entry, needs)).map((entry) => entry.index),
    at: 0,
    visits: plan.entries.map(() => visit),
    history: 'original',
    shortenedOnce: false,
    lastFailure: null,
  }
}

/** Whether an entry can stream what the call needs (R24). */
export function canStream(entry: Entry, needs: Needs): boolean {
  return entry.capabilities.streaming && (entry.capabilities.toolEvents || !needs.tools)
}

export function entryOf(plan: Plan, index: number): Entry {
  const entry = plan.entries[index]
  if (entry === undefined) throw new RangeError(`the plan has no entry ${index}`)
  return entry
}

export function visitOf(walk: Walk, index: number): Visit {
  const visit = walk.visits[index]
  if (visit === undefined) throw new RangeError(`the walk has no entry ${index}`)
  return visit
}

/** Whether the allow-list of the plan admits the entry; asked in every candidate loop (R39). */
export function isAllowed(plan: Plan, entry: Entry): boolean {
  return plan.allow === null || plan.allow.includes(entry.profile.id)
}

export function hasAttemptsLeft(walk: Walk, index: number): boolean {
  const visit = visitOf(walk, index)
  return visit.spent < visit.budget
}

export function isHeld(view: WalkView, index: number): boolean {
  return entryHold(view.board, entryOf(view.plan, index), view.now) !== undefined
}

/** Whether a budget keeps the entry from being attempted now: asked before every attempt, since each may have used one up. */
export function isBarred({ plan, money, spent }: WalkView, index: number): boolean {
  return money !== undefined && spent !== undefined && isOverBudget(money, spent, index, entryOf(plan, index).profile.id)
}

/** A candidate: allowed, with attempts left, not held, within every budget. */
export function isCandidate(view: WalkView, index: number): boolean {
  return mayBeAsked(view, index) && !isHeld(view, index) && !isBarred(view, index)
}

/** Allowed, and with attempts left: it would be asked but for a hold or a budget. */
export function mayBeAsked(view: WalkView, index: number): boolean {
  return hasAttemptsLeft(view.walk, index) && isAllowed(view.plan, entryOf(view.plan, index))
}

export function withVisit(walk: Walk, index: number, change: Partial<Visit>): Walk {
  return { ...walk, visits: walk.visits.map((visit, at) => (at === index ? { ...visit, ...change } : visit)) }
}

/** The walk with the place after `index` as the next one. */
export function movedPast(walk: Walk, index: number): Walk {
  return { ...walk, at: walk.order.indexOf(index) + 1 }
}

/** The walk with `index` as the next place. */
export function movedTo(walk: Walk, index: number): Walk {
  return { ...walk, at: walk.order.indexOf(index) }
}

/** The walk with `index` left for good: whatever is left of its budget is gone (R17). */
export function leftForGood(walk: Walk, index: number): Walk {
  return withVisit(walk, index, { budget: visitOf(walk, index).spent })
}
