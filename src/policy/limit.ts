import type { Failure } from '../model/failure.ts'
import type { Hold } from '../model/hold.ts'
import type { QuotaLimit } from '../model/notice.ts'
import type { Entry } from '../model/plan.ts'

/**
 * How long a used-up quota takes an engine out, and which engine (T5, T6).
 *
 * 1. A readable reset is believed as it stands, but one that is not ahead is held a moment: a clock printed to the minute may just have
 *    passed, and an engine that answers "limited, reset now" must not be asked in a loop (G14).
 * 2. Without one the engine is looked at again after a while; how long depends on the provider, not on the model (G15, G16).
 * 3. A stop of money or administration is lifted by a person. Its stated reset is not one (cli-engines.md §2), so it is looked at again
 *    rarely; whoever has lifted it clears the hold.
 */
export const LIMIT_WAITS = {
  /** Claude without a readable reset (T5). */
  claudeMs: 3_600_000,
  /** Everybody else without one (T5, G15). */
  otherMs: 1_800_000,
  /** A reset at or before now (G14). */
  pastMs: 60_000,
  /** Whatever is stated: beyond it a reset is a slip of the provider, and looking again costs one call. Months are the longest windows there are. */
  longestMs: 41 * 24 * 3_600_000,
  /** Until a stop of money or administration is looked at again: twice in a night, so that it costs next to nothing. */
  spendMs: 21_600_000,
} as const

type Told = Pick<Failure, 'resetAt'> & { readonly limit: QuotaLimit }

/** The instant until which the engine of `family` is not called. */
export function limitUntil({ limit, resetAt }: Told, family: string, now: number): number {
  if (limit.kind === 'spend') return now + LIMIT_WAITS.spendMs
  if (resetAt === null) return now + (family === 'claude' ? LIMIT_WAITS.claudeMs : LIMIT_WAITS.otherMs)
  return resetAt <= now ? now + LIMIT_WAITS.pastMs : Math.min(resetAt, now + LIMIT_WAITS.longestMs)
}

/** The hold of a used-up quota on the entry that met it: on its engine, or on its model alone (T6). */
export function limited(failed: Told, entry: Pick<Entry, 'holdKey' | 'modelHoldKey' | 'profile'>, now: number): Hold {
  const key = failed.limit.binds === 'model' ? (entry.modelHoldKey ?? entry.holdKey) : entry.holdKey
  return { key, untilAt: limitUntil(failed, entry.profile.family, now), reason: 'limit' }
}
