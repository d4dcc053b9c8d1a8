import { decimalMs, FARTHEST_MS, imfFixdateAt } from './duration.ts'
import type { ErrorFacts } from './error-body.ts'
import type { Headers } from './headers.ts'
import { type BucketReset, emptiedBucket, unnamedBucket } from './limit-buckets.ts'
import { nextPacificMidnight } from './pacific-day.ts'
import { statedResetMs, statedWaitMs } from './stated-wait.ts'

/**
 * When to come back, as a provider says it (wire.md §10, C39).
 *
 * 1. Uncapped: what is slept is decided elsewhere (R16). But what lies more than 40 days and an hour ahead is not believed: no limit lasts
 *    as long, and a wait of years is a slip or a trap. It is passed over like what cannot be read, and that it was is remembered.
 * 2. A stated wait wins over a reset, a reset of the quota in the body over those of buckets in the headers.
 * 3. Instants are compared with the response's own `date`, so that a skewed clock neither lengthens nor shortens them.
 * 4. The wait that Google states for a quota of a day does not reach its end. It is repeated as stated, and beside it stands the end of
 *    the day by which Google counts, midnight Pacific time (ai.google.dev/gemini-api/docs/rate-limits). No other reset is known that a
 *    response does not carry.
 */
export interface RetryHint {
  readonly retryAfterMs: number | null
  /** Epoch ms on our clock; null when the provider gave no instant. */
  readonly resetAt: number | null
}

export const NO_HINT: RetryHint = { retryAfterMs: null, resetAt: null }

/** No hint either, since what was stated lies too far ahead. */
export const TOO_FAR: RetryHint = { retryAfterMs: null, resetAt: null }

export function isReadable(hint: RetryHint): boolean {
  return hint !== NO_HINT && hint !== TOO_FAR
}

/** The hint of the headers alone, valid with any status. */
export function hintOfHeaders(headers: Headers, now: number): RetryHint {
  return first([wait(ms(headers.get('retry-after-ms'))), wait(ms(headers.get('x-ms-retry-after-ms'))), wait(retryAfterMs(headers, now))])
}

/** The hint of a provider that is busy or broken: headers, then what its body says. */
export function hintOfBody(headers: Headers, facts: ErrorFacts, now: number): RetryHint {
  const stated = hintOfHeaders(headers, now)
  if (isReadable(stated)) return stated
  return first([
    stated,
    instant(facts.resetsAt, headers, now),
    wait(statedResetMs(facts.texts)),
    dailyReset(facts, headers, now),
    wait(bodyWaitMs(facts)),
  ])
}

/** The hint of a limit: the same, then the buckets that the headers describe. They stand on every answer, so only a limit reads them. */
export function hintOfLimit(headers: Headers, facts: ErrorFacts, now: number): RetryHint {
  const stated = hintOfBody(headers, facts, now)
  if (isReadable(stated)) return stated
  const server = serverNow(headers, now)
  return first([stated, bucket(emptiedBucket(headers, server), now), bucket(unnamedBucket(headers, facts.resetHeader, server), now)])
}

function first(hints: readonly (RetryHint | null)[]): RetryHint {
  return hints.find((hint) => hint !== null && isReadable(hint)) ?? (hints.includes(TOO_FAR) ? TOO_FAR : NO_HINT)
}

function wait(value: number | null): RetryHint | null {
  if (value === null) return null
  return value > FARTHEST_MS ? TOO_FAR : { retryAfterMs: value, resetAt: null }
}

function instant(at: number | null, headers: Headers, now: number): RetryHint | null {
  return at === null ? null : bucket({ aheadMs: Math.max(0, at - serverNow(headers, now)), isInstant: true }, now)
}

function bucket(reset: BucketReset | null, now: number): RetryHint | null {
  const stated = wait(reset?.aheadMs ?? null)
  return stated === null || stated === TOO_FAR || reset?.isInstant !== true ? stated : { ...stated, resetAt: now + reset.aheadMs }
}

/** Google states one wait twice, in `retryDelay` cut to whole seconds: the longer one is the one that was meant. */
function bodyWaitMs(facts: ErrorFacts): number | null {
  const worded = statedWaitMs(facts.texts)
  const typed = facts.waitMs
  return typed === null || worded === null ? (typed ?? worded) : Math.max(typed, worded)
}

function dailyReset(facts: ErrorFacts, headers: Headers, now: number): RetryHint | null {
  if (!facts.dailyQuota) return null
  const server = serverNow(headers, now)
  const midnight = nextPacificMidnight(server)
  const retryAfter = bodyWaitMs(facts)
  if (midnight === null || (retryAfter !== null && server + retryAfter >= midnight)) return null
  return { retryAfterMs: retryAfter, resetAt: now + midnight - server }
}

function serverNow(headers: Headers, now: number): number {
  return imfFixdateAt((headers.get('date') ?? '').trim()) ?? now
}

function ms(value: string | undefined): number | null {
  return value === undefined ? null : decimalMs(value.trim(), 'ms')
}

function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined) return null
  const stated = decimalMs(value, 's')
  if (stated !== null) return stated
  const at = imfFixdateAt(value)
  return at === null ? null : Math.max(0, at - serverNow(headers, now))
}
