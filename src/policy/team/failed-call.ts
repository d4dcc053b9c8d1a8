import type { ChainEntry } from '../../model/team.ts'
import { type FreeAt, freeAt, isLimited, type Register } from './register.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const LADDER_MS = [SECOND_MS, ...[1, 2, 4, 8, 15, 30, 60].map((minutes) => minutes * MINUTE_MS)] as const

/** So many failed calls in a row pause the run: about five hours of waits (T19). */
export const MOST_FAILED_CALLS = 12

/** How long to wait after the failed call that is the `row`-th in a row, from 1 (T19). */
export function failedCallWaitMs(row: number): number {
  return LADDER_MS[Math.min(row, LADDER_MS.length) - 1] ?? SECOND_MS
}

/**
 * When the wait after a failed call is over: at its own time, or when a limited engine of the team comes back before it, whoever's it is
 * (G27). An instant that has passed means no wait.
 */
export function failedCallUntil(ownAt: number, entries: readonly ChainEntry[], register: Register): FreeAt {
  return entries
    .filter((entry) => isLimited(register, entry))
    .map((entry) => freeAt(register, entry))
    .reduce((earliest, each) => (each.at < earliest.at ? each : earliest), { at: ownAt, by: 'probe' })
}
