import { Observable } from 'rxjs'
import type { Flow } from '../engines/contract.ts'
import type { Outcome } from '../model/outcome.ts'
import type { TurnEvent } from '../model/turn-event.ts'
import type { AttemptBook } from './attempt-book.ts'
import { errorOf } from './errors.ts'
import { EventQueue } from './event-queue.ts'

/** One piece of work with one outcome, as its host holds it. */
export interface Turn extends AsyncIterable<TurnEvent> {
  readonly id: string
  /** Events from now on; replays nothing, and all subscribers share the one run. A subscriber is never waited for. */
  readonly events$: Observable<TurnEvent>
  /** Never rejects. */
  readonly outcome: Promise<Outcome>
  /** The text of the answer; rejects with an error of the door when there is none. */
  readonly text: Promise<string>
  /** Ends the turn now; no attempt follows (R30). Has no effect on a turn that is over. */
  cancel(): void
}

/** Where the content of a turn goes. An event sink commits what it is handed, a draft sink is mutable (R27). */
export interface SinkCallbacks {
  readonly event?: ((event: TurnEvent) => void) | undefined
  readonly draft?: ((text: string) => void) | undefined
  /** Demand of these sinks. */
  readonly flow?: Flow | undefined
}

/**
 * Fans the events of one run out to loops, subscribers and sinks.
 *
 * 1. A listener that throws is reported and harms nobody else.
 * 2. A `for await` loop that falls behind makes the flow full, and so do sinks that say they are; leaving the loop early drops its queue and
 *    the turn goes on.
 * 3. Every listener hears the same events in the same order: what a listener causes is told once the present event has reached all.
 */
export class TurnHandle implements Turn {
  readonly id: string
  readonly outcome: Promise<Outcome>
  readonly events$: Observable<TurnEvent>
  readonly flow: Flow
  /** What a cancel does at present: the kernel sets it when the turn starts. */
  onCancel: () => void = () => {}
  /** Told of the end before any listener is: one that hears of it may ask for the next call at once. */
  onEnd: (outcome: Outcome, book: AttemptBook | null) => void = () => {}
  /** A function of its own, so that a host may hand it on at any time. */
  readonly cancel = (): void => this.onCancel()
  #resolve: (outcome: Outcome) => void = () => {}
  #cause: unknown
  #over = false
  readonly #queues = new Set<EventQueue>()
  /** Replaced at each change, so that a listener who joins during an event hears from the next one on. */
  #observers: readonly ((event: TurnEvent | null) => void)[] = []
  #delivering = false
  readonly #later: TurnEvent[] = []
  #ending: Outcome | null = null
  readonly #sinks: SinkCallbacks
  readonly #onListenerError: (error: unknown) => void

  constructor(id: string, sinks: SinkCallbacks, onListenerError: (error: unknown) => void) {
    this.id = id
    this.#sinks = sinks
    this.#onListenerError = onListenerError
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.events$ = new Observable((subscriber) => {
      if (this.#over) return subscriber.complete()
      const observer = (event: TurnEvent | null): void => (event === null ? subscriber.complete() : subscriber.next(event))
      this.#observers = [...this.#observers, observer]
      return () => {
        this.#observers = this.#observers.filter((each) => each !== observer)
      }
    })
    this.flow = new TurnFlow(this.#queues, sinks.flow)
  }

  /** Whether somebody reads events; decides about an event sink when the caller did not (R27). */
  get isWatched(): boolean {
    return this.#queues.size > 0 || this.#observers.length > 0 || this.#sinks.event !== undefined
  }

  /** The last failure with the words of its provider, or a defect; undefined while the turn goes on and when nothing failed. */
  get cause(): unknown {
    return this.#cause
  }

  get text(): Promise<string> {
    return this.outcome.then((outcome) => {
      const error = errorOf(outcome, this.#cause)
      if (error !== null) throw error
      return outcome.text
    })
  }

  [Symbol.asyncIterator](): AsyncIterator<TurnEvent> {
    const queue = new EventQueue()
    if (this.#over) queue.end()
    else this.#queues.add(queue)
    return {
      next: () => queue.next(),
      return: () => {
        this.#queues.delete(queue)
        queue.abandon()
        return Promise.resolve({ done: true, value: undefined })
      },
    }
  }

  publish(event: TurnEvent): void {
    if (this.#delivering) {
      this.#later.push(event)
      return
    }
    this.#delivering = true
    this.#deliver(event)
    while (this.#later.length > 0) this.#deliver(this.#later.shift() as TurnEvent)
    this.#delivering = false
    if (this.#ending !== null) this.#conclude(this.#ending)
  }

  /** The turn is over: everyone is told, and `text` rejects with `cause` attached when there is no answer. */
  finish(outcome: Outcome, cause: unknown): void {
    this.#cause = cause
    if (this.#delivering) this.#ending = outcome
    else this.#conclude(outcome)
  }

  #deliver(event: TurnEvent): void {
    for (const queue of this.#queues) queue.push(event)
    for (const observer of this.#observers) this.#guard(observer, event)
    const { event: sink, draft } = this.#sinks
    if (sink !== undefined) this.#guard(sink, event)
    if (draft !== undefined && (event.type === 'draft' || event.type === 'answer')) this.#guard(draft, event.text)
  }

  #conclude(outcome: Outcome): void {
    this.#over = true
    for (const queue of this.#queues) queue.end()
    for (const observer of this.#observers) this.#guard(observer, null)
    this.#queues.clear()
    this.#observers = []
    this.#resolve(outcome)
  }

  /** A listener may well be asynchronous, although its type does not ask for it: a rejection nobody handles ends a process. */
  #guard<Told>(listener: (told: Told) => unknown, told: Told): void {
    try {
      const returned = listener(told)
      if (returned instanceof Promise) returned.catch(this.#onListenerError)
    } catch (error) {
      this.#onListenerError(error)
    }
  }
}

/** Full while any loop is, or the sinks are; drained when all that were full have room. */
class TurnFlow implements Flow {
  readonly #queues: ReadonlySet<EventQueue>
  readonly #sinks: Flow | undefined

  constructor(queues: ReadonlySet<EventQueue>, sinks: Flow | undefined) {
    this.#queues = queues
    this.#sinks = sinks
  }

  get full(): boolean {
    return this.#firstFull() !== undefined
  }

  /** A function of its own: engines of hosts take it out of its object. */
  readonly onDrain = (resume: () => void): void => {
    const full = this.#firstFull()
    if (full === undefined) resume()
    else full.onDrain(() => this.onDrain(resume))
  }

  #firstFull(): Flow | undefined {
    for (const queue of this.#queues) if (queue.full) return queue
    return this.#sinks?.full === true ? this.#sinks : undefined
  }
}
