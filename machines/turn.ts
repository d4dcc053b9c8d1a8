/**
 * One turn: select → attempt → judge, until it is served or the walk ends.
 *
 * 1. Every decision is a value that policy made in `select` and `judge`; the edges only read it.
 * 2. Events of an attempt or a wait carry its number; those of an earlier one have no edge (late events reach nobody).
 * 3. Cancel has an edge from every state that is not final, and none leads from `cancelled` to an attempt (R30).
 * 4. A stream is opened once (R24): `opening` turns false with the first attempt.
 * 5. Time and the board come with each event; no text ever does.
 */
import { assign, enqueueActions, setup } from 'xstate'
import type { RandomSource } from '../src/model/clock.ts'
import type { Failure } from '../src/model/failure.ts'
import { type Board, type Hold, withHold } from '../src/model/hold.ts'
import type { FailureEvent, OutcomeKind, WaitReason } from '../src/model/outcome.ts'
import type { Plan } from '../src/model/plan.ts'
import type { Reliability } from '../src/model/settings.ts'
import type { AttemptResult } from '../src/model/usage.ts'
import { failureEvent, skipEvent } from '../src/policy/failure-event.ts'
import { type Judgement, judge } from '../src/policy/judge.ts'
import { recover } from '../src/policy/recover.ts'
import { type Selection, select } from '../src/policy/select.ts'
import { type AttemptEnd, type Verdict, verdict } from '../src/policy/verdict.ts'
import { entryOf, type Needs, startWalk, visitOf, type Walk, withVisit } from '../src/policy/walk.ts'
import { effect } from './effect.ts'

/** Time and holds, as every event brings them. */
export interface Facts {
  readonly now: number
  readonly board: Board
}

export interface TurnInput extends Facts {
  readonly plan: Plan
  readonly needs: Needs
  readonly reliability: Reliability
  /** The history can be shortened (R20). */
  readonly shortenable: boolean
  readonly random: RandomSource
  readonly port: TurnPort
}

/** What the runtime does for a turn; `runtime/wire.ts` connects it to the named actions. */
export interface TurnPort {
  openAttempt(attempt: Attempt): void
  closeAttempt(close: Close): void
  abortAttempt(): void
  startWait(wait: Wait): void
  cancelWait(): void
  reportHold(hold: Hold): void
}

export interface Attempt {
  readonly n: number
  readonly entry: number
  readonly mode: 'stream' | 'call'
  readonly history: 'original' | 'shortened'
}

export interface Close {
  readonly n: number
  readonly result: AttemptResult
  readonly accepted: boolean
}

/** `number` fences a wait as `n` fences an attempt. */
export interface Wait {
  readonly number: number
  readonly untilAt: number
  readonly ms: number
  readonly why: WaitReason
  readonly key: string
}

export interface TurnContext extends TurnInput {
  readonly walk: Walk
  readonly opening: boolean
  /** The attempt in progress or the last one; `n` 0 before the first. */
  readonly attempt: Attempt
  readonly waits: number
  readonly wait: Wait | null
  readonly selection: Selection | null
  readonly end: AttemptEnd | null
  readonly verdict: Verdict | null
  readonly judgement: Judgement | null
  /** How many failure events this turn has told. */
  readonly told: number
  /** What the last step brought, to be told to whoever watches. */
  readonly news: readonly TurnEmitted[]
  readonly recoveredFrom: 'stream_error' | 'semantic_empty' | null
  readonly outcome: { readonly kind: OutcomeKind; readonly retryAt: number | null }
}

export type TurnMachineEvent = Facts &
  (
    | { readonly type: 'attempt.ended'; readonly n: number; readonly end: AttemptEnd }
    | { readonly type: 'wait.elapsed'; readonly number: number }
    | { readonly type: 'hold.lifted' }
    | { readonly type: 'turn.cancel' }
  )

/** Facts for whoever watches; none carries text. */
export type TurnEmitted =
  | { readonly type: 'entry.skipped'; readonly entry: number; readonly event: FailureEvent }
  | { readonly type: 'attempt.failed'; readonly n: number; readonly failure: Failure; readonly event: FailureEvent }
  | { readonly type: 'hold.set'; readonly hold: Hold }
  | { readonly type: 'recovery.started'; readonly from: 'stream_error' | 'semantic_empty' }
  | { readonly type: 'history.shortened' }

export interface TurnOutput {
  readonly kind: OutcomeKind
  readonly retryAt: number | null
  readonly attempt: Attempt
  readonly recoveredFrom: 'stream_error' | 'semantic_empty' | null
}

const NOTHING: readonly TurnEmitted[] = []

const NO_ATTEMPT: Attempt = { n: 0, entry: 0, mode: 'call', history: 'original' }

/** The facts of the event, or those of the last one where the machine moves by itself. */
function factsOf(context: TurnContext, event: Partial<Facts>): Facts {
  return { now: event.now ?? context.now, board: event.board ?? context.board }
}

function chosen(context: TurnContext): Partial<TurnContext> {
  const selection = select(context, context.opening)
  if (selection.to === 'wait') {
    const number = context.waits + 1
    const { untilAt, key } = selection
    return { selection, news: NOTHING, waits: number, wait: { number, untilAt, ms: untilAt - context.now, why: 'hold', key } }
  }
  const skips = selection.skipped.length === 0 ? NOTHING : skipsOf(context, selection.skipped)
  const told = context.told + skips.length
  if (selection.to === 'end') return { selection, news: skips, told, outcome: { kind: selection.kind, retryAt: selection.retryAt } }
  const { entry, mode } = selection
  const visit = visitOf(context.walk, entry)
  return {
    selection,
    news: isShortenedNow(context) ? [...skips, { type: 'history.shortened' }] : skips,
    told,
    opening: false,
    walk: withVisit(context.walk, entry, { spent: visit.spent + 1 }),
    attempt: { n: context.attempt.n + 1, entry, mode, history: context.walk.history },
  }
}

/** Told with the attempt that sends it, since a walk may end before (R20). */
function isShortenedNow({ walk, attempt }: TurnContext): boolean {
  return walk.history === 'shortened' && attempt.history === 'original'
}

function skipsOf(context: TurnContext, skipped: readonly number[]): TurnEmitted[] {
  return skipped.map((entry, at) => ({
    type: 'entry.skipped',
    entry,
    event: skipEvent(context.told + at + 1, visitOf(context.walk, entry).budget),
  }))
}

function judged(before: TurnContext, event: Extract<TurnMachineEvent, { type: 'attempt.ended' }>): Partial<TurnContext> {
  const { now, end } = event
  const read = verdict(end)
  const context = { ...before, now, board: event.board }
  const judgement = judge({ ...context, entry: context.attempt.entry, end, verdict: read })
  const { hold, walk } = judgement
  const board = hold === null ? context.board : withHold(context.board, hold)
  const moved = { now, board, end, verdict: read, judgement, walk }
  if (read.result !== 'failed') return { ...moved, news: NOTHING, outcome: { kind: read.result, retryAt: null } }
  const news = failureNews(context, judgement, read.failure)
  const told = context.told + 1
  if (judgement.next === 'end') return { ...moved, news, told, outcome: { kind: judgement.kind, retryAt: null } }
  if (judgement.next !== 'wait') return { ...moved, news, told }
  const number = context.waits + 1
  const { waitMs: ms, why } = judgement
  const key = entryOf(context.plan, context.attempt.entry).holdKey
  return { ...moved, news, told, waits: number, wait: { number, untilAt: now + ms, ms, why, key } }
}

function failureNews(context: TurnContext, { hold }: Judgement, failed: Failure): TurnEmitted[] {
  const news: TurnEmitted[] = [{ type: 'attempt.failed', n: context.attempt.n, failure: failed, event: eventOf(context, failed) }]
  if (hold !== null) news.push({ type: 'hold.set', hold })
  return news
}

/** The walk without streaming that follows a stream which failed or came empty (R26, R29). */
function recovery(context: TurnContext): Partial<TurnContext> {
  const { judgement, attempt } = context
  if (judgement?.next !== 'recover') return {}
  const walk = recover(context, attempt.entry, judgement.cause)
  return { walk, news: [{ type: 'recovery.started', from: judgement.from }], recoveredFrom: judgement.from }
}

/** A stream is 1 of 1; a call is counted on its entry (C28). */
function eventOf(context: TurnContext, failed: Failure): FailureEvent {
  const visit = visitOf(context.walk, context.attempt.entry)
  const [attempt, of] = context.attempt.mode === 'stream' ? [1, 1] : [visit.spent, visit.budget]
  return failureEvent(context.told + 1, failed, attempt, of)
}

/** How the attempt is entered in the ledger. */
export function closeOf(context: TurnContext): Close {
  const read = context.verdict
  const result = read === null ? 'unknown' : read.result === 'failed' ? read.failure.kind : read.result
  return { n: context.attempt.n, result, accepted: context.judgement?.next === 'served' }
}

export const turnMachine = setup({
  types: {
    context: {} as TurnContext,
    events: {} as TurnMachineEvent,
    input: {} as TurnInput,
    output: {} as TurnOutput,
    emitted: {} as TurnEmitted,
  },
  guards: {
    streamChosen: ({ context }) => context.selection?.to === 'attempt' && context.selection.mode === 'stream',
    callChosen: ({ context }) => context.selection?.to === 'attempt' && context.selection.mode === 'call',
    waitChosen: ({ context }) => context.selection?.to === 'wait',
    refusalStands: ({ context }) => context.selection?.to === 'end' && context.selection.kind === 'refused',
    isCurrentAttempt: ({ context, event }) => event.type === 'attempt.ended' && event.n === context.attempt.n,
    isCurrentWait: ({ context, event }) => event.type === 'wait.elapsed' && event.number === context.wait?.number,
    isServed: ({ context }) => context.judgement?.next === 'served',
    isWait: ({ context }) => context.judgement?.next === 'wait',
    isRecovery: ({ context }) => context.judgement?.next === 'recover',
    isInterrupted: ({ context }) => context.judgement?.next === 'end' && context.judgement.kind === 'interrupted',
    isRefused: ({ context }) => context.judgement?.next === 'end' && context.judgement.kind === 'refused',
    isEnd: ({ context }) => context.judgement?.next === 'end',
  },
  actions: {
    takeFacts: assign(({ context, event }) => factsOf(context, event)),
    select: assign(({ context }) => chosen(context)),
    judge: assign(({ context, event }) => (event.type === 'attempt.ended' ? judged(context, event) : {})),
    cancel: assign({ outcome: { kind: 'cancelled', retryAt: null } }),
    startAgain: assign(({ context }) => ({ walk: { ...context.walk, at: 0 } })),
    recover: assign(({ context }) => recovery(context)),
    tell: enqueueActions(({ context, enqueue }) => {
      for (const fact of context.news) enqueue.emit(fact)
    }),
    openAttempt: effect,
    closeAttempt: effect,
    abortAttempt: effect,
    startWait: effect,
    cancelWait: effect,
    reportHold: effect,
  },
}).createMachine({
  id: 'turn',
  context: ({ input }) => ({
    ...input,
    walk: startWalk(input.plan, input.needs, input.reliability),
    opening: true,
    attempt: NO_ATTEMPT,
    waits: 0,
    wait: null,
    selection: null,
    end: null,
    verdict: null,
    judgement: null,
    told: 0,
    news: NOTHING,
    recoveredFrom: null,
    outcome: { kind: 'exhausted', retryAt: null },
  }),
  output: ({ context }) => ({ ...context.outcome, attempt: context.attempt, recoveredFrom: context.recoveredFrom }),
  options: { maxIterations: 1000 },
  initial: 'selecting',
  on: { 'turn.cancel': { target: '.cancelled', actions: ['takeFacts', 'cancel', 'abortAttempt'] } },
  states: {
    selecting: {
      entry: ['select', 'tell'],
      always: [
        { guard: 'streamChosen', target: 'streaming' },
        { guard: 'callChosen', target: 'attempting' },
        { guard: 'waitChosen', target: 'coolingDown' },
        { guard: 'refusalStands', target: 'refused' },
        { target: 'exhausted' },
      ],
    },
    streaming: {
      entry: 'openAttempt',
      on: { 'attempt.ended': { guard: 'isCurrentAttempt', target: 'judging' } },
    },
    attempting: {
      entry: 'openAttempt',
      on: { 'attempt.ended': { guard: 'isCurrentAttempt', target: 'judging' } },
    },
    judging: {
      entry: ['judge', 'closeAttempt', 'tell', 'reportHold'],
      always: [
        { guard: 'isServed', target: 'served' },
        { guard: 'isInterrupted', target: 'interrupted' },
        { guard: 'isRefused', target: 'refused' },
        { guard: 'isEnd', target: 'exhausted' },
        { guard: 'isWait', target: 'backingOff' },
        { guard: 'isRecovery', target: 'recovering' },
        { target: 'selecting' },
      ],
    },
    recovering: { entry: ['recover', 'tell'], always: 'selecting' },
    backingOff: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: { 'wait.elapsed': { guard: 'isCurrentWait', target: 'selecting', actions: 'takeFacts' } },
    },
    coolingDown: {
      entry: 'startWait',
      exit: 'cancelWait',
      on: {
        'wait.elapsed': { guard: 'isCurrentWait', target: 'selecting', actions: ['takeFacts', 'startAgain'] },
        'hold.lifted': { target: 'selecting', actions: ['takeFacts', 'startAgain'] },
      },
    },
    served: { type: 'final' },
    interrupted: { type: 'final' },
    refused: { type: 'final' },
    exhausted: { type: 'final' },
    cancelled: { type: 'final' },
  },
})
