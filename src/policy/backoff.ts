import type { RandomSource } from '../model/clock.ts'
import type { Reliability } from '../model/settings.ts'

const SHORTEST_BACKOFF_MS = 50

/** The first wait on an entry: the setting, at least 50 ms and at most `maxBackoffMs` (R14). */
export function firstBackoff(reliability: Reliability): number {
  return Math.min(Math.max(reliability.providerBackoffMs, SHORTEST_BACKOFF_MS), reliability.maxBackoffMs)
}

/** The wait after one of `backoffMs`: twice as long, never above `maxBackoffMs` (R14). */
export function nextBackoff(backoffMs: number, reliability: Reliability): number {
  return Math.min(backoffMs * 2, reliability.maxBackoffMs)
}

/** `backoffMs` moved by up to `jitter` of itself either way, whole ms, never above `maxBackoffMs` (R14). Without jitter chance is not asked. */
export function jittered(backoffMs: number, reliability: Reliability, random: RandomSource): number {
  if (reliability.jitter === 0) return backoffMs
  const moved = backoffMs * (1 + reliability.jitter * (2 * chanceOf(random) - 1))
  return Math.min(Math.max(0, Math.round(moved)), reliability.maxBackoffMs)
}

/** From 0 to 1 whatever the host's source answers: a wait that is no number would hold an engine for ever. */
function chanceOf(random: RandomSource): number {
  const chance = random()
  return Number.isNaN(chance) ? 0.5 : Math.min(Math.max(0, chance), 1)
}
