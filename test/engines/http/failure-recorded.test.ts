import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { classifyResponse } from '../../../src/engines/http/failure.ts'
import type { FailureKind } from '../../../src/model/failure.ts'

/** Recorded error bodies of other people (house.md §6): read in place, never copied. What each is follows from wire.md §10–11 and C36–C38. */
const ERRORS = new URL('../../../../shared/corpus/streams/errors/', import.meta.url)
const present = existsSync(new URL('errors.json', ERRORS))
if (!present) console.warn('SKIPPED recorded error bodies: ../shared/corpus/streams/errors is not there; the bodies of our own making stand in')

interface Recorded {
  readonly host: string
  readonly status: number
  readonly body?: unknown
}

const read = (file: string): unknown => (present ? JSON.parse(readFileSync(new URL(file, ERRORS), 'utf8')) : [])
const NOW = Date.UTC(2026, 9, 21, 12)

/** In the order of the file: who answered, with which status, and what it is. */
const EXPECTED: readonly [host: string, status: number, kind: FailureKind][] = [
  ['api.anthropic.com', 404, 'model_not_found'],
  ['api.anthropic.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['api.deepseek.com', 400, 'invalid_request'],
  ['api.groq.com', 404, 'model_not_found'],
  ['api.groq.com', 400, 'tool_schema'],
  ['api.groq.com', 400, 'tool_schema'],
  ['aiplatform.googleapis.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['bedrock-runtime.us-east-1.amazonaws.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['api.openai.com', 400, 'invalid_request'],
  ['openrouter.ai', 429, 'rate_limited'],
]

describe.skipIf(!present)('recorded error bodies', () => {
  const recorded = read('errors.json') as Recorded[]

  it('are those of the table', () =>
    expect(recorded.map(({ host, status }) => [host, status])).toEqual(EXPECTED.map(([host, status]) => [host, status])))

  it.each(EXPECTED.map((row, at) => [at, ...row] as const))('%i %s %i is %s', (at, _host, _status, kind) => {
    const { status, body } = recorded[at] as Recorded
    const failed = classifyResponse({ api: 'openai-chat', status, body, now: NOW })
    expect(failed).toMatchObject({ kind, status, retryAfterMs: null, resetAt: null })
    expect(failed.message.length).toBeGreaterThan(`HTTP ${status}: `.length)
    expect(classifyResponse({ api: 'x', status, body: typeof body === 'string' ? body : JSON.stringify(body), now: NOW })).toEqual(failed)
  })
})

describe.skipIf(!present)('recorded limits', () => {
  interface Limited extends Recorded {
    readonly body_text_only?: string
    readonly retryDelay?: string
    readonly quotaIds?: readonly string[]
  }
  const [daily, several] = (present ? read('gemini-429.json') : [{}, {}]) as [Limited, Limited]
  /** 12:00 UTC is 05:00 on the Pacific coast. */
  const MIDNIGHT = Date.UTC(2026, 9, 22, 7)

  it('of Gemini: a quota of a day, whose own delay is far too short', () => {
    expect(classifyResponse({ api: 'gemini', status: daily.status, body: daily.body, now: NOW })).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 22_000,
      resetAt: MIDNIGHT,
    })
  })

  it('of Gemini: several quotas at once, and the sentence that says more than the delay', () => {
    const body = (quotaIds: readonly string[]) => ({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: several.body_text_only,
        details: [{ violations: quotaIds.map((quotaId) => ({ quotaId })) }, { retryDelay: several.retryDelay }],
      },
    })
    const classify = (quotaIds: readonly string[]) => classifyResponse({ api: 'gemini', status: several.status, body: body(quotaIds), now: NOW })
    expect(several.quotaIds).toHaveLength(3)
    expect(classify(several.quotaIds ?? [])).toMatchObject({ kind: 'rate_limited', retryAfterMs: 10_690, resetAt: MIDNIGHT })
    expect(classify((several.quotaIds ?? []).slice(1))).toMatchObject({ kind: 'rate_limited', retryAfterMs: 10_690, resetAt: null })
  })

  it('headers: full buckets say nothing about a limit; one without a count of what is left may be the empty one', () => {
    const headers = Object.values(read('ratelimit-headers.json') as Record<string, Record<string, string>>)
    const at = Date.parse('2025-08-21T12:40:00Z')
    const hints = headers.map((one) => {
      const { kind, retryAfterMs, resetAt } = classifyResponse({ api: 'x', status: 429, headers: one, now: at })
      return [kind, retryAfterMs, resetAt]
    })
    expect(hints).toEqual([
      ['rate_limited', null, null],
      ['rate_limited', 360_000, null],
      ['rate_limited', 12, null],
      ['rate_limited', null, null],
      ['rate_limited', 60_000, at + 60_000],
    ])
  })
})
