import fc from 'fast-check'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { classifyErrno, classifyInStream, classifyResponse } from '../../../src/engines/http/failure.ts'
import { FAILURE_KINDS, type Failure } from '../../../src/model/failure.ts'
import { parse, readTree, walk } from '../../architecture/source.ts'
import { filledWith, growth, LARGE, STEEPEST } from './growth.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const classify = (status: number, body: unknown, headers: unknown = {}) =>
  classifyResponse({ api: 'x', status, headers: headers as Record<string, unknown>, body, now: NOW })

/** Keys that the classifier looks at, with anything behind them. */
const KEYS = ['error', 'errors', 'code', 'type', 'status', 'status_code', 'message', 'detail', 'msg', 'metadata', 'raw', 'details', 'response']
const MORE = ['innererror', '__type', 'object', 'resets_at', 'resets_in_seconds', 'headers', 'reasons', 'violations', 'quotaId', 'retryDelay']
const { body: shaped } = fc.letrec<{ body: unknown }>((tie) => ({
  body: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.anything(),
    fc.constantFrom('error', 'insufficient_quota', 'RESOURCE_EXHAUSTED', '22s', '429', 1113, 503, -1, 1e300, 'GenerateRequestsPerDay'),
    fc.array(tie('body'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS, ...MORE), tie('body'), { maxKeys: 5 }),
  ),
}))
const anyBody = fc.oneof(
  fc.string(),
  fc.json(),
  shaped,
  shaped.map((value) => safeJson(value)),
  fc.uint8Array().map((bytes) => new TextDecoder().decode(bytes)),
)
const HEADERS = ['retry-after', 'Retry-After-Ms', 'x-ratelimit-reset', 'x-ratelimit-reset-requests', 'x-ratelimit-remaining-requests', 'date']
const anyHeaders = fc.oneof(fc.anything(), fc.dictionary(fc.constantFrom(...HEADERS, 'x-amzn-errortype'), fc.oneof(fc.string(), fc.anything())))

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch {
    return ''
  }
}

function expectSound(failed: Failure): void {
  expect(FAILURE_KINDS).toContain(failed.kind)
  expect(failed.message.length).toBeLessThanOrEqual(500)
  for (const value of [failed.retryAfterMs, failed.resetAt]) {
    if (value === null) continue
    expect(Number.isInteger(value) && value >= 0).toBe(true)
    // A time that a caller can write down.
    expect(Number.isNaN(new Date(failed.resetAt ?? NOW + value).getTime())).toBe(false)
  }
}

describe('whatever comes', () => {
  it('never throws, and always answers with a kind, a short message and a time that exists', () => {
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.integer({ min: 100, max: 599 }), fc.anything()), anyHeaders, anyBody, (api, status, headers, body) => {
        expectSound(classifyResponse({ api, status: status as number, headers: headers as Record<string, unknown>, body, now: NOW }))
        expectSound(classifyInStream({ api, error: body, now: NOW }))
      }),
      { numRuns: 1000 },
    )
  })

  it('never throws on an instant, a code or an origin that is none', () => {
    fc.assert(
      fc.property(fc.double(), fc.string(), anyBody, (now, code, body) => {
        expect(FAILURE_KINDS).toContain(classifyResponse({ api: 'x', status: 429, body, now }).kind)
        expect(['network', 'timeout', 'protocol']).toContain(classifyErrno(code).kind)
      }),
    )
  })

  it('a body that nests deep is no reason to fail', () => {
    for (const open of ['[', '{"error":', '{"message":[', '{"error":{"metadata":{"raw":']) {
      expect(FAILURE_KINDS).toContain(classify(429, open.repeat(20_000)).kind)
    }
    expect(classify(429, `${'['.repeat(30_000)}${']'.repeat(30_000)}`).kind).toBe('rate_limited')
  })

  it('R17 the code of a broken connection is read by its end, and a port in it is none', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 65_535 }), fc.constantFrom('ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH'), (port, code) => {
        expect(classifyErrno(`connect ${code} 10.0.0.7:${port}`)).toMatchObject({ kind: 'network', status: null })
      }),
    )
    expect(classifyErrno('ERR_HTTP2_STREAM_TIMEOUT').kind).toBe('timeout')
    expect(classifyErrno('ETIMEDOUT').kind).toBe('network')
    expect(classifyErrno('the read TIMEOUT').kind).toBe('network')
  })
})

describe('R17 no number in a text is a status', () => {
  const NUMBERS = [
    '401',
    '402',
    '403',
    '404',
    '408',
    '413',
    '429',
    '498',
    '500',
    '503',
    '529',
    '1113',
    '1311',
    ':443',
    ':429',
    '429 Too Many Requests',
  ]
  const noise = fc.array(fc.oneof(fc.constantFrom(...NUMBERS, '5000 tokens', 'error', 'status', 'code: 429', 'HTTP 503', '\n'), fc.string()))
  const MEANT = /context|token.?limit|too many tokens|too long|max length|validation|include|balance|quota|credits|package|your plan|flagged|filter/i

  it('the kind of a text is that of the status alone', () => {
    fc.assert(
      fc.property(noise, fc.constantFrom(200, 302, 400, 401, 403, 404, 408, 422, 429, 500, 503, 529), (words, status) => {
        const text = `x ${words.join(' ')}`
        fc.pre(!MEANT.test(text))
        const bare = status === 200 ? 'protocol' : classify(status, undefined).kind
        expect(classify(status, text).kind).toBe(bare)
        const inError = { error: { message: text } }
        expect(classify(status, inError).kind).toBe(status === 200 ? 'unknown' : bare)
        expect(classifyInStream({ api: 'x', error: inError, now: NOW })).toMatchObject({ kind: 'unknown', status: null })
        expect(classifyInStream({ api: 'x', error: { error: text }, now: NOW }).kind).toBe('unknown')
      }),
      { numRuns: 500 },
    )
  })

  it('a count in a typed field that is no status is none either', () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom('n_prompt_tokens', 'limit', 'remaining', 'port', 'param'), (count, field) => {
        expect(classifyInStream({ api: 'x', error: { error: { message: 'x', [field]: count } }, now: NOW }).kind).toBe('unknown')
      }),
    )
  })
})

describe('secrets', () => {
  it('no word of a failure was not in what came', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.string()), (secret, headers) => {
        const sent = { ...headers, authorization: `Bearer ${secret}`, 'x-api-key': secret, cookie: secret }
        expect(classify(429, undefined, sent).message).toBe('HTTP 429')
        expect(classify(401, { error: { message: 'no' } }, sent).message).toBe('HTTP 401: no')
      }),
    )
  })
})

describe('bounds', () => {
  it('looks at 64 KiB of a body and no further', () => {
    expect(classify(400, `${' '.repeat(70_000)}prompt is too long`).kind).toBe('invalid_request')
    expect(classify(400, `${'x '.repeat(30_000)}prompt is too long`).kind).toBe('context_window')
  })

  const PIECES: readonly (readonly [title: string, piece: string])[] = [
    ['one long word', 'a'],
    ['spaces', ' '],
    ['line ends', '\n'],
    ['digits', '1'],
    ['half phrases', 'too many '],
    ['whole phrases that are taken back', 'too many tokens per min '],
    ['half durations', 'try again in 1'],
    ['durations without an end', 'try again in 1s1s1s1s1s1x '],
    ['resets', 'reset after 99999999999.999999999999'],
    ['counts', 'input token count (1 '],
    ['prompt lengths', 'maximum prompt length is x '],
    ['brackets', '['],
    ['braces', '{"error":'],
    ['data lines', 'data: {\n'],
    ['quotes', '"'],
    ['events', 'event: error\n'],
  ]

  it.each(PIECES)('costs its length: %s', (_title, piece) => {
    for (const status of [200, 429, 500]) expect(growth(filledWith(piece), (text) => classify(status, text))).toBeLessThan(STEEPEST)
    const inside = (text: string) =>
      classifyInStream({ api: 'x', error: { error: { message: text, code: text, metadata: { raw: text } } }, now: NOW })
    expect(growth(filledWith(piece), inside)).toBeLessThan(STEEPEST)
    const headers = (text: string) => classify(429, undefined, { 'retry-after': text, 'x-ratelimit-reset-tokens': text, 'x-amzn-errortype': text })
    expect(growth(filledWith(piece), headers)).toBeLessThan(STEEPEST)
  })

  it('sees a reader that costs more: the measure itself', () => {
    const quadratic = (text: string) => /x+y/.test(text.slice(0, text.length / 16))
    expect(growth(filledWith('x'), quadratic)).toBeGreaterThan(STEEPEST)
  })
})

describe('every regular expression of the classifier', () => {
  const FILES = ['failure', 'kind', 'kind-words', 'error-body', 'google-details', 'retry-hint', 'limit-buckets', 'stated-wait', 'duration', 'wording']
  const tree = readTree(['src/engines/http'])
  const literals = FILES.flatMap((name) => {
    const path = `src/engines/http/${name}.ts`
    const found: string[] = []
    walk(parse(path, tree.get(path) ?? ''), (node) => {
      if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    })
    return found
  })

  /** What a pattern could be fed to go back and forth: its own literal pieces, alone and behind one another. */
  function pumps(source: string): string[] {
    const words = source.match(/[A-Za-z`' .:#]{2,}/g) ?? []
    return [...new Set([...words, words.join(' '), words.join('1'), '1', '1.1', 'a', ' ', '-', '_', 'A_'])].filter((pump) => pump !== '')
  }

  it('are there to look at', () => expect(literals.length).toBeGreaterThan(15))

  it.each(literals)('%s costs the length of its text', (literal) => {
    const end = literal.lastIndexOf('/')
    const pattern = new RegExp(literal.slice(1, end), literal.slice(end + 1))
    for (const pump of pumps(pattern.source)) {
      expect([pump, growth(filledWith(pump), (text) => text.search(pattern)) < STEEPEST]).toEqual([pump, true])
      // A failure at the very end is what makes a pattern go back.
      const spoiled = (length: number) => `${filledWith(pump)(length - 1)}\u0000`
      expect([pump, growth(spoiled, (text) => text.search(pattern)) < STEEPEST]).toEqual([pump, true])
    }
  })

  it('no text is longer than what was measured', () => expect(LARGE).toBe(65_536))
})
