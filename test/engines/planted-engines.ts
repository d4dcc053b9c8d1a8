import { Observable, type Observer, type OperatorFunction, Subscription, share } from 'rxjs'
import type { VirtualScript } from '../../src/engines/conformance/virtual-subject.ts'
import type { AttemptRequest, Engine } from '../../src/engines/contract.ts'
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
export function through(sound: Engine, each: (event: ProviderEvent, emit: Emit, request: AttemptRequest) => void): Engine {
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

export function piped(sound: Engine, operator: OperatorFunction<ProviderEvent, ProviderEvent>): Engine {
  return { attempt: (request) => sound.attempt(request).pipe(operator) }
}

/** Those that break the contract itself. */
export const LAWLESS: readonly Planted[] = [
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
