import { Observable, type Subscriber } from 'rxjs'
import type { AttemptRequest, Engine } from '../../src/engines/contract.ts'
import { type Failure, type FailureKind, failure } from '../../src/model/failure.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel, KernelConfig, KernelPorts } from '../../src/runtime/kernel-door.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import type { Turn } from '../../src/runtime/turn-handle.ts'
import { type VirtualClock, virtualClock } from '../../src/simulate/virtual-clock.ts'

/**
 * A kernel on a virtual clock whose engine is played by hand: a test says what each attempt does and when, in the order of its own code.
 */
export class PlayedAttempt {
  readonly request: AttemptRequest
  readonly #out: Subscriber<ProviderEvent>
  /** The kernel has let go of this attempt. */
  closed = false

  constructor(request: AttemptRequest, out: Subscriber<ProviderEvent>) {
    this.request = request
    this.#out = out
    out.add(() => {
      this.closed = true
    })
  }

  say(...events: ProviderEvent[]): this {
    for (const event of events) this.#out.next(event)
    return this
  }

  text(...chunks: string[]): this {
    return this.say(...chunks.map((text): ProviderEvent => ({ type: 'text', text })))
  }

  opened(): this {
    return this.say({ type: 'opened' })
  }

  final(finish = 'stop'): void {
    this.say({ type: 'final', finish, terminated: true })
    this.#out.complete()
  }

  fail(kind: FailureKind, more: Partial<Failure> = {}): void {
    this.say({ type: 'failed', failure: failure(kind, this.request.mode === 'stream' ? 'stream' : 'call', `played ${kind}`, more) })
    this.#out.complete()
  }

  raise(error: unknown): void {
    this.#out.error(error)
  }

  complete(): void {
    this.#out.complete()
  }
}

export interface Rig {
  readonly kernel: Kernel
  readonly clock: VirtualClock
  readonly attempts: PlayedAttempt[]
  /** The attempt made last; throws when there is none. */
  last(): PlayedAttempt
}

/** What an attempt does in the very call that subscribes to it. */
export type OnAttempt = (attempt: PlayedAttempt, number: number) => void

/** Two engines, `a.x/m1` then `b.y/m2`, one attempt more each; jitter off. */
export const TWO: KernelConfig = {
  primary: 'a.x',
  profiles: {
    'a.x': { model: 'm1', apiKey: 'k-a', fallback: ['b.y'] },
    'b.y': { model: 'm2', apiKey: 'k-b' },
  },
  reliability: { jitter: 0, providerRetries: 1 },
}

/** `a.x/m1` alone. */
export const LONE: KernelConfig = {
  primary: 'a.x',
  profiles: { 'a.x': { model: 'm1', apiKey: 'k-a' } },
  reliability: { jitter: 0, providerRetries: 1 },
}

export function rig(options: { config?: KernelConfig; onAttempt?: OnAttempt; ports?: KernelPorts } = {}): Rig {
  const clock = virtualClock()
  const attempts: PlayedAttempt[] = []
  const engine: Engine = {
    attempt: (request) =>
      new Observable<ProviderEvent>((out) => {
        const attempt = new PlayedAttempt(request, out)
        attempts.push(attempt)
        options.onAttempt?.(attempt, attempts.length)
      }),
  }
  const kernel = createKernel(options.config ?? TWO, {
    clock,
    random: () => 0.5,
    engines: () => engine,
    secrets: { env: () => undefined, file: () => undefined },
    ...options.ports,
  })
  return {
    kernel,
    clock,
    attempts,
    last() {
      const attempt = attempts.at(-1)
      if (attempt === undefined) throw new Error('no attempt was made')
      return attempt
    },
  }
}

export interface Watched {
  readonly turn: Turn
  readonly events: TurnEvent[]
  outcome: Outcome | null
}

/** A turn whose every event is kept, through `events$`, before any sink of the request hears of it. */
export function watch(kernel: Kernel, request: TurnRequest = {}): Watched {
  const turn = kernel.turn(request.messages === undefined ? { prompt: 'hi', ...request } : request)
  const watched: Watched = { turn, events: [], outcome: null }
  turn.events$.subscribe((event) => {
    watched.events.push(event)
    if (event.type === 'turn.ended') watched.outcome = event.outcome
  })
  return watched
}

/** Lets every microtask that is pending, and those it asks for, run. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function typesOf(events: readonly TurnEvent[]): string[] {
  return events.map((event) => event.type)
}
