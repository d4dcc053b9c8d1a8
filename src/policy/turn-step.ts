import type { RandomSource } from '../model/clock.ts'
import type { Failure } from '../model/failure.ts'
import { type Board, type Hold, withHold } from '../model/hold.ts'
import type { FailureEvent, OutcomeKind, WaitReason } from '../model/outcome.ts'
import type { Plan } from '../model/plan.ts'
import type { Reliability } from '../model/settings.ts'
import type { AttemptResult } from '../model/usage.ts'
import type { MoneyRules, Spent } from './budget.ts'
import { failureEvent, skipEvent } from './failure-event.ts'
import { type Judgement, judge } from './judge.ts'
import { recover } from './recover.ts'
import { type Selection, type Skipped, select } from './select.ts'
import { type AttemptEnd, type Verdict, verdict } from './verdict.ts'
import { entryOf, type Needs, startWalk, visitOf, type Walk, type WalkView, withVisit } from './walk.ts'

/**
 * What a turn remembers from step to step, and the three steps that change it: a selection, the judgement of an attempt, a recovery.
 *
 * 1. What cannot change during the turn stands apart in `TurnFixed` (R12): memory is copied at each step, so it is small and flat.
 * 2. Attempts and waits are numbered, so that a late event of an earlier one can be told.
 * 3. A hold that a judgement sets is on the remembered board at once, before its engine has heard of it.
 */
export interface TurnFixed {
  readonly plan: Plan
  readonly needs: Needs
  readonly reliability: Reliability
  /** The history can be shortened (R20). */
  readonly shortenable: boolean
  readonly random: RandomSource
  /** Attempts of earlier calls of the same turn: numbers go on. 0 by default. */
  readonly attemptsBefore?: number | undefined
  /** Absent where no budget is set. */
  readonly money?: MoneyRules | undefined
}

/** Time, holds and what was spent, as every event brings them. */
export interface Facts {
  readonly now: number
  readonly board: Board
  /** Absent where no budget is set. */
  readonly spent?: Spent | undefined
}

export interface Attempt {
  /** From 1; 0 before the first. */
  readonly n: number
  readonly entry: number
  readonly mode: 'stream' | 'call'
  readonly history: 'original' | 'shortened'
}

/** `number` counts from 1 and fences a wait as `n` fences an attempt. */
export interface Wait {
  readonly number: number
  readonly untilAt: number
  readonly ms: number
  readonly why: WaitReason
  readonly key: string
}

/** What a step brought, for whoever watches; none carries text. */
export type TurnNews =
  | { readonly type: 'entry.skipped'; readonly entry: number; readonly event: FailureEvent }
  | { readonly type: 'attempt.failed'; readonly n: number; readonly failure: Failure; readonly event: FailureEvent }
  | { readonly type: 'hold.set'; readonly hold: Hold }
  | { readonly type: 'recovery.started'; readonly from: 'stream_error' | 'semantic_empty' }
  | { readonly type: 'history.shortened' }

export interface TurnMemory extends Facts {
  readonly walk: Walk
  /** A stream may still be opened (R24). */
  readonly opening: boolean
  /** The attempt in progress or the last one. */
  readonly attempt: Attempt
  /** The wait in progress or the last one. */
  readonly wait: Wait | null
  readonly selection: Selection | null
  readonly judged: { readonly verdict: Verdict; readonly judgement: Judgement } | null
  /** How many failure events this turn has told. */
  readonly told: number
  readonly news: readonly TurnNews[]
  readonly recoveredFrom: 'stream_error' | 'semantic_empty' | null
  readonly outcome: { readonly kind: OutcomeKind; readonly retryAt: number | null }
}

const NOTHING: readonly TurnNews[] = []
const NO_ATTEMPT: Attempt = { n: 0, entry: 0, mode: 'call', history: 'original' }

/** The memory of a turn that has not begun. */
export function blankMemory(fixed: TurnFixed, { now, board, spent }: Facts): TurnMemory {
  return {
    now,
    board,
    spent,
    walk: startWalk(fixed.plan, fixed.needs, fixed.reliability),
    opening: true,
    attempt: { ...NO_ATTEMPT, n: fixed.attemptsBefore ?? 0 },
    wait: null,
    selection: null,
    judged: null,
    told: 0,
    news: NOTHING,
    recoveredFrom: null,
    outcome: { kind: 'exhausted', retryAt: null },
  }
}

/** The next candidate, wait or end. */
export function chosen(fixed: TurnFixed, memory: TurnMemory): Partial<TurnMemory> {
  const { walk, now } = memory
  const selection = select(viewOf(fixed, memory), memory.opening)
  if (selection.to === 'wait') {
    const { untilAt, key } = selection
    return { selection, news: NOTHING, wait: { number: nextWait(memory), untilAt, ms: untilAt - now, why: 'hold', key } }
  }
  const skips = selection.skipped.length === 0 ? NOTHING : skipsOf(memory, selection.skipped)
  const told = memory.told + skips.length
  if (selection.to === 'end') return { selection, news: skips, told, outcome: { kind: selection.kind, retryAt: selection.retryAt } }
  const { entry, mode } = selection
  return {
    selection,
    news: isShortenedNow(memory) ? [...skips, { type: 'history.shortened' }] : skips,
    told,
    opening: false,
    walk: withVisit(walk, entry, { spent: visitOf(walk, entry).spent + 1 }),
    attempt: { n: memory.attempt.n + 1, entry, mode, history: walk.history },
  }
}

/** What the attempt in progress came to, and what follows. */
export function judged(fixed: TurnFixed, before: TurnMemory, end: AttemptEnd, { now, board, spent }: Facts): Partial<TurnMemory> {
  const { entry } = before.attempt
  const { plan, needs, reliability, money, shortenable, random } = fixed
  const { walk: present } = before
  const read = verdict(end)
  const judgement = judge({ plan, needs, reliability, walk: present, board, now, money, spent, entry, end, verdict: read, shortenable, random })
  const { hold, walk } = judgement
  const held = hold === null ? board : withHold(board, hold)
  const reading = { verdict: read, judgement }
  if (read.result !== 'failed') {
    const outcome = { kind: read.result, retryAt: null }
    return { now, board: held, spent, judged: reading, walk, news: NOTHING, outcome }
  }
  return {
    now,
    board: held,
    spent,
    judged: reading,
    walk,
    news: failureNews(before, held === board ? null : hold, read.failure),
    told: before.told + 1,
    outcome: judgement.next === 'end' ? { kind: judgement.kind, retryAt: null } : before.outcome,
    wait: judgement.next === 'wait' ? backOff(before, judgement, now, entryOf(plan, entry).holdKey) : before.wait,
  }
}

function backOff(before: TurnMemory, { waitMs: ms, why }: Extract<Judgement, { next: 'wait' }>, now: number, key: string): Wait {
  return { number: nextWait(before), untilAt: now + ms, ms, why, key }
}

/** The walk without streaming that follows a stream which failed or came empty (R26, R29). */
export function recovered(fixed: TurnFixed, memory: TurnMemory): Partial<TurnMemory> {
  const judgement = memory.judged?.judgement
  if (judgement?.next !== 'recover') return {}
  const walk = recover(viewOf(fixed, memory), memory.attempt.entry, judgement.cause)
  return { walk, news: [{ type: 'recovery.started', from: judgement.from }], recoveredFrom: judgement.from }
}

/** How the attempt that was judged is entered in the ledger. */
export function closeOf({ attempt, judged: read }: TurnMemory): { n: number; result: AttemptResult; accepted: boolean } {
  if (read === null) return { n: attempt.n, result: 'unknown', accepted: false }
  const result = read.verdict.result === 'failed' ? read.verdict.failure.kind : read.verdict.result
  return { n: attempt.n, result, accepted: read.judgement.next === 'served' }
}

function viewOf({ plan, needs, reliability, money }: TurnFixed, { walk, board, now, spent }: TurnMemory): WalkView {
  return { plan, needs, reliability, walk, board, now, money, spent }
}

function nextWait({ wait }: TurnMemory): number {
  return (wait?.number ?? 0) + 1
}

/** Told with the attempt that sends it, since a walk may end before (R20). */
function isShortenedNow({ walk, attempt }: TurnMemory): boolean {
  return walk.history === 'shortened' && attempt.history === 'original'
}

function skipsOf({ told, walk }: TurnMemory, skipped: readonly Skipped[]): TurnNews[] {
  return skipped.map(({ entry, why }, at) => ({ type: 'entry.skipped', entry, event: skipEvent(told + at + 1, visitOf(walk, entry).budget, why) }))
}

/** `hold`: one that came to stand; a limit that ends before one already known sets none (R15). */
function failureNews(memory: TurnMemory, hold: Hold | null, failed: Failure): TurnNews[] {
  const news: TurnNews[] = [{ type: 'attempt.failed', n: memory.attempt.n, failure: failed, event: eventOf(memory, failed) }]
  if (hold !== null) news.push({ type: 'hold.set', hold })
  return news
}

/** A stream is 1 of 1; a call is counted on its entry (C28). */
function eventOf({ walk, attempt, told }: TurnMemory, failed: Failure): FailureEvent {
  const visit = visitOf(walk, attempt.entry)
  return attempt.mode === 'stream' ? failureEvent(told + 1, failed, 1, 1) : failureEvent(told + 1, failed, visit.spent, visit.budget)
}
