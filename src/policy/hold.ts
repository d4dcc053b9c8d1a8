import type { Failure } from '../model/failure.ts'
import type { Hold } from '../model/hold.ts'
import type { Reliability } from '../model/settings.ts'

/** How long a rate limit lasts from `now`: the instant the provider gave, else its hint, else the default (R15). In ms. */
export function limitMs(failure: Failure, reliability: Reliability, now: number): number {
  if (failure.resetAt !== null) return Math.max(0, failure.resetAt - now)
  return failure.retryAfterMs ?? reliability.defaultCooldownMs
}

/** The hint that a wait on the entry itself has to respect, in ms; 0 when none was stated (C05). */
export function statedWaitMs(failure: Failure, now: number): number {
  if (failure.resetAt !== null) return Math.max(0, failure.resetAt - now)
  return failure.retryAfterMs ?? 0
}

/** The hold that a model call sets on an engine; its reason is `cooldown` whatever its length (C43). */
export function cooldown(key: string, untilAt: number): Hold {
  return { key, untilAt, reason: 'cooldown' }
}
