import { existsSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classifyErrno, classifyInStream, classifyResponse, type ResponseFacts } from '../../../src/engines/http/failure.ts'
import { FAILURE_KINDS, type FailureKind } from '../../../src/model/failure.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const classify = (facts: Partial<ResponseFacts> & { status: number }) => classifyResponse({ api: 'openai-chat', now: NOW, ...facts })
const kindOf = (status: number, body?: unknown) => classify({ status, body }).kind

describe('R17 the status decides', () => {
  it.each<[number, FailureKind]>([
    [302, 'invalid_request'],
    [400, 'invalid_request'],
    [401, 'auth'],
    [402, 'quota_exhausted'],
    [403, 'forbidden'],
    [404, 'model_not_found'],
    [408, 'timeout'],
    [409, 'invalid_request'],
    [413, 'invalid_request'],
    [422, 'invalid_request'],
    [425, 'invalid_request'],
    [429, 'rate_limited'],
    [498, 'invalid_request'],
    [499, 'invalid_request'],
    [500, 'server_error'],
    [502, 'server_error'],
    [503, 'server_error'],
    [504, 'server_error'],
    [529, 'overloaded'],
    [599, 'server_error'],
    [0, 'unknown'],
    [700, 'unknown'],
  ])('%i is %s', (status, kind) => {
    expect(kindOf(status)).toBe(kind)
    expect(classify({ status }).status).toBe(status)
  })

  it.each([
    ['a 500 that says unauthorized', 500, 'unauthorized', 'server_error'],
    ['a 401 that says try again later', 401, 'temporarily unavailable, try again later', 'auth'],
    ['a 500 with digits in it', 500, 'error in generated reply, trace 4290, 450 tokens', 'server_error'],
    ['a 503 that names port 429', 503, 'upstream 10.0.0.7:429 refused', 'server_error'],
    ['a 400 that says insufficient balance', 400, 'insufficient balance', 'invalid_request'],
    ['a 500 that says rate limit', 500, { error: { type: 'rate_limit_error', message: 'rate limit' } }, 'server_error'],
  ] as const)('%s stays what it is', (_title, status, body, kind) => expect(kindOf(status, body)).toBe(kind))
})

describe('C37 typed codes refine a status', () => {
  it.each<[string, number, unknown, FailureKind]>([
    ['overloaded_error in a 5xx', 500, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['overloaded_error with 529', 529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    [
      'a rejected tool call',
      400,
      { error: { code: 'tool_use_failed', message: 'tool call validation failed: x was not in request' } },
      'tool_schema',
    ],
    ['a rejected tool call without a code', 400, 'Tool call validation failed: x was not in request', 'tool_schema'],
    ['a filtered prompt', 400, { error: { code: 'content_filter', message: 'The response was filtered' } }, 'refusal'],
    ['an unknown model', 404, { error: { code: 'model_not_found', message: 'no such model', type: 'invalid_request_error' } }, 'model_not_found'],
  ])('%s', (_title, status, body, kind) => expect(kindOf(status, body)).toBe(kind))
})

describe('C38 a 429 that cannot be waited out', () => {
  it.each([
    { error: { code: 'insufficient_quota', message: 'You exceeded your current quota, please check your plan and billing details.' } },
    '{"code":1311,"message":"the current account plan does not include glm-5"}',
    '{"code":1113,"message":"please recharge"}',
    '{"error":{"code":"1113","message":"x"}}',
    'Your plan doesn\u2019t include this model',
    'This model is not included in your plan',
    'INSUFFICIENT  BALANCE',
    { error: { message: 'You are out of credits' } },
    'no available package',
    'package not active, purchase package first',
    'Model not available for your plan',
    { detail: 'Quota exhausted' },
  ])('%j', (body) => expect(kindOf(429, body)).toBe('quota_exhausted'))

  it.each([
    'quota reached',
    'You exceeded your current quota',
    'request 1113 of 1311 was limited',
    'cannot include more',
    { error: { code: 'rate_limit_exceeded', type: 'tokens', message: 'Rate limit reached: too many tokens per min' } },
    { error: { code: 429, message: 'Provider returned error', metadata: { raw: 'temporarily rate-limited upstream' } } },
  ])('anything else is a limit: %j', (body) => expect(kindOf(429, body)).toBe('rate_limited'))

  it('a quota of a day or longer with a readable reset stays a limit', () => {
    const failed = classify({ status: 429, body: 'Quota exhausted: 200 requests per day. Please try again in 7m12s.' })
    expect(failed).toMatchObject({ kind: 'rate_limited', retryAfterMs: 432_000 })
    expect(kindOf(429, 'Quota exhausted: 200 requests per day.')).toBe('quota_exhausted')
  })
})

describe('R20 the context window is told at any status', () => {
  it.each([
    [400, { error: { code: 'context_length_exceeded', message: "This model's maximum context length is 8192 tokens." } }],
    [400, 'request (8968 tokens) exceeds the available context size (8448 tokens), try increasing it'],
    [400, { type: 'error', error: { type: 'invalid_request_error', message: 'prompt is too long: 201000 tokens > 200000 maximum' } }],
    [413, { error: { message: 'Input is too long for this model' } }],
    [500, 'the prompt exceeds the context window'],
    [429, 'token limit exceeded'],
  ] as const)('%i %j', (status, body) => expect(kindOf(status, body)).toBe('context_window'))

  it('a 400 without its words is an ordinary bad request', () => expect(kindOf(400, 'bad temperature')).toBe('invalid_request'))
})

describe('C39 retry hints', () => {
  const hint = (headers: Record<string, unknown>, body?: unknown, status = 429) => classify({ status, headers, body }).retryAfterMs

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

describe('an error inside a 200', () => {
  const inStream = (error: unknown) => classifyInStream({ api: 'openai-chat', error, now: NOW })
  it.each<[string, unknown, FailureKind]>([
    ['Anthropic overloaded', { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
    ['Anthropic api_error', { type: 'error', error: { type: 'api_error', message: 'Internal' } }, 'server_error'],
    ['Anthropic rate limit', { type: 'error', error: { type: 'rate_limit_error', message: 'x' } }, 'rate_limited'],
    ['OpenRouter by code', { error: { code: 502, message: 'bad gateway' }, choices: [] }, 'server_error'],
    ['OpenRouter 400', { error: { code: 400, message: 'Token limit reached' } }, 'invalid_request'],
    ['Groq tool', { error: { code: 'tool_use_failed', type: 'invalid_request_error', status_code: 400, message: 'x' } }, 'tool_schema'],
    ['OpenAI quota', { error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' } }, 'quota_exhausted'],
    ['vLLM', { object: 'error', message: 'x', type: 'BadRequestError', code: 400 }, 'invalid_request'],
    ['xAI text', { code: 'The service is busy', error: 'The model is at capacity' }, 'unknown'],
    ['context window by word', { error: { message: 'This exceeds the context window' } }, 'context_window'],
    ['nothing typed', { error: { message: 'boom 429 401' } }, 'unknown'],
  ])('%s', (_title, error, kind) => {
    expect(inStream(error)).toMatchObject({ kind, status: null, phase: 'stream' })
  })

  it('a 200 whose whole body is an error', () => {
    expect(classify({ status: 200, body: '{"error":{"type":"overloaded_error","message":"x"}}' })).toMatchObject({ kind: 'overloaded', status: 200 })
    expect(classify({ status: 200, body: '<!doctype html><title>gateway</title>' })).toMatchObject({ kind: 'protocol' })
    expect(classify({ status: 200, body: '' })).toMatchObject({ kind: 'protocol' })
  })
})

describe('a broken connection', () => {
  it.each<[string, FailureKind]>([
    ['ECONNRESET', 'network'],
    ['ENOTFOUND', 'network'],
    ['ETIMEDOUT', 'network'],
    ['UND_ERR_SOCKET', 'network'],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
    ['UND_ERR_HEADERS_TIMEOUT', 'timeout'],
    ['UND_ERR_BODY_TIMEOUT', 'timeout'],
    ['HPE_INVALID_CONSTANT', 'protocol'],
    ['tcp connect error: 10.0.0.7:443 unreachable', 'network'],
  ])('%s is %s', (code, kind) => expect(classifyErrno(code)).toMatchObject({ kind, status: null, code }))
})

describe('hostile bodies', () => {
  const anyBody = fc.oneof(fc.string(), fc.anything(), fc.json(), fc.record({ error: fc.anything() }))

  it('never throws and always answers with a kind', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), anyBody, (status, headers, body) => {
        const failed = classifyResponse({ api: 'x', status: status as number, headers: headers as Record<string, unknown>, body, now: NOW })
        expect(FAILURE_KINDS).toContain(failed.kind)
        expect(failed.message.length).toBeLessThanOrEqual(500)
        const frame = classifyInStream({ api: 'x', error: body, now: NOW })
        expect(FAILURE_KINDS).toContain(frame.kind)
        expect(frame.status).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('R17 never reads a status out of text', () => {
    const noise = fc.array(
      fc.oneof(fc.constantFrom('401', '402', '403', '404', '408', '413', '429', '529', ':443', '5000 tokens', 'error', 'status'), fc.string()),
    )
    fc.assert(
      fc.property(noise, fc.constantFrom(400, 500, 503), (words, status) => {
        const text = words.join(' ')
        fc.pre(!/context|tokens? limit|too many tokens|too long|max length|validation/i.test(text))
        expect(kindOf(status, text)).toBe(kindOf(status))
        expect(kindOf(status, { error: { message: text } })).toBe(kindOf(status))
        expect(classifyInStream({ api: 'x', error: { error: { message: text } }, now: NOW }).kind).toBe('unknown')
      }),
    )
  })

  it('looks at 64 KiB of a body and no further', () => {
    expect(kindOf(400, `${' '.repeat(70_000)}prompt is too long`)).toBe('invalid_request')
    expect(kindOf(400, `${'x '.repeat(30_000)}prompt is too long`)).toBe('context_window')
  })

  it.each([
    ['one long word', 'a'.repeat(5_000_000)],
    ['half phrases', 'too many '.repeat(500_000)],
    ['half durations', 'try again in 1'.repeat(300_000)],
    ['digits', `try again in ${'1'.repeat(5_000_000)}`],
    ['brackets', '['.repeat(5_000_000)],
    ['spaces', ' '.repeat(5_000_000)],
  ])('is linear in the text: %s', (_title, body) => {
    const started = process.cpuUsage()
    classify({ status: 429, body })
    const spent = process.cpuUsage(started)
    // A pattern that backtracked over 64 KiB would need seconds.
    expect(spent.user / 1000).toBeLessThan(500)
  })
})

const ERRORS = new URL('../../../../shared/corpus/streams/errors/errors.json', import.meta.url)
const present = existsSync(ERRORS)
if (!present) console.warn('SKIPPED recorded error bodies: ../shared/corpus/streams/errors is not there')

describe.skipIf(!present)('recorded error bodies', () => {
  const recorded = present ? (JSON.parse(readFileSync(ERRORS, 'utf8')) as { host: string; status: number; body: unknown }[]) : []
  it('each is what its status says, and its words are kept', () => {
    expect(recorded.length).toBeGreaterThan(20)
    for (const { status, body } of recorded) {
      const typed = JSON.stringify(body).includes('tool_use_failed')
      const expected = status === 404 ? 'model_not_found' : status === 429 ? 'rate_limited' : typed ? 'tool_schema' : 'invalid_request'
      expect(classify({ status, body }).kind).toBe(expected)
      expect(classify({ status, body: typeof body === 'string' ? body : JSON.stringify(body) })).toEqual(classify({ status, body }))
      expect(classify({ status, body }).message.length).toBeGreaterThan('HTTP 400: '.length)
    }
  })
})
