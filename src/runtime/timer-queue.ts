/**
 * Pending wakes in the order in which they are due.
 *
 * 1. `pop` yields the earliest; of one instant the one asked for first.
 * 2. A cancelled wake is removed at once, so that a thousand short calls with long deadlines leave nothing behind.
 */
export interface Wake {
  readonly at: number
  readonly order: number
  readonly background: boolean
  readonly fire: () => void
  /** Place in the heap; -1 once it fired or was cancelled. */
  place: number
}

export class TimerQueue {
  readonly #heap: Wake[] = []
  #asked = 0
  #foreground = 0

  get size(): number {
    return this.#heap.length
  }

  /** How many wakes were ever asked for: the order of the next one. */
  get asked(): number {
    return this.#asked
  }

  /** How many wakes keep a process alive. */
  get foreground(): number {
    return this.#foreground
  }

  /** The instant of the earliest wake, or null. */
  get nextAt(): number | null {
    return this.#heap[0]?.at ?? null
  }

  add(at: number, fire: () => void, background: boolean): Wake {
    const wake: Wake = { at, order: this.#asked++, background, fire, place: this.#heap.length }
    this.#heap.push(wake)
    if (!background) this.#foreground++
    this.#rise(wake.place)
    return wake
  }

  remove(wake: Wake): void {
    if (wake.place === -1) return
    const { place } = wake
    const last = this.#heap.pop() as Wake
    wake.place = -1
    if (!wake.background) this.#foreground--
    if (last === wake) return
    this.#heap[place] = last
    last.place = place
    this.#rise(place)
    this.#sink(last.place)
  }

  /** Takes the earliest wake if it is due at `now` and was asked for before the order `before`, or null. */
  popDue(now: number, before = Number.POSITIVE_INFINITY): Wake | null {
    const first = this.#heap[0]
    if (first === undefined || first.at > now || first.order >= before) return null
    this.remove(first)
    return first
  }

  #rise(from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      if (!this.#swapIfEarlier(place, above)) return
      place = above
    }
  }

  #sink(from: number): void {
    let place = from
    for (;;) {
      const left = 2 * place + 1
      if (left >= this.#heap.length) return
      const right = left + 1
      const earlier = right < this.#heap.length && isEarlier(this.#heap[right] as Wake, this.#heap[left] as Wake) ? right : left
      if (!this.#swapIfEarlier(earlier, place)) return
      place = earlier
    }
  }

  /** Exchanges the two when the one below is due earlier; says whether it did. */
  #swapIfEarlier(below: number, above: number): boolean {
    const lower = this.#heap[below] as Wake
    const upper = this.#heap[above] as Wake
    if (!isEarlier(lower, upper)) return false
    this.#heap[above] = lower
    this.#heap[below] = upper
    lower.place = above
    upper.place = below
    return true
  }
}

function isEarlier(left: Wake, right: Wake): boolean {
  return left.at < right.at || (left.at === right.at && left.order < right.order)
}
