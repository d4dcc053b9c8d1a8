import type { PageEvent } from './page-event.ts'

/** What a page would take for the present instant may be off by so much, on its wall clock. */
const MOST_OFF_MS = 500

/** Says how late it is on the clock that is looked at, whenever pages could no longer tell by themselves. */
export class PageTime {
  readonly #now: () => number
  readonly #wall: () => number
  #told: { readonly at: number; readonly wall: number; readonly rate: number }
  #seen: { readonly at: number; readonly wall: number }

  /** `wall`: ms on a clock that goes as fast as that of the pages. */
  constructor(now: () => number, wall: () => number) {
    this.#now = now
    this.#wall = wall
    this.#seen = { at: now(), wall: wall() }
    this.#told = { ...this.#seen, rate: 1 }
  }

  /** For a page that has just come: it knows nothing yet. */
  present(): PageEvent {
    this.#seen = { at: this.#now(), wall: this.#wall() }
    return { type: 'page.time', at: this.#seen.at, rate: this.#told.rate }
  }

  /** To be asked now and then; null where nothing has to be said. */
  look(): PageEvent | null {
    const at = this.#now()
    const wall = this.#wall()
    const passedMs = wall - this.#seen.wall
    const rate = passedMs <= 0 ? this.#told.rate : Math.max(0, Math.round(((at - this.#seen.at) / passedMs) * 100) / 100)
    this.#seen = { at, wall }
    const expected = this.#told.at + (wall - this.#told.wall) * this.#told.rate
    if (Math.abs(at - expected) <= MOST_OFF_MS * Math.max(1, this.#told.rate)) return null
    this.#told = { at, wall, rate: Math.abs(rate - 1) < 0.1 ? 1 : rate }
    return { type: 'page.time', at, rate: this.#told.rate }
  }
}
