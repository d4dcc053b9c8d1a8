import { describe, expect, it } from 'vitest'
import { classifyErrno, classifyInStream, classifyResponse, type ResponseFacts } from '../../../src/engines/http/failure.ts'
import type { FailureKind } from '../../../src/model/failure.ts'

const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const classify = (facts: Partial<ResponseFacts> & { status: number }) => classifyResponse({ api: 'openai-chat', now: NOW, ...facts })
const kindOf = (status: number, body?: unknown) => classify({ status, body }).kind

describe('R17 the status decides', () => {
  it.each<[number, FailureKind]>([
    [302, 'protocol'],
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
