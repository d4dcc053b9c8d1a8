import { describe, expect, it } from 'vitest'
import { goDurationMs } from '../../../src/engines/http/duration.ts'
import { classifyInStream, classifyResponse, type ResponseFacts } from '../../../src/engines/http/failure.ts'
import { nextPacificMidnight } from '../../../src/engines/http/pacific-day.ts'

/** When to come back, in every form of wire.md §10. */
const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const classify = (facts: Partial<ResponseFacts> & { status: number }) => classifyResponse({ api: 'openai-chat', now: NOW, ...facts })
const hint = (headers: Record<string, unknown>, body?: unknown, status = 429) => classify({ status, headers, body }).retryAfterMs
const both = (headers: Record<string, unknown>, body?: unknown, status = 429) => {
  const { retryAfterMs, resetAt } = classify({ status, headers, body })
  return [retryAfterMs, resetAt]
}

describe('C39 retry hints', () => {
  it.each<[unknown, number | null]>([
    ['2', 2000],
    ['0', 0],
    ['2.5', 2500],
    ['29.999', 29_999],
    ['30.001', 30_001],
    ['0.0001', 1],
    [' 4 ', 4000],
    [7, 7000],
    ['600000', 600_000_000],
    ['-5', null],
    ['+5', null],
    ['1e3', null],
    ['soon', null],
    ['NaN', null],
    ['', null],
    ['5.', null],
    ['.5', null],
    ['0x10', null],
    ['9'.repeat(400), null],
    ['Wed, 21 Oct 2026 07:28:25 GMT', 25_000],
    ['Wed, 21 Oct 2026 07:00:00 GMT', 0],
    ['Wednesday, 21-Oct-26 07:28:25 GMT', null],
    ['2026-10-21T07:28:25Z', null],
    ['Wed, 31 Feb 2026 07:28:25 GMT', null],
  ])('retry-after %j is %j ms', (value, ms) => expect(hint({ 'Retry-After': value })).toBe(ms))

  it('measures a date against the date of the response, not our clock', () => {
    expect(hint({ date: 'Wed, 21 Oct 2026 06:00:00 GMT', 'retry-after': 'Wed, 21 Oct 2026 06:00:30 GMT' })).toBe(30_000)
  })

  it('prefers ms, and falls through what is unreadable', () => {
    expect(hint({ 'retry-after': '9', 'RETRY-AFTER-MS': '1500' })).toBe(1500)
    expect(hint({ 'retry-after': '9', 'x-ms-retry-after-ms': '250' })).toBe(250)
    expect(hint({ 'retry-after': '9', 'retry-after-ms': 'x' })).toBe(9000)
    expect(hint({ 'retry-after-ms': '10.2' })).toBe(11)
  })

  it('reads the text of a limit only where no header says more', () => {
    expect(hint({}, 'Rate limit reached. Please try again in 41.724s. Visit x')).toBe(41_724)
    expect(hint({}, { error: { message: 'Please try again in 2m59.56s.' } })).toBe(179_560)
    expect(hint({}, 'Please try again in 12ms')).toBe(12)
    expect(hint({ 'retry-after': '3' }, 'Please try again in 41.724s')).toBe(3000)
    expect(hint({}, 'try again in 5 items')).toBeNull()
    expect(hint({}, 'Please try again in 5s', 400)).toBeNull()
  })

  it('reads resets of empty buckets only', () => {
    expect(hint({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' })).toBe(360_000)
    expect(hint({ 'x-ratelimit-remaining-requests': '12', 'x-ratelimit-reset-requests': '6m0s' })).toBeNull()
    expect(hint({ 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '0' })).toBeNull()
    expect(hint({ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '0' })).toBeNull()
    expect(hint({ 'x-ratelimit-reset-after': '12' })).toBe(12_000)
  })

  it('gives the instant that the provider gave', () => {
    const headers = { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-10-21T07:30:00Z' }
    expect(classify({ status: 429, headers })).toMatchObject({ retryAfterMs: 120_000, resetAt: NOW + 120_000 })
    const seconds = Math.floor(NOW / 1000) + 3600
    expect(classify({ status: 429, body: { error: { code: 'usage_limit_reached', resets_at: seconds } } })).toMatchObject({
      resetAt: NOW + 3_600_000,
    })
    expect(classify({ status: 429, headers: { 'x-ratelimit-reset': String(NOW + 5000) } })).toMatchObject({ resetAt: NOW + 5000 })
    const quoted = { error: { code: 429, message: 'free-models-per-day', metadata: { headers: { 'X-RateLimit-Reset': String(NOW + 9000) } } } }
    expect(classify({ status: 429, body: quoted })).toMatchObject({ kind: 'rate_limited', resetAt: NOW + 9000 })
  })

  it('keeps a hint on a failure that is no limit (C05)', () => expect(hint({ 'retry-after': '3' }, 'x', 503)).toBe(3000))
})

describe('a wait that is stated in the body', () => {
  const retryInfo = (retryDelay: unknown, message = 'Quota exceeded') => ({
    error: { code: 429, status: 'RESOURCE_EXHAUSTED', message, details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }] },
  })

  it.each<[string, unknown, number | null]>([
    ['Gemini RetryInfo', retryInfo('34.07s'), 34_070],
    ['rounded up', retryInfo('34.074824224s'), 34_075],
    ['whole seconds', retryInfo('22s'), 22_000],
    ['nothing to wait', retryInfo('0s'), 0],
    ['a negative one is absent', retryInfo('-1s'), null],
    ['a number is no Duration', retryInfo(22), null],
    ['wrapped in an array', [retryInfo('7s')], 7_000],
    ['as JSON text', JSON.stringify(retryInfo('7s')), 7_000],
    ['quoted by a router', { error: { code: 429, message: 'Provider returned error', metadata: { raw: JSON.stringify(retryInfo('9s')) } } }, 9_000],
    ['Gemini text in seconds', 'Please retry in 10.68s.', 10_680],
    ['Gemini text in ms', 'Please retry in 300ms', 300],
    ['Gemini text beside the field that was cut from it', retryInfo('10s', 'Please retry in 10.689924287s.'), 10_690],
    ['a shorter text does not shorten the field', retryInfo('20s', 'Please retry in 10s.'), 20_000],
    ['Code Assist', 'You have exhausted your capacity on this model. Your quota will reset after 18h31m10s.', 66_670_000],
    ['Code Assist, short', 'Your quota will reset after 39s', 39_000],
    ['OpenAI', { error: { code: 'rate_limit_exceeded', message: 'Rate limit reached for x. Please try again in 41.724s. Visit y' } }, 41_724],
    ['OpenAI, minutes', { error: { code: 'rate_limit_exceeded', message: 'Please try again in 6m0s.' } }, 360_000],
    ['Groq, a day', { error: { code: 'rate_limit_exceeded', message: 'on tokens per day (TPD): … Please try again in 1h2m3.5s.' } }, 3_723_500],
    ['Azure', { error: { code: '429', message: 'Please retry after 26 seconds. Contact Azure support' } }, 26_000],
    ['one minute, in words', 'try again in 1 minute', 60_000],
    ['Codex, relative', { error: { type: 'usage_limit_reached', resets_in_seconds: 90 } }, 90_000],
    ['in capitals', 'TRY AGAIN IN 5S', 5000],
    ['a unit that goes on', 'try again in 5sec', null],
    ['no unit', 'try again in 5', null],
    ['a unit that is the beginning of a word', 'try again in 5 million', null],
    ['more digits than a wait has', `try again in ${'9'.repeat(30)}s`, null],
  ])('%s', (_title, body, ms) => expect(hint({}, body)).toBe(ms))

  it('R16 is not capped', () => {
    expect(hint({ 'retry-after': '2592000' })).toBe(2_592_000_000)
    expect(hint({}, 'Please try again in 40d')).toBe(3_456_000_000)
  })

  it('a header goes before it', () => expect(hint({ 'retry-after': '3' }, retryInfo('34s'))).toBe(3000))

  it('is heard from a provider that is busy or broken too, and from no other', () => {
    expect(hint({}, 'try again in 30s', 503)).toBe(30_000)
    expect(hint({}, retryInfo('30s'), 529)).toBe(30_000)
    expect(hint({}, retryInfo('30s'), 400)).toBeNull()
    expect(hint({}, 'try again in 30s', 401)).toBeNull()
  })

  it('is heard inside a stream', () => {
    const frame = { type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Please try again in 11.054s.' } } }
    expect(classifyInStream({ api: 'openai-responses', error: frame, now: NOW })).toMatchObject({ kind: 'rate_limited', retryAfterMs: 11_054 })
    expect(classifyInStream({ api: 'gemini', error: retryInfo('34.07s'), now: NOW })).toMatchObject({ kind: 'rate_limited', retryAfterMs: 34_070 })
  })

  it('the headers of a 200 with a limit in it count', () => {
    expect(classify({ status: 200, headers: { 'retry-after': '5' }, body: { error: { code: 429 } } })).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 5000,
    })
  })
})

describe('a reset', () => {
  const at = (ms: number) => new Date(NOW + ms).toISOString().replace('.000', '')

  it('of Anthropic: the empty bucket counts, the latest of several, against the date of the response', () => {
    const reset = (bucket: string, ms: number, left: string) => ({
      [`anthropic-ratelimit-${bucket}-remaining`]: left,
      [`anthropic-ratelimit-${bucket}-reset`]: at(ms),
    })
    expect(both({ ...reset('requests', 9000, '12'), ...reset('input-tokens', 60_000, '0') })).toEqual([60_000, NOW + 60_000])
    expect(both({ ...reset('requests', 9000, '0'), ...reset('output-tokens', 60_000, '0') })).toEqual([60_000, NOW + 60_000])
    expect(both(reset('tokens', 60_000, '500'))).toEqual([null, null])
    expect(both({ ...reset('tokens', 60_000, '0'), date: 'Wed, 21 Oct 2026 07:28:30 GMT' })).toEqual([30_000, NOW + 30_000])
    expect(both(reset('tokens', -60_000, '0'))).toEqual([0, NOW])
  })

  it('of a bucket that says nothing about what is left counts when no other is empty', () => {
    expect(hint({ 'anthropic-ratelimit-output-tokens-reset': at(60_000) })).toBe(60_000)
    expect(hint({ 'x-ratelimit-reset-requests': '2m59.56s' })).toBe(179_560)
    expect(hint({ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' })).toBe(360_000)
    const emptied = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }
    expect(hint(emptied)).toBe(1000)
  })

  it('of a subscription: the window that rejected, not the longest one', () => {
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(NOW / 1000 + 3600),
      'anthropic-ratelimit-unified-7d-reset': String(NOW / 1000 + 500_000),
    }
    expect(both(headers)).toEqual([3_600_000, NOW + 3_600_000])
    expect(hint({ ...headers, 'anthropic-ratelimit-unified-status': 'allowed' })).toBeNull()
  })

  it.each<[Record<string, string>, number | null]>([
    [{ 'x-ratelimit-reset-requests': '12ms' }, 12],
    [{ 'x-ratelimit-reset-requests': '1s' }, 1000],
    [{ 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [{ 'x-ratelimit-reset-tokens_usage_based': '9ms' }, 9],
    [{ 'x-ratelimit-reset-tokens': '950\u00b5s' }, 1],
    [{ 'x-ratelimit-reset-tokens': '42' }, 42_000],
    [{ 'x-ratelimit-reset-tokens': '0s' }, null],
    [{ 'x-ratelimit-reset-tokens': '-1' }, null],
    [{ 'x-ratelimit-reset-tokens': 'soon' }, null],
    [{ 'x-ratelimit-limit-tokens': '-1', 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '0' }, null],
    [{ 'x-ratelimit-remaining-tokens': '-1', 'x-ratelimit-reset-tokens': '7' }, 7000],
    [{ 'x-ratelimit-remaining-tokens': '0.0', 'x-ratelimit-reset-tokens': '7' }, 7000],
    [{ 'x-ratelimit-reset-after': '12.5' }, 12_500],
    [{ 'x-ratelimit-reset-after': '0' }, null],
    [{ 'x-ratelimit-reset': '30' }, null],
    [{ 'x-ratelimit-remaining': '4', 'x-ratelimit-reset-after': '12' }, null],
  ])('%j', (headers, ms) => expect(hint(headers)).toBe(ms))

  it.each(['x-ratelimit-reset', 'X-RateLimit-Reset-Requests'])('%s as an epoch, in seconds or ms', (name) => {
    expect(both({ [name]: String(NOW / 1000 + 90) })).toEqual([90_000, NOW + 90_000])
    expect(both({ [name]: String(NOW + 90_000) })).toEqual([90_000, NOW + 90_000])
    expect(both({ [name]: String(NOW / 1000 + 90), date: 'Wed, 21 Oct 2026 07:27:00 GMT' })).toEqual([150_000, NOW + 150_000])
  })

  it('of buckets belongs to a limit: on every other failure the same headers say nothing', () => {
    expect(hint({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6m0s' }, undefined, 503)).toBeNull()
    expect(hint({ 'anthropic-ratelimit-output-tokens-reset': at(60_000) }, undefined, 529)).toBeNull()
  })

  it('of Codex is an instant in the body', () => {
    const body = { error: { type: 'usage_limit_reached', plan_type: 'plus', message: 'x', resets_at: NOW / 1000 + 7200, resets_in_seconds: 1 } }
    expect(both({}, body)).toEqual([7_200_000, NOW + 7_200_000])
    expect(both({}, { error: { ...body.error, resets_at: at(60_000) } })).toEqual([60_000, NOW + 60_000])
    expect(both({}, { error: { ...body.error, resets_at: NOW / 1000 - 5 } })).toEqual([0, NOW])
  })

  it('of Code Assist is an instant in the details', () => {
    const metadata = { quotaResetDelay: '5s', quotaResetTimeStamp: at(90_000) }
    expect(both({}, { error: { code: 429, details: [{ reason: 'QUOTA_EXHAUSTED', metadata }] } })).toEqual([90_000, NOW + 90_000])
    const delayed = { error: { code: 429, details: [{ metadata: { quotaResetDelay: '479.417207ms' } }] } }
    expect(both({}, delayed)).toEqual([480, null])
  })
})

describe('a quota of a day against one of a minute (faces.md §2, wire.md §4)', () => {
  const passed = (quotaIds: readonly string[], retryDelay?: string, message = 'You exceeded your current quota, please check your plan') => ({
    error: {
      code: 429,
      status: 'RESOURCE_EXHAUSTED',
      message,
      details: [{ violations: quotaIds.map((quotaId) => ({ quotaId })) }, ...(retryDelay === undefined ? [] : [{ retryDelay }])],
    },
  })
  const DAY = 'GenerateRequestsPerDayPerProjectPerModel-FreeTier'
  const MINUTE = 'GenerateRequestsPerMinutePerProjectPerModel-FreeTier'
  /** 07:28 UTC is 00:28 in summer on the Pacific coast. */
  const MIDNIGHT = Date.UTC(2026, 9, 22, 7)

  it('a minute ends when it says so', () => expect(both({}, passed([MINUTE], '22s'))).toEqual([22_000, null]))

  it('a day ends at midnight Pacific time; the hint stays as it was stated', () => {
    expect(classify({ status: 429, body: passed([DAY], '22s') })).toMatchObject({ kind: 'rate_limited', retryAfterMs: 22_000, resetAt: MIDNIGHT })
    expect(both({}, passed([MINUTE, DAY], '10s'))).toEqual([10_000, MIDNIGHT])
    expect(both({}, passed([DAY]))).toEqual([null, MIDNIGHT])
    const named = { error: { code: 429, details: [{ metadata: { quota_limit: 'GenerateRequestsPerDayPerProject' } }] } }
    expect(both({}, named)).toEqual([null, MIDNIGHT])
    expect(classifyInStream({ api: 'gemini', error: passed([DAY], '22s'), now: NOW })).toMatchObject({ kind: 'rate_limited', resetAt: MIDNIGHT })
  })

  it('a day that is spent is no quota for good', () => {
    expect(classify({ status: 429, body: passed([DAY], '22s', 'Quota exhausted.') }).kind).toBe('rate_limited')
    expect(classify({ status: 429, body: passed([MINUTE], '22s', 'Quota exhausted.') }).kind).toBe('quota_exhausted')
  })

  it('counts from the clock of the response', () => {
    expect(both({ date: 'Wed, 21 Oct 2026 06:59:00 GMT' }, passed([DAY], '22s'))).toEqual([22_000, NOW + 60_000])
  })

  it('what the response itself says goes before the calendar', () => {
    expect(both({}, passed([DAY], '22s', 'Your quota will reset after 18h31m10s.'))).toEqual([66_670_000, null])
    expect(both({ 'retry-after': '40' }, passed([DAY], '22s'))).toEqual([40_000, null])
    expect(both({}, passed([DAY], '100000s'))).toEqual([100_000_000, null])
  })

  it('no reset is invented where none is known', () => {
    expect(both({}, { error: { message: 'Rate limit exceeded: free-models-per-day' } })).toEqual([null, null])
    expect(both({}, 'Requests per day (RPD): Limit 200, Used 200')).toEqual([null, null])
  })

  it('in words: a day with a reset is a limit, a balance is none', () => {
    const kind = (body: string, headers = {}) => classify({ status: 429, headers, body }).kind
    expect(kind('Quota exhausted: 200 requests per day. Please try again in 7m12s.')).toBe('rate_limited')
    expect(kind('Quota exhausted for the weekly window', { 'retry-after': '86400' })).toBe('rate_limited')
    expect(kind('Quota exhausted. Please try again in 7m12s.')).toBe('quota_exhausted')
    const body = { error: { code: 429, message: 'Quota exhausted: 200 requests per day' } }
    expect(classify({ status: 200, headers: { 'retry-after': '60' }, body }).kind).toBe('rate_limited')
    expect(kind('Insufficient balance. Your daily limit resets later.', { 'retry-after': '60' })).toBe('quota_exhausted')
  })
})

describe('the Pacific day', () => {
  it.each([
    ['winter', '2026-01-10T12:00:00Z', '2026-01-11T08:00:00Z'],
    ['summer', '2026-07-10T12:00:00Z', '2026-07-11T07:00:00Z'],
    ['before midnight there, after it in UTC', '2026-07-10T06:59:59Z', '2026-07-10T07:00:00Z'],
    ['at midnight', '2026-07-10T07:00:00Z', '2026-07-11T07:00:00Z'],
    ['the day that loses an hour', '2026-03-08T08:30:00Z', '2026-03-09T07:00:00Z'],
    ['the day that gains one', '2026-11-01T07:30:00Z', '2026-11-02T08:00:00Z'],
  ])('%s', (_title, at, midnight) => expect(nextPacificMidnight(Date.parse(at))).toBe(Date.parse(midnight)))

  it('has no midnight beyond the calendar', () => {
    expect(nextPacificMidnight(Number.NaN)).toBeNull()
    expect(nextPacificMidnight(9e15)).toBeNull()
  })
})

describe('Go durations', () => {
  it.each<[string, number | null]>([
    ['1.1h', 3_960_000],
    ['2m59.56s', 179_560],
    ['479.417207ms', 480],
    ['1d2h', 93_600_000],
    ['5', null],
    ['s', null],
    ['1s ', null],
    ['1S', null],
    ['-1s', null],
  ])('%s', (text, ms) => expect(goDurationMs(text)).toBe(ms))
})
