/**
 * The supervisor of model calls: how many turns are in flight, whether all of them wait for a reset, and the order to stop.
 *
 * 1. It counts turns and never lists them; the runtime keeps them in a Map, because a chart that owns its children copies their record at each step.
 *    Each turn actor has it as parent and is named `turn`, so its end arrives by itself, under one event type.
 * 2. `rateLimited` means that every turn in flight waits for a hold; one turn that goes on leaves it.
 * 3. A hold that is lifted early wakes the turns that wait, whatever the state; a stopped supervisor starts nothing.
 * 4. A defect ends the actor that has it and never the supervisor: without an edge for it XState would end the parent too.
 */
import { assign, setup } from 'xstate'
import { effect } from './effect.ts'

export interface SupervisorContext {
  readonly inFlight: number
  readonly waiting: number
  readonly port: SupervisorPort
}

/** What the runtime does for the supervisor. */
export interface SupervisorPort {
  /** Tells every waiting turn to look again. */
  wakeWaiting(): void
  /** Cancels every turn in flight. */
  cancelTurns(): void
}

export type SupervisorEvent =
  | { readonly type: 'turn.started' }
  | { readonly type: 'xstate.done.actor.turn'; readonly output: unknown }
  | { readonly type: 'turn.waiting' }
  | { readonly type: 'turn.resumed' }
  | { readonly type: 'hold.lifted' }
  | { readonly type: 'supervisor.stop' }
  | { readonly type: `xstate.error.actor.${string}`; readonly error: unknown }

/** What the end of a turn changes, whether it came to an output or to a defect. */
const TURN_OVER = [
  { guard: 'isLastTurn', target: 'choosing', actions: 'countEnd' },
  { guard: 'leavesOnlyWaiting', target: 'rateLimited', actions: 'countEnd' },
  { actions: 'countEnd' },
] as const

/** Chart of a kernel: whether turns are in flight, all wait for a reset, or it was stopped. */
export const supervisorMachine = setup({
  types: {
    context: {} as SupervisorContext,
    events: {} as SupervisorEvent,
    input: {} as { readonly port: SupervisorPort },
  },
  guards: {
    isLastTurn: ({ context }) => context.inFlight <= 1,
    isLastAwake: ({ context }) => context.waiting + 1 >= context.inFlight,
    leavesOnlyWaiting: ({ context }) => context.waiting >= context.inFlight - 1,
  },
  actions: {
    countStart: assign(({ context }) => ({ inFlight: context.inFlight + 1 })),
    countEnd: assign(({ context }) => ({ inFlight: context.inFlight - 1 })),
    countWait: assign(({ context }) => ({ waiting: context.waiting + 1 })),
    countResume: assign(({ context }) => ({ waiting: context.waiting - 1 })),
    wakeWaiting: effect,
    cancelTurns: effect,
  },
}).createMachine({
  id: 'supervisor',
  context: ({ input }) => ({ inFlight: 0, waiting: 0, port: input.port }),
  options: { maxIterations: 100 },
  initial: 'choosing',
  on: {
    'supervisor.stop': { target: '.stopped', actions: 'cancelTurns' },
    'xstate.error.actor.*': {},
  },
  states: {
    choosing: {
      on: { 'turn.started': { target: 'running', actions: 'countStart' } },
    },
    running: {
      on: {
        'turn.started': { actions: 'countStart' },
        'xstate.done.actor.turn': [...TURN_OVER],
        'xstate.error.actor.turn': [...TURN_OVER],
        'turn.waiting': [{ guard: 'isLastAwake', target: 'rateLimited', actions: 'countWait' }, { actions: 'countWait' }],
        'turn.resumed': { actions: 'countResume' },
        'hold.lifted': { actions: 'wakeWaiting' },
      },
    },
    rateLimited: {
      on: {
        'turn.started': { target: 'running', actions: 'countStart' },
        'turn.resumed': { target: 'running', actions: 'countResume' },
        'hold.lifted': { actions: 'wakeWaiting' },
      },
    },
    stopped: { type: 'final' },
  },
})
