import type { TeamClock } from '../runtime/team/team-clock.ts'
import { TimerQueue } from '../runtime/timer-queue.ts'

/**
 * Time of a simulated team: it moves only when told. A suspend lets it pass while timers stand still; the wall clock can be moved apart from
 * both (G10).
 */
export class VirtualTeamClock implements TeamClock {
  readonly #startAt: number
  readonly #timers = new TimerQueue()
  #elapsedMs = 0
  #suspendedMs = 0
  #movedMs = 0

  constructor(startAt: number) {
    this.#startAt = startAt
  }

  /** ms since the start of the scenario, as somebody beside the machine would count them. */
  get sinceStartMs(): number {
    return this.#elapsedMs + this.#suspendedMs
  }

  /** When the next timer rings, in ms since the start; null: none is set. */
  get nextMs(): number | null {
    const { nextAt } = this.#timers
    return nextAt === null ? null : nextAt + this.#suspendedMs
  }

  now(): number {
    return this.#startAt + this.sinceStartMs + this.#movedMs
  }

  elapsedMs(): number {
    return this.#elapsedMs
  }

  after(ms: number, fire: () => void): () => void {
    const timer = this.#timers.add(this.#elapsedMs + Math.max(0, ms), fire, false)
    return () => this.#timers.remove(timer)
  }

  /** Lets time pass up to an instant, and rings nothing. */
  moveTo(sinceStartMs: number): void {
    this.#elapsedMs = Math.max(this.#elapsedMs, sinceStartMs - this.#suspendedMs)
  }

  /** Rings one timer that is due now; false when there is none. */
  ring(): boolean {
    const timer = this.#timers.popDue(this.#elapsedMs)
    timer?.fire()
    return timer !== null
  }

  suspend(ms: number): void {
    this.#suspendedMs += ms
  }

  moveWallClock(byMs: number): void {
    this.#movedMs += byMs
  }

  /** An instant of the wall clock as ms since the start, by what the wall clock shows now. */
  sinceStart(at: number): number {
    return at - this.#startAt - this.#movedMs
  }
}
