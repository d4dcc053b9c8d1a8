/**
 * One opened stream. The step from `silent` to `committed` IS the replay boundary (R27).
 *
 * 1. The end of a stream is judged by the side of the boundary it stands on: the same failure is `truncated` before it and `interrupted` after.
 * 2. Without the completion signal nothing is finished (R25).
 * 3. Text never comes here; the runtime tells the boundaries only.
 */
import { assign, setup } from 'xstate'
import type { AttemptEnd } from '../src/policy/verdict.ts'

/** What the runtime knows when the provider's stream is over; `committed` is the machine's own word. */
export type StreamEnd = Omit<AttemptEnd, 'committed' | 'mode'>

export type StreamEvent =
  | { readonly type: 'stream.opened' }
  | { readonly type: 'output.committed' }
  | { readonly type: 'stream.ended'; readonly end: StreamEnd }
  | { readonly type: 'stream.cancelled' }

export interface StreamContext {
  readonly committed: boolean
}

export interface StreamOutput {
  readonly committed: boolean
}

/** Chart of one opened stream: before and behind the replay boundary. */
export const streamMachine = setup({
  types: { context: {} as StreamContext, events: {} as StreamEvent, output: {} as StreamOutput },
  guards: {
    hasFailed: ({ event }) => event.type === 'stream.ended' && event.end.failure !== null,
    hasNoAnswer: ({ event }) => event.type === 'stream.ended' && !event.end.answered,
  },
  actions: {
    commit: assign({ committed: true }),
  },
}).createMachine({
  id: 'stream',
  context: { committed: false },
  output: ({ context }) => ({ committed: context.committed }),
  options: { maxIterations: 100 },
  initial: 'opening',
  on: { 'stream.cancelled': '.cancelled' },
  states: {
    opening: {
      on: {
        'stream.opened': 'silent',
        'stream.ended': 'truncated',
      },
    },
    silent: {
      on: {
        'output.committed': { target: 'committed', actions: 'commit' },
        'stream.ended': [{ guard: 'hasFailed', target: 'truncated' }, { guard: 'hasNoAnswer', target: 'empty' }, { target: 'finished' }],
      },
    },
    committed: {
      on: {
        'stream.ended': [{ guard: 'hasFailed', target: 'interrupted' }, { guard: 'hasNoAnswer', target: 'empty' }, { target: 'finished' }],
      },
    },
    finished: { type: 'final' },
    empty: { type: 'final' },
    truncated: { type: 'final' },
    interrupted: { type: 'final' },
    cancelled: { type: 'final' },
  },
})
