import { describe, expect, it } from 'vitest'
import { classifyInStream, classifyResponse } from '../../../src/engines/http/failure.ts'
import type { FailureKind } from '../../../src/model/failure.ts'

/** Every typed word that is known, and that it is heard in a typed field only. */
const WORDS: readonly [kind: FailureKind, words: string][] = [
  ['context_window', 'context_length_exceeded context_window_exceeded model_context_window_exceeded exceed_context_size_error token_limit_exceeded'],
  ['rate_limited', 'rate_limit_error rate_limit_exceeded rate_limited too_many_requests RESOURCE_EXHAUSTED usage_limit_reached'],
  ['rate_limited', 'ThrottlingException ModelNotReadyException'],
  ['quota_exhausted', 'insufficient_quota insufficient_balance billing_error ServiceQuotaExceededException'],
  ['refusal', 'content_filter content_policy_violation image_content_policy_violation moderation_blocked ResponsibleAIPolicyViolation'],
  ['overloaded', 'overloaded_error overloaded engine_overloaded server_overloaded server_is_overloaded slow_down insufficient_system_resource'],
  ['tool_schema', 'tool_use_failed'],
  ['auth', 'authentication_error invalid_api_key UNAUTHENTICATED unauthorized UnrecognizedClientException ExpiredTokenException'],
  ['forbidden', 'permission_error PERMISSION_DENIED forbidden AccessDeniedException'],
  ['model_not_found', 'not_found_error model_not_found NOT_FOUND ResourceNotFoundException'],
  ['timeout', 'timeout_error DEADLINE_EXCEEDED ModelTimeoutException'],
  ['server_error', 'api_error server_error internal_error internal_server_error service_unavailable_error'],
  ['server_error', 'INTERNAL UNAVAILABLE ABORTED DATA_LOSS UNIMPLEMENTED'],
  ['server_error', 'ModelStreamErrorException ModelErrorException InternalServerException ServiceUnavailableException'],
  ['invalid_request', 'invalid_request_error invalid_request request_too_large invalid_prompt ValidationException'],
  ['invalid_request', 'INVALID_ARGUMENT FAILED_PRECONDITION OUT_OF_RANGE ALREADY_EXISTS'],
]
const ROWS = WORDS.flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const))

/** The sentences of gRPC that xAI writes into `code`, each with what it stands for. */
const SENTENCES: readonly [sentence: string, kind: FailureKind][] = [
  ['Client specified an invalid argument', 'invalid_request'],
  ['Deadline expired before operation could complete', 'timeout'],
  ['Some requested entity was not found', 'model_not_found'],
  ['The caller does not have permission to execute the specified operation', 'forbidden'],
  ['Some resource has been exhausted', 'rate_limited'],
  ["The system is not in a state required for the operation's execution", 'invalid_request'],
  ['The operation was aborted', 'server_error'],
  ['Operation was attempted past the valid range', 'invalid_request'],
  ['Operation is not implemented or not supported', 'server_error'],
  ['Internal error', 'server_error'],
  ['The service is currently unavailable', 'server_error'],
  ['Unrecoverable data loss or corruption', 'server_error'],
  ['The request does not have valid authentication credentials', 'auth'],
]

const kindOf = (error: unknown) => classifyInStream({ api: 'openai-chat', error, now: 0 }).kind

describe('R17 typed words', () => {
  it.each(ROWS)('%s is %s wherever an error is named, in any case', (word, kind) => {
    for (const field of ['code', 'type', 'status', '__type'])
      expect([field, kindOf({ error: { [field]: word, message: 'x' } })]).toEqual([field, kind])
    expect(kindOf({ type: 'error', code: word, message: 'x' })).toBe(kind)
    expect(kindOf({ error: { code: word.toUpperCase() } })).toBe(kind)
    expect(kindOf({ error: { code: word.toLowerCase() } })).toBe(kind)
  })

  it.each(ROWS)('%s in a message, or as a part of another word, is not heard', (word) => {
    for (const said of [`the ${word.replace(/_/g, '-')} came`, `x${word}x`]) {
      expect(kindOf({ error: { message: said.replace('context_length', 'x') } })).toBe('unknown')
      expect(kindOf({ error: { code: said.replace(/ /g, '_') } })).toBe('unknown')
    }
  })

  it.each(SENTENCES)('%s is %s, as a whole code only', (sentence, kind) => {
    expect(kindOf({ code: sentence, error: 'x' })).toBe(kind)
    expect(kindOf({ code: `${sentence}.`, error: 'x' })).toBe(kind)
    expect(kindOf({ code: `${sentence} today`, error: 'x' })).toBe('unknown')
    expect(kindOf({ code: 'x', error: sentence })).toBe('unknown')
  })

  it('the more telling word of two counts, wherever it stands', () => {
    expect(kindOf({ error: { type: 'invalid_request_error', code: 'context_length_exceeded' } })).toBe('context_window')
    expect(kindOf({ error: { code: 'invalid_request_error', type: 'overloaded_error' } })).toBe('overloaded')
    expect(kindOf({ error: { type: 'invalid_request_error', code: 'model_not_found' } })).toBe('model_not_found')
    expect(kindOf({ error: { type: 'api_error', code: 429 } })).toBe('rate_limited')
    expect(kindOf({ error: { type: 'server_error', code: 'content_filter' } })).toBe('refusal')
  })

  it('C38 a limit inside a stream is asked, as a 429 is, whether waiting helps', () => {
    expect(kindOf({ error: { type: 'rate_limit_error', message: 'You are out of credits' } })).toBe('quota_exhausted')
    expect(kindOf({ error: { type: 'rate_limit_error', message: 'slow down' } })).toBe('rate_limited')
  })

  it('outside a stream the status decides, and only telling words refine it', () => {
    const outside = (status: number, word: string) => classifyResponse({ api: 'x', status, body: { error: { code: word } }, now: 0 }).kind
    expect(outside(500, 'rate_limit_error')).toBe('server_error')
    expect(outside(500, 'insufficient_quota')).toBe('server_error')
    expect(outside(401, 'server_error')).toBe('auth')
    expect(outside(404, 'overloaded_error')).toBe('model_not_found')
    expect(outside(429, 'server_error')).toBe('rate_limited')
    expect(outside(408, 'invalid_request_error')).toBe('timeout')
    expect(outside(422, 'content_filter')).toBe('refusal')
    expect(outside(500, 'context_length_exceeded')).toBe('context_window')
  })

  it('the code of a failure is the innermost word, else the number', () => {
    const codeOf = (error: unknown) => classifyInStream({ api: 'x', error, now: 0 }).code
    expect(codeOf({ type: 'error', error: { type: 'overloaded_error' } })).toBe('overloaded_error')
    expect(codeOf({ type: 'response.failed', response: { error: { message: 'x' } } })).toBeNull()
    expect(codeOf({ error: { code: 502 } })).toBe('502')
    expect(codeOf({ error: { message: 'x' } })).toBeNull()
  })
})
