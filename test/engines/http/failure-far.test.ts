import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyInStream, classifyResponse } from '../../../src/engines/http/failure.ts'
import type { HeaderSource } from '../../../src/engines/http/headers.ts'
import { limitMs } from '../../../src/policy/hold.ts'
import { sound, withProfiles } from '../../config/support.ts'

/** 40 days and an hour: nothing that is stated to end later is believed. */
const FARTHEST_MS = (40 * 24 + 1) * 3_600_000
const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const DEFAULT_MS = 10_000
const { reliability } = sound(withProfiles({}))
const classify = (headers: HeaderSource, body?: unknown, status = 429) => classifyResponse({ api: 'openai-chat', now: NOW, status, headers, body })
const at = (ms: number) => new Date(NOW + ms).toISOString()
const WARNED = 'too far ahead to be believed'

/** Every place in which a wait or a reset is stated, made of how far ahead it lies. */
const PLACES: readonly (readonly [string, (ms: number) => { headers?: HeaderSource; body?: unknown }])[] = [
  ['retry-after in seconds', (ms) => ({ headers: { 'retry-after': (ms / 1000).toFixed(3) } })],
  ['retry-after-ms', (ms) => ({ headers: { 'retry-after-ms': String(ms) } })],
  ['x-ms-retry-after-ms', (ms) => ({ headers: { 'x-ms-retry-after-ms': String(ms) } })],
  ['retry-after as a date', (ms) => ({ headers: { 'retry-after': new Date(NOW + ms).toUTCString() } })],
  ['a bucket of Anthropic', (ms) => ({ headers: { 'anthropic-ratelimit-tokens-reset': at(ms) } })],
  ['a bucket of OpenAI', (ms) => ({ headers: { 'x-ratelimit-reset-tokens': `${Math.ceil(ms / 1000)}s` } })],
  ['x-ratelimit-reset-after', (ms) => ({ headers: { 'x-ratelimit-reset-after': String(Math.ceil(ms / 1000)) } })],
  ['x-ratelimit-reset', (ms) => ({ headers: { 'x-ratelimit-reset': String(NOW + ms) } })],
  ['resets_at', (ms) => ({ body: { error: { message: 'x', resets_at: Math.ceil((NOW + ms) / 1000) } } })],
  ['resets_in_seconds', (ms) => ({ body: { error: { message: 'x', resets_in_seconds: ms / 1000 } } })],
  [
    'RetryInfo',
    (ms) => ({ body: { error: { message: 'x', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${ms / 1000}s` }] } } }),
  ],
  ['try again in', (ms) => ({ body: `Please try again in ${(ms / 1000).toFixed(3)}s` })],
  ['try again in, in words', (ms) => ({ body: `try again in ${Math.ceil(ms / 1000)} seconds` })],
  ['resets in', (ms) => ({ body: `Your quota will reset after ${Math.ceil(ms / 3_600_000)}h` })],
]

describe('LIMIT-07 a wait that is stated far ahead', () => {
  it.each<[string, HeaderSource, unknown]>([
    ['Retry-After: 1e12 in digits', { 'retry-after': '1000000000000' }, undefined],
    ['Retry-After: 1e12 as it is written', { 'retry-after': '1e12' }, undefined],
    ['resets in 99999h', {}, 'Your limit resets in 99999h'],
    ['the year 9999, as a date', { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, undefined],
    ['the year 9999, as a bucket', { 'anthropic-ratelimit-requests-reset': '9999-12-31T23:59:59Z' }, undefined],
    ['NaN', { 'retry-after': 'NaN' }, { error: { message: 'x', resets_in_seconds: Number.NaN, resets_at: Number.NaN } }],
    ['a negative one', { 'retry-after': '-1', 'retry-after-ms': '-1' }, { error: { message: 'x', resets_in_seconds: -1, resets_at: -1 } }],
    ['more digits than a wait has', { 'retry-after': '9'.repeat(400) }, undefined],
    ['a number beyond the calendar', { 'retry-after': '999999999999999' }, 'Please try again in 999999999999h'],
  ])('%s: the default wait', (_title, headers, body) => {
    const told = classify(headers, body)
    expect([told.kind, told.retryAfterMs, told.resetAt]).toEqual(['rate_limited', null, null])
    expect(limitMs(told, reliability, NOW)).toBe(DEFAULT_MS)
  })

  it.each(PLACES)('%s: one hour beyond 40 days counts, a second more does not, and the words of the failure say so', (_place, make) => {
    const { headers = {}, body } = make(FARTHEST_MS)
    expect(classify(headers, body).retryAfterMs).toBe(FARTHEST_MS)
    expect(classify(headers, body).message).not.toContain(WARNED)
    const far = make(FARTHEST_MS + 3_600_000)
    expect(classify(far.headers ?? {}, far.body)).toMatchObject({ retryAfterMs: null, resetAt: null, message: expect.stringContaining(WARNED) })
  })

  it('whatever is stated, wherever: never more than that ahead, never less than nothing', () => {
    const number = fc.oneof(
      fc.double(),
      fc.double({ min: 0, max: 1e20 }),
      fc.integer(),
      fc.constantFrom(1e12, 2 ** 31, 2 ** 53, -1, Number.NaN, 8.64e15),
    )
    fc.assert(
      fc.property(fc.constantFrom(...PLACES), number, fc.constantFrom(429, 503, 529, 400), ([, make], ms, status) => {
        let stated: ReturnType<typeof make>
        try {
          stated = make(ms)
        } catch {
          return // No date of JavaScript says it.
        }
        const { retryAfterMs, resetAt } = classify(stated.headers ?? {}, stated.body, status)
        if (retryAfterMs !== null) expect(retryAfterMs).toSatisfy((wait: number) => wait >= 0 && wait <= FARTHEST_MS)
        if (resetAt !== null) expect(resetAt).toSatisfy((reset: number) => reset >= NOW && reset <= NOW + FARTHEST_MS)
        expect(limitMs(classify(stated.headers ?? {}, stated.body, status), reliability, NOW)).toBeLessThanOrEqual(FARTHEST_MS)
      }),
      { numRuns: 500 },
    )
  })

  it('hides no other that can be read', () => {
    expect(classify({ 'retry-after': '1000000000000' }, 'Please try again in 7s').retryAfterMs).toBe(7000)
    const buckets = { 'anthropic-ratelimit-requests-reset': '9999-12-31T23:59:59Z', 'anthropic-ratelimit-tokens-reset': at(60_000) }
    expect(classify(buckets).retryAfterMs).toBe(60_000)
  })

  it('makes no quota of a day a limit that can be waited out', () => {
    const body = { error: { code: 429, message: 'You exceeded your current quota per day. Please try again in 99999h' } }
    expect(classify({}, body).kind).toBe(classify({}, { error: { ...body.error, message: 'You exceeded your current quota per day.' } }).kind)
  })

  it('is told inside a stream as well, and within the length of a message', () => {
    const error = { code: 'rate_limit_exceeded', message: `${'x'.repeat(600)}` }
    const told = classifyInStream({ api: 'openai-chat', error: { error: { ...error, resets_in_seconds: 1e11 } }, now: NOW })
    expect(told.message).toHaveLength(500)
    expect(told.message).toContain(WARNED)
  })
})
