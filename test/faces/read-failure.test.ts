import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HTTP_APIS } from '../../src/index.ts'
import { Console } from './console.ts'

const NOW = '2026-03-01T00:00:00Z'
const at = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString()

async function read(stdin: string, ...argv: string[]) {
  const shell = new Console({ stdin })
  return { code: await shell.run('read', 'failure', ...argv), shell }
}

type Answer = [kind: string, disposition: string, retryAfterMs: number | null, resetAt: string | null]

describe('relevo read failure, row by row', () => {
  const quota = (quotaId: string, retryDelay: string) => ({
    error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details: [{ violations: [{ quotaId }] }, { retryDelay }] },
  })

  it.each<[rule: string, input: Record<string, unknown>, answer: Answer]>([
    ['R17 bad request', { status: 400 }, ['invalid_request', 'advance', null, null]],
    ['R17 no key', { status: 401 }, ['auth', 'advance', null, null]],
    ['C37 no credit', { status: 402 }, ['quota_exhausted', 'advance', null, null]],
    ['R17 not allowed', { status: 403 }, ['forbidden', 'advance', null, null]],
    ['C37 no such model', { status: 404 }, ['model_not_found', 'advance', null, null]],
    ['C37 slow', { status: 408 }, ['timeout', 'retry', null, null]],
    ['C37 too large', { status: 413 }, ['invalid_request', 'advance', null, null]],
    ['C37 the capacity of Groq', { status: 498 }, ['invalid_request', 'advance', null, null]],
    ['R17 a redirect', { status: 307, headers: { location: '/' } }, ['protocol', 'advance', null, null]],
    ['R17 broken', { status: 500 }, ['server_error', 'retry', null, null]],
    ['C05 busy, with a wait', { status: 503, headers: { 'retry-after': '3' } }, ['server_error', 'retry', 3000, at(3000)]],
    ['C37 overloaded', { status: 529 }, ['overloaded', 'retry', null, null]],
    [
      'C37 overloaded in a 200',
      { status: 200, body: { type: 'error', error: { type: 'overloaded_error', message: 'x' } } },
      ['overloaded', 'retry', null, null],
    ],
    ['wire §8 HTML in a 200', { status: 200, body: '<html>' }, ['protocol', 'retry', null, null]],
    ['R15 a limit without a word', { status: 429 }, ['rate_limited', 'hold', null, null]],
    ['C39 seconds', { status: 429, headers: { 'retry-after': '7' } }, ['rate_limited', 'hold', 7000, at(7000)]],
    ['C39 ms go first', { status: 429, headers: { 'retry-after': '7', 'retry-after-ms': '250' } }, ['rate_limited', 'hold', 250, at(250)]],
    ['R16 uncapped', { status: 429, headers: { 'retry-after': '600000' } }, ['rate_limited', 'hold', 600_000_000, at(600_000_000)]],
    ['C39 a date', { status: 429, headers: { 'retry-after': 'Sun, 01 Mar 2026 00:01:00 GMT' } }, ['rate_limited', 'hold', 60_000, at(60_000)]],
    [
      'C39 a date against the date of the response',
      { status: 429, headers: { date: 'Sun, 01 Mar 2026 01:00:00 GMT', 'retry-after': 'Sun, 01 Mar 2026 01:01:00 GMT' } },
      ['rate_limited', 'hold', 60_000, at(60_000)],
    ],
    [
      'an instant of Anthropic',
      { status: 429, headers: { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-03-01T00:02:00Z' } },
      ['rate_limited', 'hold', 120_000, at(120_000)],
    ],
    ['a Go duration', { status: 429, headers: { 'x-ratelimit-reset-requests': '2m59.56s' } }, ['rate_limited', 'hold', 179_560, at(179_560)]],
    ['an epoch', { status: 429, headers: { 'x-ratelimit-reset': '1772323260' } }, ['rate_limited', 'hold', 60_000, at(60_000)]],
    ['a sentence', { status: 429, body: 'Please try again in 41.724s' }, ['rate_limited', 'hold', 41_724, at(41_724)]],
    ['a minute of Gemini', { status: 429, body: quota('RequestsPerMinute', '22s') }, ['rate_limited', 'hold', 22_000, at(22_000)]],
    ['a day of Gemini', { status: 429, body: quota('RequestsPerDay', '22s') }, ['rate_limited', 'hold', 22_000, '2026-03-01T08:00:00.000Z']],
    [
      'Codex',
      { status: 429, body: { error: { type: 'usage_limit_reached', resets_at: 1_772_323_260 } } },
      ['rate_limited', 'hold', 60_000, at(60_000)],
    ],
    ['C38 no quota', { status: 429, body: '{"error":{"code":"insufficient_quota"}}' }, ['quota_exhausted', 'advance', null, null]],
    ['C38 no plan', { status: 429, body: { code: 1311, message: 'x' } }, ['quota_exhausted', 'advance', null, null]],
    ['LIM-29', { status: 429, body: 'quota reached' }, ['rate_limited', 'hold', null, null]],
    ['R20', { status: 400, body: { message: 'Input is too long for requested model.' } }, ['context_window', 'shorten', null, null]],
    ['R22', { status: 400, body: { error: { innererror: { code: 'ResponsibleAIPolicyViolation' } } } }, ['refusal', 'stop', null, null]],
    ['C36', { status: 400, body: { error: { code: 'tool_use_failed' } } }, ['tool_schema', 'advance', null, null]],
    [
      'the header of Bedrock',
      { status: 429, headers: { 'x-amzn-ErrorType': 'ThrottlingException' }, body: { message: 'Too many tokens' } },
      ['rate_limited', 'hold', null, null],
    ],
    ['an errno', { code: 'ECONNREFUSED' }, ['network', 'retry', null, null]],
    ['an errno that only sounds like it', { code: 'ETIMEDOUT' }, ['network', 'retry', null, null]],
    ['a code of undici', { code: 'UND_ERR_SOCKET' }, ['network', 'retry', null, null]],
    ['a deadline of undici', { code: 'UND_ERR_CONNECT_TIMEOUT' }, ['timeout', 'retry', null, null]],
    ['a code beside an empty status', { status: null, code: 'EPIPE' }, ['network', 'retry', null, null]],
  ])('%s', async (_rule, input, [kind, disposition, retryAfterMs, resetAt]) => {
    const answer = { kind, disposition, retryAfterMs, resetAt }
    for (const api of HTTP_APIS) {
      const single = await read(JSON.stringify({ ...input, api, now: NOW }))
      expect([single.code, single.shell.json, single.shell.err]).toEqual([0, [answer], ''])
    }
    const line = await read(JSON.stringify({ id: 7, ...input, now: NOW }), '--jsonl')
    expect([line.code, line.shell.json]).toEqual([0, [{ id: 7, ...answer }]])
  })
})

describe('bad input of relevo read failure', () => {
  const known = expect.stringContaining(HTTP_APIS.join(', '))

  it.each([
    ['{"status":429,"api":"smoke"}', 'api'],
    ['{"status":429,"api":7}', 'api'],
    ['{"code":"EPIPE","api":"chat"}', 'api'],
  ])('%s names the protocols there are', async (stdin, path) => {
    const { code, shell } = await read(stdin)
    expect([code, shell.out, shell.errLines]).toEqual([2, '', [known]])
    const lines = await read(`${stdin}\n{"id":2,"status":500,"api":"openai-chat"}\n`, '--jsonl')
    expect([lines.code, lines.shell.errLines]).toEqual([1, [known]])
    expect(lines.shell.json).toMatchObject([
      { id: null, error: { code: 'unknown_api', path } },
      { id: 2, kind: 'server_error' },
    ])
  })

  it.each([
    ['{}', 'status'],
    ['{"status":"429"}', 'status'],
    ['{"status":4.5}', 'status'],
    ['{"code":""}', 'code'],
    ['{"code":7}', 'code'],
    ['{"status":429,"headers":["retry-after"]}', 'headers'],
    ['{"status":429,"now":"tomorrow"}', 'now'],
  ])('%s names the field', async (stdin, path) => {
    const { code, shell } = await read(stdin)
    expect([code, shell.out, shell.errLines]).toEqual([2, '', [expect.stringContaining(`standard input: ${path}: `)]])
    const line = await read(stdin, '--jsonl')
    expect([line.code, line.shell.json]).toEqual([1, [{ id: null, error: { code: 'invalid_line', path } }]])
  })

  it('whatever stands in a line, each line gets one answer in its place', async () => {
    const anyLine = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/\s/g, '_')),
      failureLine(),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(anyLine, { minLength: 1, maxLength: 8 }), async (lines) => {
        const kept = lines.filter((line) => line.trim() !== '')
        const { code, shell } = await read(`${kept.join('\n')}\n`, '--jsonl')
        const answers = shell.json as { kind?: string; error?: { code: string } }[]
        expect(answers).toHaveLength(kept.length)
        for (const answer of answers) expect([answer.kind, answer.error?.code].filter((value) => value !== undefined)).toHaveLength(1)
        expect(answers.map((answer) => answer.error?.code)).not.toContain('defect')
        expect(code).toBe(answers.some((answer) => answer.error !== undefined) ? 1 : 0)
      }),
      { numRuns: 200 },
    )
  })
})

function failureLine(): fc.Arbitrary<string> {
  return fc
    .record({
      id: fc.nat(),
      status: fc.integer({ min: 100, max: 599 }),
      headers: fc.dictionary(fc.constantFrom('retry-after', 'x-ratelimit-reset', 'date'), fc.jsonValue()),
      body: fc.jsonValue(),
      api: fc.constantFrom(...HTTP_APIS),
      now: fc.oneof(fc.constant(NOW), fc.double({ noNaN: true, noDefaultInfinity: true })),
    })
    .map((line) => JSON.stringify(line))
}
