import { decimalMs, epochAt, FARTHEST_MS, goDurationMs, rfc3339At } from './duration.ts'
import type { Headers } from './headers.ts'

/** When a bucket of a limit is full again, from the moment of the response. */
export interface BucketReset {
  readonly aheadMs: number
  /** The header gave an instant, not a length. */
  readonly isInstant: boolean
}

interface Bucket extends BucketReset {
  readonly empty: boolean
}

/**
 * The reset of the bucket that a limit has emptied (wire.md §10).
 *
 * 1. A reset is the time to a full bucket, not to the next slot. So a bucket that has something left says nothing about this limit.
 * 2. A bucket that the response says is empty goes before one of which it does not say what is left.
 * 3. Of several the one that takes longest counts: all of them have to have something. One that is not to be believed hides no other.
 */
export function emptiedBucket(headers: Headers, serverNow: number): BucketReset | null {
  const stated = [...anthropicBuckets(headers, serverNow), ...namedBuckets(headers, serverNow)]
  const believed = stated.filter((bucket) => bucket.aheadMs <= FARTHEST_MS)
  const buckets = believed.length > 0 ? believed : stated
  return longest(buckets.filter((bucket) => bucket.empty)) ?? longest(buckets)
}

function longest(buckets: readonly Bucket[]): BucketReset | null {
  return buckets.reduce<Bucket | null>((kept, bucket) => (kept === null || bucket.aheadMs > kept.aheadMs ? bucket : kept), null)
}

/** What `…-remaining` says: null for a bucket with something left. Azure has sent -1, which says nothing. */
function emptiness(remaining: string | undefined): 'empty' | 'unsaid' | null {
  const text = remaining?.trim() ?? ''
  if (!/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) || text.startsWith('-')) return 'unsaid'
  return Number(text) === 0 ? 'empty' : null
}

function instantOf(text: string, serverNow: number): BucketReset | null {
  const at = rfc3339At(text) ?? epochOf(text)
  return at === null ? null : { aheadMs: Math.max(0, at - serverNow), isInstant: true }
}

/** `anthropic-ratelimit-<bucket>-reset`, an RFC 3339 instant. */
function* anthropicBuckets(headers: Headers, serverNow: number): Generator<Bucket> {
  for (const [name, value] of headers) {
    const bucket = between(name, 'anthropic-ratelimit-', '-reset')
    // The windows of a subscription are summed up in `unified`; the single ones say how full they are in another way.
    if (bucket === null || bucket.startsWith('unified-')) continue
    const state = bucket === 'unified' ? unifiedState(headers) : emptiness(headers.get(`anthropic-ratelimit-${bucket}-remaining`))
    const reset = state === null ? null : instantOf(value.trim(), serverNow)
    if (reset !== null) yield { ...reset, empty: state === 'empty' }
  }
}

function unifiedState(headers: Headers): 'empty' | 'unsaid' | null {
  const status = headers.get('anthropic-ratelimit-unified-status')?.trim().toLowerCase()
  if (status === undefined) return 'unsaid'
  return status === 'rejected' ? 'empty' : null
}

/** `x-ratelimit-reset-<bucket>`, a Go duration (OpenAI, Groq) or plain seconds (Azure); zero and less is absent, Azure has sent both. */
function* namedBuckets(headers: Headers, serverNow: number): Generator<Bucket> {
  for (const [name, value] of headers) {
    const bucket = between(name, 'x-ratelimit-reset-', '')
    if (bucket === null || bucket === 'after') continue
    const state = emptiness(headers.get(`x-ratelimit-remaining-${bucket}`))
    const reset = state === null ? null : namedReset(value.trim(), serverNow)
    if (reset !== null) yield { ...reset, empty: state === 'empty' }
  }
}

function namedReset(text: string, serverNow: number): BucketReset | null {
  const instant = instantOf(text, serverNow)
  if (instant !== null) return instant
  const aheadMs = goDurationMs(text) ?? decimalMs(text, 's')
  return aheadMs === null || aheadMs <= 0 ? null : { aheadMs, isInstant: false }
}

/** `x-ratelimit-reset-after` in seconds, else `x-ratelimit-reset` as an epoch; both belong to one bucket without a name. */
export function unnamedBucket(headers: Headers, quoted: string | null, serverNow: number): BucketReset | null {
  if (emptiness(headers.get('x-ratelimit-remaining')) === null) return null
  const aheadMs = decimalMs(headers.get('x-ratelimit-reset-after')?.trim() ?? '', 's')
  if (aheadMs !== null && aheadMs > 0) return { aheadMs, isInstant: false }
  return instantOf((headers.get('x-ratelimit-reset') ?? quoted ?? '').trim(), serverNow)
}

function epochOf(text: string): number | null {
  return /^\d{10,13}(?:\.\d{1,6})?$/.test(text) ? epochAt(Number(text)) : null
}

function between(name: string, start: string, end: string): string | null {
  const inside = name.length - start.length - end.length
  return inside > 0 && name.startsWith(start) && name.endsWith(end) ? name.slice(start.length, start.length + inside) : null
}
