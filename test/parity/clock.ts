import type { Clock } from '../../src/model/clock.ts'
import { type Host, systemClock } from '../../src/runtime/system-clock.ts'

/**
 * The clock of production on a machine whose time runs `speed` times as fast, from `startAt` on. Everything that is timed keeps its
 * settings and its proportions: backoffs, hints of a provider, holds and deadlines alike.
 */
export function fastClock(startAt: number, speed: number): Clock {
  const began = performance.now()
  const host: Host = {
    now: () => startAt + Math.floor((performance.now() - began) * speed),
    setTimer(ms, fire) {
      const timer = setTimeout(fire, ms / speed)
      return { clear: () => clearTimeout(timer), keepAlive: (keep) => void (keep ? timer.ref() : timer.unref()) }
    },
  }
  return systemClock(host)
}

/** Resolves when `clock` has reached `at`. */
export function reached(clock: Clock, at: number): Promise<void> {
  return at <= clock.now() ? Promise.resolve() : new Promise((resolve) => void clock.wakeAt(at, () => resolve()))
}
