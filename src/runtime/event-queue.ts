import type { Flow } from '../engines/contract.ts'
import type { TurnEvent } from '../model/turn-event.ts'

const HIGH_WATER = 256
const LOW_WATER = 64

/**
 * Turn events on their way to one `for await` loop.
 *
 * 1. Over the high-water mark the queue is full and the engine stops reading its socket; below the low-water mark it goes on.
 * 2. Facts are queued also when it is full: they are few, and a turn must be able to end.
 */
export class EventQueue implements Flow {
  readonly #events: TurnEvent[] = []
  #next = 0
  /** Reads that were asked for before there was anything to read, in order. */
  readonly #waiting: ((result: IteratorResult<TurnEvent>) => void)[] = []
  #drained: (() => void)[] = []
  #ended = false

  get full(): boolean {
    return this.#length >= HIGH_WATER
  }

  onDrain(resume: () => void): void {
    this.#drained.push(resume)
  }

  push(event: TurnEvent): void {
    if (this.#ended) return
    const waiting = this.#waiting.shift()
    if (waiting === undefined) this.#events.push(event)
    else waiting({ done: false, value: event })
  }

  /** No more events come; what is queued can still be read. */
  end(): void {
    this.#ended = true
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined })
  }

  /** The reader has left: nothing is kept any more. */
  abandon(): void {
    this.end()
    this.#events.length = 0
    this.#next = 0
    this.#resume()
  }

  next(): Promise<IteratorResult<TurnEvent>> {
    const event = this.#take()
    if (event !== undefined) return Promise.resolve({ done: false, value: event })
    if (this.#ended) return Promise.resolve({ done: true, value: undefined })
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  get #length(): number {
    return this.#events.length - this.#next
  }

  #take(): TurnEvent | undefined {
    const event = this.#events[this.#next]
    if (event === undefined) return undefined
    this.#next++
    if (this.#next === this.#events.length || this.#next === HIGH_WATER) {
      this.#events.splice(0, this.#next)
      this.#next = 0
    }
    if (this.#drained.length > 0 && this.#length <= LOW_WATER) this.#resume()
    return event
  }

  #resume(): void {
    const drained = this.#drained
    this.#drained = []
    for (const resume of drained) resume()
  }
}
