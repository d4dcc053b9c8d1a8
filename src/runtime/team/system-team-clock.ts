import type { Clock } from '../../model/clock.ts'
import type { TeamClock } from './team-clock.ts'

/**
 * The clocks of this machine. `performance.now` stands still while it is suspended, on Linux at least, and so do timers; where it does not,
 * a suspend is charged to the runtime and nothing else changes.
 */
export function systemTeamClock(): TeamClock {
  return {
    now: () => Date.now(),
    elapsedMs: () => performance.now(),
    after(ms, fire) {
      const timer = setTimeout(fire, ms)
      return () => clearTimeout(timer)
    },
  }
}

/** The clock that a host gave its kernel. Where it knows no other than the wall clock, both times are one. */
export function teamClockOn(clock: Clock): TeamClock {
  return {
    now: () => clock.now(),
    elapsedMs: () => clock.elapsedMs?.() ?? clock.now(),
    after: (ms, fire) => clock.wakeAt(clock.now() + ms, fire),
  }
}
