import type { Subscription } from 'rxjs'
import type { Failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { AttemptRequest, Engine, Flow } from '../contract.ts'

type Final = Extract<ProviderEvent, { type: 'final' }>

/**
 * One subscription and all that came of it, kept raw: a plain observer, so that an engine that speaks out of turn is heard.
 */
export class Recording {
  readonly events: ProviderEvent[] = []
  /** Events that came after `stop()`. */
  readonly late: ProviderEvent[] = []
  completions = 0
  /** What the engine threw or sent as an error, in words. */
  thrown: string | null = null
  /** Resolves when the stream completed or broke its word by an error. */
  readonly over: Promise<void>
  #end: () => void = () => {}
  #subscription: Subscription | null = null
  #stopAsked = false
  #stopped = false

  constructor(engine: Engine, request: AttemptRequest, onEvent: (event: ProviderEvent, recording: Recording) => void = () => {}) {
    this.over = new Promise((resolve) => {
      this.#end = resolve
    })
    try {
      this.#subscription = engine.attempt(request).subscribe({
        next: (event) => {
          if (this.#stopped) this.late.push(event)
          else this.events.push(event)
          onEvent(event, this)
        },
        error: (error: unknown) => this.#threw(error),
        complete: () => {
          this.completions++
          this.#end()
        },
      })
      if (this.#stopAsked) this.stop()
    } catch (error) {
      this.#threw(error)
    }
  }

  /** Unsubscribes; from inside a first synchronous callback as soon as that is possible. */
  stop(): void {
    this.#stopAsked = true
    if (this.#subscription === null) return
    this.#stopped = true
    this.#subscription.unsubscribe()
  }

  #threw(error: unknown): void {
    this.thrown = error instanceof Error ? error.message : String(error)
    this.#end()
  }

  get text(): string {
    return this.events.map((event) => (event.type === 'text' ? event.text : '')).join('')
  }

  get reasoning(): string {
    return this.events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')
  }

  of<Type extends ProviderEvent['type']>(type: Type): Extract<ProviderEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<ProviderEvent, { type: Type }> => event.type === type)
  }

  /** The `final` that the attempt must have ended in. */
  final(): Final {
    const last = this.events.at(-1)
    if (last?.type !== 'final') throw new Error(`expected a final, got ${describe(last)}`)
    return last
  }

  /** The failure that the attempt must have ended in, of this kind. */
  failure(kind: Failure['kind']): Failure {
    const last = this.events.at(-1)
    if (last?.type !== 'failed') throw new Error(`expected a failure ${kind}, got ${describe(last)}`)
    if (last.failure.kind !== kind) throw new Error(`expected a failure ${kind}, got ${describe(last)}`)
    return last.failure
  }

  /** A connection that was torn off inside a stream; its code names the cause. */
  broken(code: string): Failure {
    const failure = this.failure('network')
    if (failure.phase !== 'stream' || failure.code !== code) {
      throw new Error(`expected ${code} inside the stream, got ${describe(this.events.at(-1))}, code ${failure.code}`)
    }
    return failure
  }

  /** Contract 2: exactly one end, which is the last event, then completion, and nothing thrown. */
  lawful(): void {
    if (this.thrown !== null) throw new Error(`an engine never throws or errors; it did: ${this.thrown}`)
    const ends = this.events.filter((event) => event.type === 'final' || event.type === 'failed')
    if (ends.length === 0) throw new Error(`ended without final or failed after ${this.events.length} events`)
    if (ends.length > 1) throw new Error(`ended ${ends.length} times: ${ends.map(describe).join(', then ')}`)
    if (this.events.at(-1) !== ends[0]) throw new Error(`spoke after its end: ${describe(this.events.at(-1))}`)
    if (this.completions !== 1) throw new Error(`completed ${this.completions} times`)
  }
}

/** An event in a few words for a person. */
export function describe(event: ProviderEvent | undefined): string {
  if (event === undefined) return 'nothing'
  if (event.type === 'failed') return `failed ${event.failure.kind} (${event.failure.phase}, ${event.failure.message.slice(0, 80)})`
  if (event.type === 'final') return `final ${event.finish ?? 'without a reason'}`
  return event.type
}

/** A reader that says when it is full. */
export class SlowReader implements Flow {
  /** Resolves when it is full for the first time. */
  readonly filled: Promise<void>
  #full = false
  #fill: () => void = () => {}
  #waiting: (() => void)[] = []

  constructor() {
    this.filled = new Promise((resolve) => {
      this.#fill = resolve
    })
  }

  get full(): boolean {
    return this.#full
  }

  set full(full: boolean) {
    this.#full = full
    if (full) this.#fill()
  }

  onDrain(resume: () => void): void {
    if (this.full) this.#waiting.push(resume)
    else resume()
  }

  drain(): void {
    this.full = false
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
