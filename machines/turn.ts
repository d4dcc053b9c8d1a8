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
import type { Hold } from '../src/model/hold.ts'
import type { OutcomeKind } from '../src/model/outcome.ts'
import {
  type Attempt,
  blankMemory,
  chosen,
  type closeOf,
  type Facts,
  judged,
  recovered,
  type TurnFixed,
  type TurnMemory,
  type TurnNews,
  type Wait,
} from '../src/policy/turn-step.ts'
import type { AttemptEnd } from '../src/policy/verdict.ts'
import { effect } from './effect.ts'

export interface TurnInput extends Facts {
  readonly fixed: TurnFixed
  readonly port: TurnPort
}

/** What the runtime does for a turn; `runtime/wire.ts` connects it to the named actions. */
export interface TurnPort {
  openAttempt(attempt: Attempt): void
  closeAttempt(close: ReturnType<typeof closeOf>): void
  abortAttempt(): void
  startWait(wait: Wait): void
  cancelWait(): void
  reportHold(hold: Hold): void
}

export interface TurnContext extends TurnMemory {
  readonly fixed: TurnFixed
  readonly port: TurnPort
}

export type TurnMachineEvent = Facts &
  (
    | { readonly type: 'attempt.ended'; readonly n: number; readonly end: AttemptEnd }
    | { readonly type: 'wait.elapsed'; readonly number: number }
    | { readonly type: 'hold.lifted' }
    | { readonly type: 'turn.cancel' }
  )

export interface TurnOutput {
  readonly kind: OutcomeKind
  readonly retryAt: number | null
  readonly attempt: Attempt
  readonly recoveredFrom: 'stream_error' | 'semantic_empty' | null
}

/** How the walk of this turn ends by judgement, or null while it goes on. */
function endOf({ judged: read }: TurnContext): OutcomeKind | null {
  return read?.judgement.next === 'end' ? read.judgement.kind : null
}

/** Chart of one turn, from the first selection to its end. */
export const turnMachine = setup({
  types: {
    context: {} as TurnContext,
    events: {} as TurnMachineEvent,
    input: {} as TurnInput,
    output: {} as TurnOutput,
    emitted: {} as TurnNews,
  },
  guards: {
    streamChosen: ({ context }) => context.selection?.to === 'attempt' && context.selection.mode === 'stream',
    callChosen: ({ context }) => context.selection?.to === 'attempt' && context.selection.mode === 'call',
    waitChosen: ({ context }) => context.selection?.to === 'wait',
    refusalStands: ({ context }) => context.selection?.to === 'end' && context.selection.kind === 'refused',
    isCurrentAttempt: ({ context, event }) => event.type === 'attempt.ended' && event.n === context.attempt.n,
    isCurrentWait: ({ context, event }) => event.type === 'wait.elapsed' && event.number === context.wait?.number,
    isServed: ({ context }) => context.judged?.judgement.next === 'served',
    isWait: ({ context }) => context.judged?.judgement.next === 'wait',
    isRecovery: ({ context }) => context.judged?.judgement.next === 'recover',
    isInterrupted: ({ context }) => endOf(context) === 'interrupted',
    isRefused: ({ context }) => endOf(context) === 'refused',
    isEnd: ({ context }) => endOf(context) !== null,
  },
  actions: {
    takeFacts: assign(({ event: { now, board, spent } }) => ({ now, board, spent })),
    select: assign(({ context }) => chosen(context.fixed, context)),
    judge: assign(({ context, event }) => (event.type === 'attempt.ended' ? judged(context.fixed, context, event.end, event) : {})),
    recover: assign(({ context }) => recovered(context.fixed, context)),
    startAgain: assign(({ context }) => ({ walk: { ...context.walk, at: 0 } })),
    cancel: assign({ outcome: { kind: 'cancelled', retryAt: null } }),
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
  context: ({ input: { fixed, port, ...facts } }) => ({ fixed, port, ...blankMemory(fixed, facts) }),
  output: ({ context: { outcome, attempt, recoveredFrom } }) => ({ kind: outcome.kind, retryAt: outcome.retryAt, attempt, recoveredFrom }),
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
