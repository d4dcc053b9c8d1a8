import { decimalMs, epochAt, goDurationMs, imfFixdateAt, rfc3339At } from './duration.ts'
import type { ErrorFacts } from './error-body.ts'
import type { Headers } from './headers.ts'

/**
 * When to come back, as a provider says it (wire.md §10, C39).
 *
 * 1. Uncapped: what is slept is decided elsewhere (R16).
 * 2. A stated wait wins over a reset; a reset counts only for a bucket that the response says is empty, since `x-ratelimit-reset-*` is
 *    the time to a full bucket, not to the next slot.
 * 3. Instants are compared with the response's own `date`, so that a skewed clock neither lengthens nor shortens them.
 */
export interface RetryHint {
  readonly retryAfterMs: number | null
  /** Epoch ms on our clock; null when the provider gave no instant. */
  readonly resetAt: number | null
}

export const NO_HINT: RetryHint = { retryAfterMs: null, resetAt: null }

/** Instants beyond this are no dates any more. */
const LAST_INSTANT = 8.64e15

/** The hint of the headers alone, valid with any status. */
export function hintOfHeaders(headers: Headers, now: number): RetryHint {
  return (
    wait(ms(headers.get('retry-after-ms')), now) ??
    wait(ms(headers.get('x-ms-retry-after-ms')), now) ??
    wait(retryAfterMs(headers, now), now) ??
    NO_HINT
  )
}

/** The hint of a limit: headers, then what its body says, then the resets of empty buckets. */
export function hintOfLimit(headers: Headers, facts: ErrorFacts, now: number): RetryHint {
  const stated = hintOfHeaders(headers, now)
  if (stated !== NO_HINT) return stated
  return (
    instant(facts.resetsAt, headers, now) ??
    wait(hintOfTexts(facts.texts), now) ??
    instant(emptyAnthropicBucketAt(headers), headers, now) ??
    wait(emptyBucketMs(headers), now) ??
    wait(seconds(headers.get('x-ratelimit-reset-after')), now) ??
    instant(epochOf(headers.get('x-ratelimit-reset') ?? facts.resetHeader), headers, now) ??
    NO_HINT
  )
}

function wait(value: number | null, now: number): RetryHint | null {
  return value === null || now + value > LAST_INSTANT ? null : { retryAfterMs: value, resetAt: null }
}

function instant(at: number | null, headers: Headers, now: number): RetryHint | null {
  if (at === null) return null
  const ahead = Math.max(0, at - serverNow(headers, now))
  return now + ahead > LAST_INSTANT ? null : { retryAfterMs: ahead, resetAt: now + ahead }
}

function serverNow(headers: Headers, now: number): number {
  return imfFixdateAt((headers.get('date') ?? '').trim()) ?? now
}

function ms(value: string | undefined): number | null {
  return value === undefined ? null : decimalMs(value.trim(), 'ms')
}

function seconds(value: string | undefined): number | null {
  const read = value === undefined ? null : decimalMs(value.trim(), 's')
  return read === null || read <= 0 ? null : read
}

function retryAfterMs(headers: Headers, now: number): number | null {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined) return null
  const stated = decimalMs(value, 's')
  if (stated !== null) return stated
  const at = imfFixdateAt(value)
  return at === null ? null : Math.max(0, at - serverNow(headers, now))
}

const AGAIN_IN = /\b(?:try again|retry) in ((?:\d{1,12}(?:\.\d{1,12})?(?:ms|s|m|h|d)){1,5})(?![0-9a-z])/i

/** `Please try again in 41.724s`, as OpenAI and Groq write it. */
function hintOfTexts(texts: readonly string[]): number | null {
  for (const text of texts) {
    const match = AGAIN_IN.exec(text)
    if (match?.[1] !== undefined) return goDurationMs(match[1].toLowerCase())
  }
  return null
}

const isEmpty = (remaining: string | undefined) => remaining?.trim() === '0'

function emptyAnthropicBucketAt(headers: Headers): number | null {
  let latest: number | null = null
  for (const bucket of ['requests', 'tokens', 'input-tokens', 'output-tokens']) {
    if (!isEmpty(headers.get(`anthropic-ratelimit-${bucket}-remaining`))) continue
    const at = rfc3339At((headers.get(`anthropic-ratelimit-${bucket}-reset`) ?? '').trim())
    if (at !== null && (latest === null || at > latest)) latest = at
  }
  return latest
}

function emptyBucketMs(headers: Headers): number | null {
  let longest: number | null = null
  for (const bucket of ['requests', 'tokens']) {
    if (!isEmpty(headers.get(`x-ratelimit-remaining-${bucket}`))) continue
    const text = (headers.get(`x-ratelimit-reset-${bucket}`) ?? '').trim()
    const value = goDurationMs(text) ?? decimalMs(text, 's')
    // Azure has sent 0 and -1 there; neither says anything.
    if (value !== null && value > 0 && (longest === null || value > longest)) longest = value
  }
  return longest
}

function epochOf(value: string | null): number | null {
  return value !== null && /^\d{10,13}(?:\.\d{1,6})?$/.test(value.trim()) ? epochAt(Number(value)) : null
}
