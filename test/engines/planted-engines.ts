import { Observable, type Observer, type OperatorFunction, Subscription, share } from 'rxjs'
import type { VirtualScript } from '../../src/engines/conformance/virtual-subject.ts'
import { type AttemptRequest, type Engine, openFlow } from '../../src/engines/contract.ts'
import { failure } from '../../src/model/failure.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'

/** An engine that breaks one promise, and the cases (by a part of their name) that must say so. */
export interface Planted {
  readonly name: string
  readonly plant: (sound: Engine, script: VirtualScript) => Engine
  readonly caughtBy: readonly string[]
}

type Emit = (event: ProviderEvent) => void

/** The sound engine with each of its events looked at on the way; `emit` may be called any number of times. */
function through(sound: Engine, each: (event: ProviderEvent, emit: Emit, request: AttemptRequest) => void): Engine {
  return {
    attempt: (request) =>
      new Observable((out) =>
        sound.attempt(request).subscribe({
          next: (event) => each(event, (said) => out.next(said), request),
          complete: () => out.complete(),
        }),
      ),
  }
}

function piped(sound: Engine, operator: OperatorFunction<ProviderEvent, ProviderEvent>): Engine {
  return { attempt: (request) => sound.attempt(request).pipe(operator) }
}

const stop: ProviderEvent = { type: 'final', finish: 'stop', terminated: true }

export const PLANTED: readonly Planted[] = [
  {
    name: 'ends twice',
    plant: (sound) =>
      through(sound, (event, emit) => {
        emit(event)
        if (event.type === 'final') emit({ type: 'failed', failure: failure('unknown', 'stream', 'and again') })
      }),
    caughtBy: ['contract 2: a stream ends in one final'],
  },
  {
    name: 'speaks after its end',
    plant: (sound) =>
      through(sound, (event, emit) => {
        emit(event)
        if (event.type === 'final') emit({ type: 'text', text: 'PS' })
      }),
    caughtBy: ['contract 2: a stream ends in one final'],
  },
  {
    name: 'completes without an end',
    plant: (sound) => through(sound, (event, emit) => void (event.type === 'final' || emit(event))),
    caughtBy: ['contract 2: a stream ends in one final'],
  },
  {
    name: 'never completes',
    plant: (sound) => ({ attempt: (request) => new Observable((out) => sound.attempt(request).subscribe({ next: (event) => out.next(event) })) }),
    caughtBy: ['contract 2: a call ends in one final'],
  },
  {
    name: 'throws where an attempt is asked for',
    plant: () => ({
      attempt: () => {
        throw new Error('no such model')
      },
    }),
    caughtBy: ['contract 2: a stream ends in one final'],
  },
  {
    name: 'sends failures as errors',
    plant: (sound) => ({
      attempt: (request) =>
        new Observable((out) =>
          sound.attempt(request).subscribe({
            next: (event) => (event.type === 'failed' ? out.error(new Error(event.failure.message)) : out.next(event)),
            complete: () => out.complete(),
          }),
        ),
    }),
    caughtBy: ['contract 2: a failing stream ends in one failed'],
  },
  {
    name: 'goes on speaking after it was unsubscribed',
    plant: (sound) => ({ attempt: (request) => new Deaf((observer) => sound.attempt(request).subscribe(observer)) }),
    caughtBy: ['contract 3, R30: unsubscribing reaches the provider', 'contract 3, R30: a cancel inside a callback'],
  },
  {
    name: 'lets a cancelled attempt run on in silence',
    plant: (sound) => ({
      attempt: (request) =>
        new Observable((out) => {
          sound.attempt(request).subscribe({ next: (event) => out.next(event), complete: () => out.complete() })
        }),
    }),
    caughtBy: ['contract 3, R30: unsubscribing reaches the provider', 'contract 3, R30: a cancel inside a callback'],
  },
  {
    name: 'asks before anybody subscribed',
    plant: (sound) => ({
      attempt(request) {
        const asked = sound.attempt(request).pipe(share({ resetOnRefCountZero: false }))
        asked.subscribe()
        return asked
      },
    }),
    caughtBy: ['contract 1: nothing is sent before a subscription'],
  },
  {
    name: 'gives two subscribers one attempt',
    plant: (sound) => ({
      attempt(request) {
        const said: ProviderEvent[] = []
        return new Observable((out) => {
          if (said.length > 0) for (const event of said) out.next(event)
          if (said.length > 0) return out.complete()
          return sound.attempt(request).subscribe({
            next: (event) => {
              said.push(event)
              out.next(event)
            },
            complete: () => out.complete(),
          })
        })
      },
    }),
    caughtBy: ['contract 1: each subscription is one attempt'],
  },
  {
    name: 'retries by itself',
    plant: (sound) => ({
      attempt: (request) =>
        new Observable((out) => {
          const asking = new Subscription()
          const ask = (again: boolean): void => {
            let failed = false
            asking.add(
              sound.attempt(request).subscribe({
                next: (event) => {
                  failed = event.type === 'failed'
                  if (!(failed && again)) out.next(event)
                },
                complete: () => (failed && again ? ask(false) : out.complete()),
              }),
            )
          }
          ask(true)
          return asking
        }),
    }),
    caughtBy: [
      'retries nothing after a 503 (stream)',
      'retries nothing after a 429 (call)',
      'retries nothing after a reset',
      'retries nothing after a cut stream',
    ],
  },
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
    caughtBy: ['R25: a reset in the middle of a stream', 'R25: bytes that end before the completion signal'],
  },
]

/** An observable that hears no unsubscription: RxJS itself would silence it otherwise. */
class Deaf extends Observable<ProviderEvent> {
  readonly #start: (observer: Partial<Observer<ProviderEvent>>) => void

  constructor(start: (observer: Partial<Observer<ProviderEvent>>) => void) {
    super()
    this.#start = start
  }

  override subscribe(observer?: Partial<Observer<ProviderEvent>> | ((value: ProviderEvent) => void) | null): Subscription {
    if (typeof observer === 'object' && observer !== null) this.#start(observer)
    return new Subscription()
  }
}
