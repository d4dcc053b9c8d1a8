import type { Clock } from '../model/clock.ts'
import { TimerQueue } from '../runtime/timer-queue.ts'

/** A clock that moves only when told, and visits every due wake in order, also those that a wake asks for on the way. */
export interface VirtualClock extends Clock {
  /** The instant of the next wake, or null. */
  nextAt(): number | null
  /** How many wakes are pending. */
  readonly pending: number
  /** Moves to `at`, firing each wake due on the way at its own instant. An earlier instant fires what is due now. */
  moveTo(at: number): void
  /** Sets the clock to `at` without firing what is due then. */
  setTo(at: number): void
  /** Moves to the next wake and fires that one alone; false when there is none. */
  step(): boolean
}

/** `startAt` is the first instant, epoch ms. */
export function virtualClock(startAt = 0): VirtualClock {
  const queue = new TimerQueue()
  let now = startAt
  const fireNext = (until: number): boolean => {
    const wake = queue.popDue(until)
    if (wake === null) return false
    now = Math.max(now, wake.at)
    wake.fire()
    return true
  }
  return {
    now: () => now,
    wakeAt(at, fire, options) {
      const wake = queue.add(Math.max(at, now), fire, options?.background ?? false)
      return () => queue.remove(wake)
    },
    nextAt: () => queue.nextAt,
    get pending() {
      return queue.size
    },
    moveTo(at) {
      while (fireNext(at)) {}
      now = Math.max(now, at)
    },
    setTo(at) {
      now = Math.max(now, at)
    },
    step: () => fireNext(Number.POSITIVE_INFINITY),
  }
}
