import type { Clock } from '../model/clock.ts'
import { TimerQueue } from './timer-queue.ts'

/** No timer is set for longer; each leg reads the wall clock again, so a suspended machine wakes at most one leg late. */
export const LONGEST_LEG_MS = 60_000

/** Where the clock reads and waits; replaced in tests. */
export interface Host {
  now(): number
  /** ms on a clock that stands still while the machine is suspended. */
  elapsedMs?(): number
  setTimer(ms: number, fire: () => void): HostTimer
}

export interface HostTimer {
  clear(): void
  /** Whether the timer keeps the process alive. */
  keepAlive(keep: boolean): void
}

/**
 * The clock of production: the wall clock and one pending timer for all wakes of a kernel.
 *
 * 1. A wake fires when the wall clock has reached its instant, not when a duration has passed: a clock set forward or a suspend shortens nothing else.
 * 2. Wakes of one instant fire in the order in which they were asked for.
 * 3. A wake that throws costs the others nothing.
 * 4. What a wake asks for waits for the next timer, also when it is due: waits of no length must not keep the process from all else.
 */
export function systemClock(host: Host = nodeHost): Clock {
  const queue = new TimerQueue()
  let timer: HostTimer | null = null
  let armedAt = Number.POSITIVE_INFINITY

  const arm = (): void => {
    const nextAt = queue.nextAt
    if (nextAt === null) {
      timer?.clear()
      timer = null
      armedAt = Number.POSITIVE_INFINITY
      return
    }
    if (timer === null || nextAt < armedAt) {
      timer?.clear()
      const legMs = Math.min(Math.max(0, nextAt - host.now()), LONGEST_LEG_MS)
      armedAt = nextAt
      timer = host.setTimer(legMs, ring)
    }
    timer.keepAlive(queue.foreground > 0)
  }

  const ring = (): void => {
    timer = null
    armedAt = Number.POSITIVE_INFINITY
    const { asked } = queue
    try {
      for (let wake = queue.popDue(host.now(), asked); wake !== null; wake = queue.popDue(host.now(), asked)) wake.fire()
    } finally {
      arm()
    }
  }

  return {
    now: () => host.now(),
    ...(host.elapsedMs === undefined ? {} : { elapsedMs: () => host.elapsedMs?.() ?? host.now() }),
    wakeAt(at, fire, options) {
      const wake = queue.add(at, fire, options?.background ?? false)
      arm()
      return () => {
        queue.remove(wake)
        if (timer !== null) arm()
      }
    },
  }
}

const nodeHost: Host = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  setTimer(ms, fire) {
    const handle: unknown = setTimeout(fire, ms)
    return {
      clear: () => clearTimeout(handle as ReturnType<typeof setTimeout>),
      keepAlive: (keep) => {
        // A browser's handle is a number and keeps nothing alive.
        if (typeof handle === 'object' && handle !== null) (handle as NodeJS.Timeout)[keep ? 'ref' : 'unref']()
      },
    }
  },
}
