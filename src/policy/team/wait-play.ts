const MINUTE_MS = 60_000
/** Doubling stops mattering long before a number could overflow. */
const MOST_DOUBLINGS = 30

/** How long the wait play that is the `row`-th in a row waits, from 1: each twice as long, then at most `maxWaitMin` (T17, G30). */
export function waitPlayMs(minutes: number, row: number, maxWaitMin: number | null): number {
  const doubled = minutes * 2 ** Math.min(row - 1, MOST_DOUBLINGS)
  return Math.min(doubled, maxWaitMin ?? Number.POSITIVE_INFINITY, LONGEST_MIN) * MINUTE_MS
}

/** A hundred years: what is longer is no wait but an end, and instants stay whole numbers. */
const LONGEST_MIN = 52_560_000
