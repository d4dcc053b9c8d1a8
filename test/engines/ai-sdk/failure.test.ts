import {
  APICallError,
  EmptyResponseBodyError,
  InvalidPromptError,
  JSONParseError,
  LoadAPIKeyError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { failureOf, failureOfPart } from '../../../src/engines/ai-sdk/sdk-failure.ts'
import type { FailureKind } from '../../../src/index.ts'

const facts = { api: 'openai-chat', now: 0, phase: 'call' as const }
const call = (statusCode: number | undefined, more: object = {}) =>
  new APICallError({ message: 'as the provider says', url: 'u', requestBodyValues: {}, ...(statusCode === undefined ? {} : { statusCode }), ...more })
const errno = (code: string) => Object.assign(new Error('x'), { code })

describe('R17: errors of the AI SDK, by the one classifier', () => {
  it.each([
    ['a limit', call(429), 'rate_limited'],
    ['a spent quota', call(429, { responseBody: '{"error":{"code":"insufficient_quota","message":"quota"}}' }), 'quota_exhausted'],
    ['an overload', call(529), 'overloaded'],
    ['a wrong key', call(401), 'auth'],
    ['a history that is too long', call(400, { responseBody: '{"error":{"message":"maximum context length is 8192 tokens"}}' }), 'context_window'],
    ['a body that is no answer', call(200, { responseBody: '<html>' }), 'protocol'],
    ['a body that broke off', call(200, { cause: errno('ECONNRESET') }), 'network'],
    ['a body that ended early', call(200, { cause: errno('UND_ERR_SOCKET') }), 'truncated'],
    ['a status and a body that broke off', call(503, { cause: errno('ECONNRESET') }), 'server_error'],
    ['a name that is not found', call(undefined, { cause: Object.assign(new TypeError('fetch failed'), { cause: errno('ENOTFOUND') }) }), 'network'],
    ['headers that never came', call(undefined, { cause: errno('UND_ERR_HEADERS_TIMEOUT') }), 'timeout'],
    ['a connection without a word', call(undefined), 'network'],
    ['an empty body', new EmptyResponseBodyError(), 'truncated'],
    ['no JSON', new JSONParseError({ text: '{', cause: new Error() }), 'protocol'],
    ['another shape', new TypeValidationError({ value: {}, cause: new Error() }), 'protocol'],
    ['a prompt it cannot send', new InvalidPromptError({ prompt: [], message: 'x' }), 'invalid_request'],
    ['a part it cannot send', new UnsupportedFunctionalityError({ functionality: 'PDF' }), 'invalid_request'],
    ['no key', new LoadAPIKeyError({ message: 'x' }), 'auth'],
    ['no such model', new NoSuchModelError({ modelId: 'm', modelType: 'languageModel' }), 'model_not_found'],
    ['a limit of time of its own', Object.assign(new Error('x'), { name: 'TimeoutError' }), 'timeout'],
    ['an address that is none', errno('ERR_INVALID_URL'), 'unknown'],
    ['a name that every object has', Object.assign(new Error('x'), { name: 'constructor' }), 'unknown'],
    ['a text', 'went wrong', 'unknown'],
    ['nothing', undefined, 'unknown'],
  ] as [string, unknown, FailureKind][])('%s', (_name, error, kind) => {
    expect(failureOf(error, facts).kind).toBe(kind)
  })

  it('R15, R16: the retry hint is told uncapped, its own word for a retry is not asked', () => {
    const limit = call(429, { responseHeaders: { 'retry-after': '7200' }, isRetryable: false })
    expect(failureOf(limit, facts)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7_200_000, status: 429, phase: 'call' })
    expect(failureOf(call(400, { isRetryable: true }), facts).kind).toBe('invalid_request')
  })

  it('the phase is where it happened', () => {
    expect(failureOf(errno('ECONNREFUSED'), { ...facts, phase: 'opening' }).phase).toBe('connect')
    expect(failureOf(errno('ECONNRESET'), { ...facts, phase: 'stream' })).toMatchObject({ kind: 'network', phase: 'stream', code: 'ECONNRESET' })
  })

  it.each([
    ['an error', call(503), 'server_error'],
    ['the frame as it was', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }, 'overloaded'],
    ['what was in the frame', { type: 'rate_limit_error', message: 'slow down' }, 'rate_limited'],
    ['words', 'something', 'unknown'],
    ['nothing', null, 'unknown'],
  ] as [string, unknown, FailureKind][])('an error part that holds %s', (_name, error, kind) => {
    expect(failureOfPart(error, { ...facts, phase: 'stream' }).kind).toBe(kind)
  })
})
