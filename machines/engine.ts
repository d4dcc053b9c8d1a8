/**
 * The engine: owns the health of one engine key and is the only writer of its place on the board.
 *
 * 1. A later deadline wins over an earlier one, whatever its reason (R15).
 * 2. A hold ends exactly at its deadline; a lapse told too early is ignored (R18).
 * 3. The state says why the engine is not to be called; the context says until when.
 */
import { assign, setup } from 'xstate'
import type { Hold } from '../src/model/hold.ts'
import { effect } from './effect.ts'

export interface EngineContext {
  readonly key: string
  readonly hold: Hold | null
  readonly port: EnginePort
}

export type EngineEvent =
  | { readonly type: 'hold.reported'; readonly hold: Hold }
  | { readonly type: 'hold.lapsed'; readonly now: number }
  | { readonly type: 'hold.cleared' }

/** What the runtime does for an engine. */
export interface EnginePort {
  /** Shows the hold (or null) on the board and arms its lapse. */
  publish(key: string, hold: Hold | null): void
}

const isLater = (context: EngineContext, event: EngineEvent): event is Extract<EngineEvent, { type: 'hold.reported' }> =>
  event.type === 'hold.reported' && (context.hold === null || event.hold.untilAt > context.hold.untilAt)

/** Chart of one engine key: available, or held and why. */
export const engineMachine = setup({
  types: {
    context: {} as EngineContext,
    events: {} as EngineEvent,
    input: {} as { readonly key: string; readonly port: EnginePort },
  },
  guards: {
    isLaterCooldown: ({ context, event }) => isLater(context, event) && event.hold.reason === 'cooldown',
    isLaterLimit: ({ context, event }) => isLater(context, event) && event.hold.reason === 'limit',
    isLaterOutage: ({ context, event }) => isLater(context, event) && event.hold.reason === 'outage',
    hasLapsed: ({ context, event }) => event.type === 'hold.lapsed' && context.hold !== null && context.hold.untilAt <= event.now,
  },
  actions: {
    keepHold: assign(({ event }) => (event.type === 'hold.reported' ? { hold: event.hold } : {})),
    dropHold: assign({ hold: null }),
    publishHold: effect,
  },
}).createMachine({
  id: 'engine',
  context: ({ input }) => ({ key: input.key, hold: null, port: input.port }),
  options: { maxIterations: 100 },
  initial: 'available',
  on: {
    'hold.reported': [
      { guard: 'isLaterCooldown', target: '.cooling', reenter: true, actions: ['keepHold', 'publishHold'] },
      { guard: 'isLaterLimit', target: '.limited', reenter: true, actions: ['keepHold', 'publishHold'] },
      { guard: 'isLaterOutage', target: '.unreachable', reenter: true, actions: ['keepHold', 'publishHold'] },
    ],
  },
  states: {
    available: {},
    cooling: {
      on: {
        'hold.lapsed': { guard: 'hasLapsed', target: 'available', actions: ['dropHold', 'publishHold'] },
        'hold.cleared': { target: 'available', actions: ['dropHold', 'publishHold'] },
      },
    },
    limited: {
      on: {
        'hold.lapsed': { guard: 'hasLapsed', target: 'available', actions: ['dropHold', 'publishHold'] },
        'hold.cleared': { target: 'available', actions: ['dropHold', 'publishHold'] },
      },
    },
    unreachable: {
      on: {
        'hold.lapsed': { guard: 'hasLapsed', target: 'available', actions: ['dropHold', 'publishHold'] },
        'hold.cleared': { target: 'available', actions: ['dropHold', 'publishHold'] },
      },
    },
  },
})
