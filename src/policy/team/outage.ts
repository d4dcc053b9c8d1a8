/** A provider that could not be reached (T18). */
export interface Outage {
  /** Failed tries so far. */
  readonly tries: number
  /** When it is tried again. */
  readonly untilAt: number
  /** Not to be tried before a turn starts at or after that instant. */
  readonly out: boolean
}

const MINUTE_MS = 60_000
const FIRST_MIN = [1, 2, 4, 8] as const
const LATER_MIN = 15

/** The outage after one more try that failed: 1, 2, 4, 8 minutes, then every 15, without end (T18, G11). */
export function outageAfter(before: Outage | undefined, now: number): Outage {
  const tries = (before?.tries ?? 0) + 1
  const minutes = FIRST_MIN[tries - 1] ?? LATER_MIN
  return { tries, untilAt: now + minutes * MINUTE_MS, out: true }
}
