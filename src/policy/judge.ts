import type { RandomSource } from '../model/clock.ts'
import type { Failure, FailureKind } from '../model/failure.ts'
import type { Hold } from '../model/hold.ts'
import type { OutcomeKind, WaitReason } from '../model/outcome.ts'
import { jittered, nextBackoff } from './backoff.ts'
import { disposition } from './disposition.ts'
import { cooldown, limitMs, statedWaitMs } from './hold.ts'
import { limited } from './limit.ts'
import { isReplayable } from './replay.ts'
import type { AttemptEnd, Verdict } from './verdict.ts'
import { entryOf, hasAttemptsLeft, isCandidate, leftForGood, movedPast, movedTo, visitOf, type Walk, type WalkView, withVisit } from './walk.ts'

/**
 * What a finished attempt means for the turn (R13–R22, R26–R29).
 *
 * 1. An answer ends the walk.
 * 2. Nothing is asked again once a reader has seen output or a tool ran at the provider.
 * 3. A hold is set exactly when the walk leaves the entry on account of a limit (C01).
 * 4. A deterministic rejection is never sent unchanged twice.
 */
export type Judgement =
  | { readonly next: 'served'; readonly walk: Walk; readonly hold: null }
  /** Stay on the entry after a wait. */
  | { readonly next: 'wait'; readonly walk: Walk; readonly hold: null; readonly waitMs: number; readonly why: WaitReason }
  /** Select again: the same entry at once, or a later one. */
  | { readonly next: 'select'; readonly walk: Walk; readonly hold: Hold | null }
  /** Leave the stream and ask without streaming (R26); `recover` makes the walk for it. */
  | {
      readonly next: 'recover'
      readonly walk: Walk
      readonly hold: Hold | null
      readonly from: 'stream_error' | 'semantic_empty'
      readonly cause: FailureKind
    }
  | { readonly next: 'end'; readonly walk: Walk; readonly hold: Hold | null; readonly kind: EndKind }

type EndKind = Extract<OutcomeKind, 'interrupted' | 'refused' | 'context_window' | 'provider_tools_without_final'>

export interface JudgeView extends WalkView {
  /** The entry that was attempted. */
  readonly entry: number
  readonly end: AttemptEnd
  readonly verdict: Verdict
  /** The history can be shortened (R20). */
  readonly shortenable: boolean
  readonly random: RandomSource
}

export function judge(view: JudgeView): Judgement {
  if (view.verdict.result !== 'failed') return { next: 'served', walk: view.walk, hold: null }
  const failed = view.verdict.failure
  const marked = { ...view, walk: { ...view.walk, lastFailure: failed.kind } }
  return view.end.mode === 'stream' ? judgeStream(marked, failed) : judgeCall(marked, failed)
}

function judgeStream(view: JudgeView, failed: Failure): Judgement {
  const hold = holdOf(view, failed)
  const end = (kind: EndKind): Judgement => ({ next: 'end', walk: view.walk, hold, kind })
  if (failed.kind === 'refusal' && (view.end.committed || view.reliability.onRefusal === 'stop')) return end('refused')
  if (!isReplayable(view.end)) return end(view.end.committed && view.end.failure !== null ? 'interrupted' : 'provider_tools_without_final')
  if (failed.kind === 'context_window' && !view.shortenable) return end('context_window')
  return { next: 'recover', walk: view.walk, hold, from: failed.kind === 'empty' ? 'semantic_empty' : 'stream_error', cause: failed.kind }
}

function judgeCall(view: JudgeView, failed: Failure): Judgement {
  if (view.end.providerTools) return { next: 'end', walk: view.walk, hold: holdOf(view, failed), kind: 'provider_tools_without_final' }
  switch (disposition(failed.kind, failed.status)) {
    case 'advance':
      return advanceForGood(view, holdOf(view, failed))
    case 'stop':
      return view.reliability.onRefusal === 'advance' ? advanceForGood(view, null) : { next: 'end', walk: view.walk, hold: null, kind: 'refused' }
    case 'shorten':
      return judgeOverflow(view)
    case 'hold':
      return judgeLimit(view, failed)
    case 'retry':
      return judgeRetryable(view, failed)
  }
}

function advanceForGood(view: JudgeView, hold: Hold | null): Judgement {
  return { next: 'select', walk: movedPast(leftForGood(view.walk, view.entry), view.entry), hold }
}

/** Stay while attempts are left; a wait above the limit holds the profile and advances (R14, R16, C05, C06). */
function judgeRetryable(view: JudgeView, failed: Failure): Judgement {
  if (!hasAttemptsLeft(view.walk, view.entry)) return { next: 'select', walk: movedPast(view.walk, view.entry), hold: null }
  const stay = stayMs(view, failed)
  if (stay.waitMs <= view.reliability.maxInTurnWaitMs) return stayAndWait(view, stay)
  return advanceHeld(view, cooldown(entryOf(view.plan, view.entry).holdKey, view.now + stay.waitMs))
}

/** A limit advances when there is somewhere to go, and otherwise stays and waits as a retry would (R15, C04). */
function judgeLimit(view: JudgeView, failed: Failure): Judgement {
  const hold = limitHold(view, failed)
  if (!hasAttemptsLeft(view.walk, view.entry) || hasWayOut(view, hold.key)) return advanceHeld(view, hold)
  // A quota that is used up is not asked again before its reset; a rate of seconds may be, without a hint.
  const stay = hold.reason === 'limit' ? ({ waitMs: hold.untilAt - view.now, why: 'retry_after' } as const) : stayMs(view, failed)
  if (stay.waitMs <= view.reliability.maxInTurnWaitMs) return stayAndWait(view, stay)
  return advanceHeld(view, { ...hold, untilAt: Math.max(hold.untilAt, view.now + stay.waitMs) })
}

/** Whether a later entry that a hold on `key` leaves free could be attempted now. Earlier ones do not count (C04). */
function hasWayOut(view: JudgeView, key: string): boolean {
  const later = view.walk.order.slice(view.walk.order.indexOf(view.entry) + 1)
  return later.some((index) => {
    const { holdKey, modelHoldKey } = entryOf(view.plan, index)
    return holdKey !== key && modelHoldKey !== key && isCandidate(view, index)
  })
}

interface Stay {
  readonly waitMs: number
  readonly why: WaitReason
}

function stayMs(view: JudgeView, failed: Failure): Stay {
  const backoffMs = jittered(visitOf(view.walk, view.entry).backoffMs, view.reliability, view.random)
  const statedMs = statedWaitMs(failed, view.now)
  return statedMs > backoffMs ? { waitMs: statedMs, why: 'retry_after' } : { waitMs: backoffMs, why: 'backoff' }
}

function stayAndWait(view: JudgeView, stay: Stay): Judgement {
  const backoffMs = nextBackoff(visitOf(view.walk, view.entry).backoffMs, view.reliability)
  return { next: 'wait', walk: movedTo(withVisit(view.walk, view.entry, { backoffMs }), view.entry), hold: null, ...stay }
}

function advanceHeld(view: JudgeView, hold: Hold): Judgement {
  return { next: 'select', walk: movedPast(view.walk, view.entry), hold }
}

function limitHold(view: JudgeView, failed: Failure): Hold {
  const entry = entryOf(view.plan, view.entry)
  const { limit } = failed
  if (limit !== undefined) return limited({ ...failed, limit }, entry, view.now)
  return cooldown(entry.holdKey, view.now + limitMs(failed, view.reliability, view.now))
}

/** The hold that a failure brings whatever follows it: a rate limit, or a quota that a CLI says is used up; null for all others. */
function holdOf(view: JudgeView, failed: Failure): Hold | null {
  return failed.kind === 'rate_limited' || failed.limit !== undefined ? limitHold(view, failed) : null
}

/** The first overflow shortens, a later one looks for a larger window (R20, C11, C13). */
function judgeOverflow(view: JudgeView): Judgement {
  return view.walk.shortenedOnce || !view.shortenable ? secondOverflow(view) : firstOverflow(view)
}

function firstOverflow(view: JudgeView): Judgement {
  const walk: Walk = { ...view.walk, history: 'shortened', shortenedOnce: true }
  return { next: 'select', walk: hasAttemptsLeft(walk, view.entry) ? movedTo(walk, view.entry) : movedPast(walk, view.entry), hold: null }
}

/** Entries not known to be larger are left for good: the same history would overflow them too. */
function secondOverflow(view: JudgeView): Judgement {
  const own = entryOf(view.plan, view.entry).contextWindow
  const isLarger = (index: number): boolean => own !== null && (entryOf(view.plan, index).contextWindow ?? 0) > own
  const larger = view.walk.order.slice(view.walk.order.indexOf(view.entry) + 1).find((index) => isLarger(index) && isCandidate(view, index))
  if (larger === undefined || !view.walk.shortenedOnce) return { next: 'end', walk: view.walk, hold: null, kind: 'context_window' }
  let walk: Walk = { ...view.walk, history: 'original' }
  for (const index of walk.order) if (!isLarger(index)) walk = leftForGood(walk, index)
  return { next: 'select', walk: movedTo(walk, larger), hold: null }
}
