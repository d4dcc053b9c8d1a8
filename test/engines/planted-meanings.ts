import { Observable } from 'rxjs'
import { openFlow } from '../../src/engines/contract.ts'
import { failure } from '../../src/model/failure.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { type Planted, piped, through } from './planted-engines.ts'

const stop: ProviderEvent = { type: 'final', finish: 'stop', terminated: true }

/** Engines that keep the form of the contract and tell something else than what was said. */
export const MISLEADING: readonly Planted[] = [
  {
    name: 'takes the end of bytes for success',
    plant: (sound) => through(sound, (event, emit) => emit(event.type === 'failed' && event.failure.kind === 'truncated' ? stop : event)),
    caughtBy: [
      'R25: bytes that end before the completion signal',
      'R25: a stream that ends without a byte',
      'no tool call leaves before the finish marker (a cut)',
    ],
  },
  {
    name: 'lets tool calls out as they come',
    plant: (sound, script) => ({
      attempt: (request) =>
        new Observable((out) => {
          const item = script[request.entry]?.[request.mode]?.[0]
          if (item !== undefined && 'events' in item) {
            for (const event of item.events) if ('toolCall' in event) out.next({ type: 'toolCall', ...event.toolCall, id: event.toolCall.id ?? null })
          }
          return sound.attempt(request).subscribe(out)
        }),
    }),
    caughtBy: [
      'no tool call leaves before the finish marker (a cut)',
      'no tool call leaves before the finish marker (a reset)',
      'tool calls are told whole and in order',
    ],
  },
  {
    name: 'takes provider tools for tool calls',
    plant: (sound) => through(sound, (event, emit) => emit(event.type === 'providerToolCall' ? { ...event, type: 'toolCall' } : event)),
    caughtBy: ['R28: tools that ran at the provider'],
  },
  {
    name: 'mixes reasoning into the text',
    plant: (sound) => through(sound, (event, emit) => emit(event.type === 'reasoning' ? { type: 'text', text: event.text } : event)),
    caughtBy: ['R27: reasoning is told apart from text', 'R27: reasoning of a call'],
  },
  {
    name: 'loses a chunk',
    plant: (sound) => {
      let texts = 0
      return through(sound, (event, emit) => void ((event.type === 'text' && ++texts % 700 === 0) || emit(event)))
    },
    caughtBy: ['R25: text of many chunks', 'contract 5: pauses while the reader is full'],
  },
  {
    name: 'swaps two chunks',
    plant: (sound) => {
      let kept: ProviderEvent | null = null
      return through(sound, (event, emit) => {
        if (event.type === 'text' && kept === null && event.text.startsWith('500')) kept = event
        else {
          emit(event)
          if (kept !== null) emit(kept)
          kept = null
        }
      })
    },
    caughtBy: ['R25: text of many chunks'],
  },
  {
    name: 'makes up a usage of zero',
    plant: (sound) =>
      through(sound, (event, emit) => {
        if (event.type === 'opened') emit({ type: 'usage', input: 0, output: 0 })
        emit(event)
      }),
    caughtBy: ['R34: usage that was not told is not made up'],
  },
  {
    name: 'forgets usage',
    plant: (sound) => through(sound, (event, emit) => void (event.type === 'usage' || emit(event))),
    caughtBy: ['R34: usage of a stream', 'R34: usage of a call', 'R34: usage told before a failure'],
  },
  {
    name: 'calls every finish a stop',
    plant: (sound) => through(sound, (event, emit) => emit(event.type === 'final' ? { ...event, finish: 'stop' } : event)),
    caughtBy: ['R22: finish length is told', 'R22: finish content_filter is told', 'R22: finish length of a call', 'tool calls of a call are told'],
  },
  {
    name: 'says nothing of content after the end',
    plant: (sound) =>
      through(sound, (event, emit) => emit(event.type === 'final' ? { type: 'final', finish: event.finish, terminated: event.terminated } : event)),
    caughtBy: ['R25: content after the terminal marker'],
  },
  {
    name: 'reads no status',
    plant: (sound) =>
      through(sound, (event, emit) =>
        emit(event.type === 'failed' ? { type: 'failed', failure: failure('unknown', event.failure.phase, event.failure.message) } : event),
      ),
    caughtBy: [
      'R17: status 401 is auth (stream)',
      'R17: status 429 is rate_limited (call)',
      'R20: a prompt that does not fit',
      'an error inside the stream is overloaded',
    ],
  },
  {
    name: 'caps the retry hint at a minute',
    plant: (sound) =>
      through(sound, (event, emit) => {
        if (event.type !== 'failed' || event.failure.retryAfterMs === null) emit(event)
        else emit({ type: 'failed', failure: { ...event.failure, retryAfterMs: Math.min(60_000, event.failure.retryAfterMs) } })
      }),
    caughtBy: ['the retry hint of a 429', 'the retry hint of a 503'],
  },
  {
    name: 'keeps no deadline',
    plant: (sound) => ({
      attempt: (request) =>
        sound.attempt({
          ...request,
          profile: { ...request.profile, timeouts: { connectMs: null, firstByteMs: null, firstOutputMs: null, idleMs: null, totalMs: null } },
        }),
    }),
    caughtBy: [
      'R31: no byte within firstByteMs is a timeout (stream)',
      'R31: silence of idleMs',
      'R31: no output within firstOutputMs',
      'C40: without firstByteMs',
    ],
  },
  {
    name: 'reads on while the reader is full',
    plant: (sound) => ({ attempt: (request) => sound.attempt({ ...request, flow: openFlow }) }),
    caughtBy: ['contract 5: pauses while the reader is full'],
  },
  {
    name: 'stops for good when the reader was full',
    plant: (sound) => ({
      attempt: (request) =>
        sound.attempt({
          ...request,
          flow: {
            get full() {
              return request.flow.full
            },
            onDrain: () => {},
          },
        }),
    }),
    caughtBy: ['contract 5: pauses while the reader is full'],
  },
  {
    name: 'drops what came before a failure',
    plant: (sound) =>
      piped(
        sound,
        (source) =>
          new Observable((out) => {
            const said: ProviderEvent[] = []
            return source.subscribe({
              next: (event) => {
                if (event.type === 'failed') out.next(event)
                else if (event.type !== 'final') said.push(event)
                else for (const one of [...said, event]) out.next(one)
              },
              complete: () => out.complete(),
            })
          }),
      ),
    caughtBy: ['R25: a reset in the middle of a stream', 'R25: what came before a cut'],
  },
]
