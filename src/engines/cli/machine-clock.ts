import type { Clock } from '../../model/clock.ts'

/**
 * Time as it passes for a program on this machine: a suspend stops both, and whoever sets the wall clock changes neither (T17, G10).
 *
 * A program that was suspended in the middle of its work goes on where it was. On the wall clock it would have been silent for all of the
 * night, and be stopped as soon as the machine wakes. An HTTP attempt keeps the wall clock: its provider has not stood still, and nobody is
 * left at the other end of its connection.
 *
 * Instants of this clock are its own, and no epoch. A clock that knows only the wall clock is handed back as it is.
 */
export function machineClock(clock: Clock): Clock {
  const elapsedMs = clock.elapsedMs?.bind(clock)
  if (elapsedMs === undefined) return clock
  return {
    now: elapsedMs,
    elapsedMs,
    wakeAt(at, fire, options) {
      let cancel = (): void => {}
      const wait = (leftMs: number): void => {
        cancel = clock.wakeAt(clock.now() + Math.ceil(leftMs), look, options)
      }
      // The wall clock has reached it; whether so much has passed here is another matter.
      const look = (): void => {
        const leftMs = at - elapsedMs()
        if (leftMs > 0) wait(leftMs)
        else fire()
      }
      wait(Math.max(0, at - elapsedMs()))
      return () => cancel()
    },
  }
}
