import { type Clock, systemClock } from '../../index.ts'

/** The wall clock, running `speed` times as fast from now on: a demo in a hurry keeps all its waits, and their lengths on paper. */
export function fastClock(speed: number, real: Clock = systemClock()): Clock {
  const startedAt = real.now()
  return {
    // A hair is added against rounding: a wake must never find its own instant still ahead.
    now: () => startedAt + Math.floor((real.now() - startedAt) * speed + 1e-6),
    wakeAt: (at, fire, options) => real.wakeAt(startedAt + Math.ceil((at - startedAt) / speed), fire, options),
  }
}
