import { describe, expect, it } from 'vitest'
import { classifyInStream, classifyResponse } from '../../../src/engines/http/failure.ts'
import type { FailureKind } from '../../../src/model/failure.ts'

/** Row by row what wire.md §9 and §11 say of each provider's errors; the bodies are of our own making. */
const NOW = Date.UTC(2026, 9, 21, 7, 28, 0)
const kindOf = (status: number, body: unknown, headers: Record<string, unknown> = {}) =>
  classifyResponse({ api: 'openai-chat', status, headers, body, now: NOW }).kind
const inStream = (error: unknown) => classifyInStream({ api: 'openai-chat', error, now: NOW })

type Row = [title: string, status: number, body: unknown, kind: FailureKind]

const openai = (message: string, type: string | null, code: unknown = null) => ({ error: { message, type, param: null, code } })
const anthropic = (type: string, message = 'x') => ({ type: 'error', error: { type, message }, request_id: 'req_1' })
const google = (code: number, status: string, message = 'x') => ({ error: { code, message, status } })
const openrouter = (code: number, metadata?: object) => ({ error: { code, message: 'Provider returned error', metadata }, user_id: 'user_1' })

describe('R17 C37 wire.md §11 an error body with its status', () => {
  it.each<Row>([
    ['OpenAI, no quota left', 429, openai('check your plan', 'insufficient_quota', 'insufficient_quota'), 'quota_exhausted'],
    ['OpenAI, type only', 429, openai('check your plan', 'insufficient_quota'), 'quota_exhausted'],
    ['OpenAI, a limit', 429, openai('Rate limit reached', 'requests', 'rate_limit_exceeded'), 'rate_limited'],
    ['OpenAI, a limit of tokens', 429, openai('Request too large: tokens per min (TPM): Limit 10', 'tokens', 'rate_limit_exceeded'), 'rate_limited'],
    ['OpenAI, a bad value', 400, openai('x', 'invalid_request_error', 'invalid_value'), 'invalid_request'],
    ['OpenAI, the window', 400, openai('x', 'invalid_request_error', 'context_length_exceeded'), 'context_window'],
    [
      'OpenAI, the prompt was flagged',
      400,
      openai('Invalid prompt: your prompt was flagged as potentially violating', null, 'invalid_prompt'),
      'refusal',
    ],
    ['OpenAI, a bad key', 401, openai('Incorrect API key', 'invalid_request_error', 'invalid_api_key'), 'auth'],
    ['OpenAI, no such model', 404, openai('x', 'invalid_request_error', 'model_not_found'), 'model_not_found'],
    ['OpenAI, a country', 403, openai('x', 'request_forbidden', 'unsupported_country_region_territory'), 'forbidden'],
    ['a gateway, no quota left', 403, openai('x', null, 'insufficient_quota'), 'quota_exhausted'],
    ['OpenAI, broken', 500, openai('x', 'server_error'), 'server_error'],
    ['OpenAI, overloaded', 503, openai('x', 'service_unavailable_error', 'server_is_overloaded'), 'overloaded'],
    ['Anthropic 400', 400, anthropic('invalid_request_error'), 'invalid_request'],
    ['Anthropic 401', 401, anthropic('authentication_error'), 'auth'],
    ['Anthropic 402', 402, anthropic('billing_error'), 'quota_exhausted'],
    ['Anthropic 403', 403, anthropic('permission_error'), 'forbidden'],
    ['Anthropic 404', 404, anthropic('not_found_error'), 'model_not_found'],
    ['Anthropic 413', 413, anthropic('request_too_large'), 'invalid_request'],
    ['Anthropic 429', 429, anthropic('rate_limit_error', 'This request would exceed your limit of 30,000 input tokens per minute'), 'rate_limited'],
    ['Anthropic 500', 500, anthropic('api_error'), 'server_error'],
    ['Anthropic 529', 529, anthropic('overloaded_error'), 'overloaded'],
    ['Anthropic, overloaded with another status', 503, anthropic('overloaded_error'), 'overloaded'],
    ['Anthropic, the answer was filtered', 400, anthropic('invalid_request_error', 'Output blocked by content filtering policy'), 'refusal'],
    ['Gemini 400', 400, google(400, 'INVALID_ARGUMENT'), 'invalid_request'],
    ['Gemini 400, place', 400, google(400, 'FAILED_PRECONDITION', 'User location is not supported'), 'invalid_request'],
    ['Gemini 401', 401, google(401, 'UNAUTHENTICATED'), 'auth'],
    ['Gemini 403', 403, google(403, 'PERMISSION_DENIED'), 'forbidden'],
    ['Gemini 404', 404, google(404, 'NOT_FOUND'), 'model_not_found'],
    [
      'Gemini 429',
      429,
      google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.'),
      'rate_limited',
    ],
    ['Gemini 429 in an array', 429, [google(429, 'RESOURCE_EXHAUSTED')], 'rate_limited'],
    ['Gemini 500', 500, google(500, 'INTERNAL'), 'server_error'],
    ['Gemini 503', 503, google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'), 'server_error'],
    ['Gemini 504', 504, google(504, 'DEADLINE_EXCEEDED'), 'timeout'],
    ['a bare 504', 504, '', 'server_error'],
    ['Anthropic 504', 504, anthropic('timeout_error'), 'timeout'],
    [
      'Groq, a tool call',
      400,
      { error: { code: 'tool_use_failed', type: 'invalid_request_error', failed_generation: '{}', message: 'x' } },
      'tool_schema',
    ],
    ['Groq, flex capacity', 498, openai('Flex tier capacity exceeded', null, 'capacity_exceeded'), 'invalid_request'],
    ['Mistral, flat', 400, { object: 'error', message: 'x', type: 'invalid_request_error', param: null, code: '1000' }, 'invalid_request'],
    ['Mistral, flat 429', 429, { object: 'error', message: 'Service tier capacity exceeded', type: 'x', param: null, code: '3505' }, 'rate_limited'],
    ['Mistral, findings', 422, { object: 'error', message: { detail: [{ msg: 'Field required' }] } }, 'invalid_request'],
    ['Ollama 400', 400, { error: 'invalid options' }, 'invalid_request'],
    ['Ollama 404', 404, { error: "model 'x' not found, try pulling it first" }, 'model_not_found'],
    ['Ollama 429', 429, { error: 'too many requests' }, 'rate_limited'],
    ['Ollama 500', 500, { error: 'model runner has unexpectedly stopped' }, 'server_error'],
    ['Ollama 502', 502, { error: 'cloud model unreachable' }, 'server_error'],
    ['OpenRouter 402', 402, openrouter(402), 'quota_exhausted'],
    ['OpenRouter 403', 403, openrouter(403), 'forbidden'],
    [
      'OpenRouter 403, moderation',
      403,
      openrouter(403, { reasons: ['violence'], flagged_input: '…', provider_name: 'x', model_slug: 'y' }),
      'refusal',
    ],
    ['OpenRouter 408', 408, openrouter(408), 'timeout'],
    ['OpenRouter 429', 429, openrouter(429, { provider_name: 'x', raw: 'y is temporarily rate-limited upstream' }), 'rate_limited'],
    ['OpenRouter, a quota behind it', 429, openrouter(429, { raw: '{"error":{"code":"insufficient_quota","message":"x"}}' }), 'quota_exhausted'],
    ['OpenRouter, a window behind it', 400, openrouter(400, { raw: "This model's maximum context length is 8192 tokens" }), 'context_window'],
    ['OpenRouter, an array behind it', 400, openrouter(400, { raw: '[{"error":{"message":"prompt is too long"}}]' }), 'context_window'],
    ['OpenRouter 502', 502, openrouter(502), 'server_error'],
    ['OpenRouter 503', 503, openrouter(503), 'server_error'],
    [
      'Azure, a filtered prompt',
      400,
      { error: { code: 'content_filter', status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } } },
      'refusal',
    ],
    ['Azure, only the inner code', 400, { error: { code: null, status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } } }, 'refusal'],
    ['Azure, no such deployment', 404, { error: { code: 'DeploymentNotFound', message: 'x' } }, 'model_not_found'],
    ['DeepSeek, no balance', 402, openai('Insufficient Balance', 'unknown_error', 'invalid_request_error'), 'quota_exhausted'],
    ['z.ai, plan', 429, { error: { code: '1311', message: 'x' } }, 'quota_exhausted'],
    ['z.ai, busy', 429, { error: { code: '1305', message: 'x' } }, 'rate_limited'],
    ['xAI, flat', 400, { code: 'Client specified an invalid argument', error: 'x' }, 'invalid_request'],
    ['vLLM, flat', 404, { object: 'error', message: 'x', type: 'NotFoundError', param: null, code: 404 }, 'model_not_found'],
    ['llama.cpp, the window', 400, { error: { code: 400, type: 'exceed_context_size_error', message: 'x', n_ctx: 8 } }, 'context_window'],
    ['a gateway that speaks HTML', 502, '<html><title>502 Bad Gateway</title></html>', 'server_error'],
    ['a gateway that sends an event', 429, 'event: error\ndata: {"error":{"code":"insufficient_quota"}}\n\n', 'quota_exhausted'],
  ])('%s', (_title, status, body, kind) => {
    expect(kindOf(status, body)).toBe(kind)
    expect(kindOf(status, typeof body === 'string' ? body : JSON.stringify(body))).toBe(kind)
  })
})

describe('Bedrock, whose header names the error', () => {
  it.each<[type: string, status: number, kind: FailureKind, message?: string]>([
    ['ThrottlingException', 429, 'rate_limited', 'Too many tokens, please wait before trying again.'],
    ['ThrottlingException', 400, 'rate_limited'],
    ['ModelNotReadyException', 429, 'rate_limited'],
    ['ServiceQuotaExceededException', 400, 'quota_exhausted'],
    ['ValidationException', 400, 'invalid_request', 'The provided model identifier is invalid.'],
    ['ValidationException', 400, 'context_window', 'Input is too long for requested model.'],
    ['AccessDeniedException', 403, 'forbidden'],
    ['UnrecognizedClientException', 403, 'forbidden'],
    ['ResourceNotFoundException', 404, 'model_not_found'],
    ['ModelTimeoutException', 408, 'timeout'],
    ['ModelErrorException', 424, 'invalid_request'],
    ['InternalServerException', 500, 'server_error'],
    ['ServiceUnavailableException', 503, 'server_error'],
  ])('%s with %i is %s', (type, status, kind, message = 'x') => {
    for (const value of [type, `${type}:http://internal.amazon.com/coral/com.amazon.bedrock/`, `com.amazon.coral.service#${type}`]) {
      expect(kindOf(status, { message }, { 'X-Amzn-ErrorType': value })).toBe(kind)
    }
    expect(kindOf(status, { __type: `com.amazon.coral.service#${type}`, message })).toBe(kind)
  })

  it('without the header the status decides', () => {
    expect(kindOf(429, { message: 'Too many tokens, please wait before trying again.' })).toBe('rate_limited')
    expect(kindOf(400, { message: 'x' })).toBe('invalid_request')
  })

  it.each<[type: string, kind: FailureKind, message?: string]>([
    ['throttlingException', 'rate_limited', 'Too many tokens, please wait before trying again.'],
    ['modelStreamErrorException', 'server_error'],
    ['internalServerException', 'server_error'],
    ['serviceUnavailableException', 'server_error'],
    ['validationException', 'invalid_request'],
    ['validationException', 'context_window', 'The model returned the following errors: prompt is too long: 9 tokens > 8 maximum'],
    ['accessDeniedException', 'forbidden'],
    ['resourceNotFoundException', 'model_not_found'],
    ['modelTimeoutException', 'timeout'],
    ['modelNotReadyException', 'rate_limited'],
    ['serviceQuotaExceededException', 'quota_exhausted'],
    ['somethingNewException', 'unknown'],
  ])('in the stream %s is %s', (type, kind, message = 'x') => {
    expect(classifyInStream({ api: 'bedrock-converse', error: { __type: type, message }, now: NOW })).toMatchObject({
      kind,
      status: null,
      phase: 'stream',
      code: type.toLowerCase(),
      message,
    })
  })
})

describe('an error inside a 200', () => {
  const failed = (error: unknown) => ({ type: 'response.failed', response: { status: 'failed', error } })
  const rows: [title: string, frame: unknown, kind: FailureKind][] = [
    ['Responses, failed', failed({ code: 'server_error', message: 'x' }), 'server_error'],
    ['Responses, failed by a limit', failed({ code: 'rate_limit_exceeded', message: 'x' }), 'rate_limited'],
    ['Responses, failed by a quota', failed({ code: 'insufficient_quota', message: 'x' }), 'quota_exhausted'],
    ['Responses, failed by the window', failed({ code: 'context_length_exceeded', message: 'x' }), 'context_window'],
    ['Responses, overloaded', failed({ code: 'server_is_overloaded', message: 'x' }), 'overloaded'],
    ['Responses, flagged', failed({ code: 'invalid_prompt', message: 'your prompt was flagged as potentially violating our policy' }), 'refusal'],
    ['Responses, an invalid prompt', failed({ code: 'invalid_prompt', message: 'x' }), 'invalid_request'],
    ['Responses, a flat error', { type: 'error', code: 'rate_limit_exceeded', message: 'x', param: null, sequence_number: 3 }, 'rate_limited'],
    [
      'Responses, a nested error',
      { type: 'error', error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'x' } },
      'quota_exhausted',
    ],
    ['Anthropic overloaded', anthropic('overloaded_error'), 'overloaded'],
    ['Anthropic broken', anthropic('api_error'), 'server_error'],
    ['Anthropic limit', anthropic('rate_limit_error'), 'rate_limited'],
    ['Anthropic, the window inside a vague type', anthropic('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'), 'context_window'],
    ['Anthropic, the window inside api_error', anthropic('api_error', 'prompt is too long'), 'context_window'],
    ['Gemini limit', google(429, 'RESOURCE_EXHAUSTED'), 'rate_limited'],
    ['Gemini limit, status string only', { error: { status: 'RESOURCE_EXHAUSTED' } }, 'rate_limited'],
    ['Gemini unavailable', google(503, 'UNAVAILABLE'), 'server_error'],
    ['Gemini unavailable, status string only', { error: { status: 'UNAVAILABLE' } }, 'server_error'],
    ['Gemini internal', { error: { status: 'INTERNAL' } }, 'server_error'],
    ['Gemini deadline', google(504, 'DEADLINE_EXCEEDED'), 'timeout'],
    ['Gemini deadline, status string only', { error: { status: 'DEADLINE_EXCEEDED' } }, 'timeout'],
    ['Gemini key', { error: { status: 'UNAUTHENTICATED' } }, 'auth'],
    ['Gemini permission', { error: { status: 'PERMISSION_DENIED' } }, 'forbidden'],
    ['Gemini model', { error: { status: 'NOT_FOUND' } }, 'model_not_found'],
    ['Gemini argument', { error: { status: 'INVALID_ARGUMENT' } }, 'invalid_request'],
    [
      'Gemini argument, the window',
      google(400, 'INVALID_ARGUMENT', 'The input token count (9) exceeds the maximum number of tokens allowed (8).'),
      'context_window',
    ],
    ['Gemini precondition', { error: { status: 'FAILED_PRECONDITION' } }, 'invalid_request'],
    ['Gemini in an array', [google(429, 'RESOURCE_EXHAUSTED')], 'rate_limited'],
    ['OpenRouter by its code', { error: { code: 502, message: 'x' }, choices: [] }, 'server_error'],
    ['OpenRouter, no credits', { error: { code: 402, message: 'x' }, choices: [] }, 'quota_exhausted'],
    ['OpenRouter, moderation', openrouter(403, { reasons: ['x'] }), 'refusal'],
    ['OpenRouter, moderation, the input only', openrouter(403, { flagged_input: '…' }), 'refusal'],
    ['a code that is no status', { error: { code: 200, message: 'x' } }, 'unknown'],
    ['a code that is a redirect', { error: { code: 302, message: 'x' } }, 'unknown'],
    ['a gateway that did not succeed', { success: false, message: 'x' }, 'unknown'],
    ['OpenRouter, busy', { error: { code: 529, message: 'x' } }, 'overloaded'],
    ['Groq tool', { error: { code: 'tool_use_failed', type: 'invalid_request_error', status_code: 400, message: 'x' } }, 'tool_schema'],
    ['Groq over capacity', { error: { message: 'x', type: 'internal_server_error', status_code: 498 } }, 'invalid_request'],
    ['DeepSeek', { error: { code: 'insufficient_system_resource', message: 'x' } }, 'overloaded'],
    ['z.ai plan', { error: { code: '1113', message: 'x' } }, 'quota_exhausted'],
    ['z.ai, flat', { code: 1113, message: 'x' }, 'quota_exhausted'],
    ['Azure filter', { error: { code: 'content_filter', innererror: { code: 'ResponsibleAIPolicyViolation' } } }, 'refusal'],
    ['vLLM', { object: 'error', message: 'x', type: 'BadRequestError', param: null, code: 400 }, 'invalid_request'],
    ['Mistral', { object: 'error', message: 'x', type: 'server_error', code: null }, 'server_error'],
    ['Ollama', { error: 'an error was encountered while running the model: unexpected EOF' }, 'unknown'],
    ['Ollama, the window', { error: 'prompt too long; exceeded max context length by 17 tokens' }, 'context_window'],
    ['xAI, busy', { code: 'The service is currently unavailable', error: 'x' }, 'server_error'],
    ['xAI, a limit', { code: 'Some resource has been exhausted', error: 'x' }, 'rate_limited'],
    ['xAI, the argument', { code: 'Client specified an invalid argument', error: 'x' }, 'invalid_request'],
    ['xAI, the window', { code: 'Client specified an invalid argument', error: "This model's maximum prompt length is 9 but …" }, 'context_window'],
    ['xAI, the key', { code: 'The request does not have valid authentication credentials', error: 'x' }, 'auth'],
    ['xAI, not allowed', { code: 'The caller does not have permission to execute the specified operation', error: 'x' }, 'forbidden'],
    ['a gateway, numbered', { code: 503, message: 'x' }, 'server_error'],
    ['a gateway, listed', { success: false, errors: [{ code: 401, message: 'x' }] }, 'auth'],
    ['a gateway, in a list', { success: false, error: [{ code: 2001, message: 'x' }] }, 'unknown'],
    ['nothing typed', { error: { message: 'boom 429 401 port 503' } }, 'unknown'],
  ]

  it.each(rows)('%s', (_title, frame, kind) => {
    expect(inStream(frame)).toMatchObject({ kind, status: null, phase: 'stream' })
    expect(kindOf(200, frame)).toBe(kind)
    expect(kindOf(200, JSON.stringify(frame))).toBe(kind)
    expect(kindOf(200, `event: error\ndata: ${JSON.stringify(frame)}\n\n`)).toBe(Array.isArray(frame) || !isFramed(frame) ? 'protocol' : kind)
  })

  /** Only what calls itself an error is looked for among the lines of a stream. */
  const isFramed = (frame: unknown): boolean =>
    typeof frame === 'object' &&
    frame !== null &&
    ('error' in frame || 'errors' in frame || 'object' in frame || 'response' in frame || 'type' in frame)

  it.each([
    ['HTML', '<!doctype html><title>Sign in</title><p>too many tokens</p>'],
    ['nothing', ''],
    ['JSON of something else', '{"models":[]}'],
    ['a message without a status', '{"detail":"Not authenticated"}'],
    ['a number', '429'],
    ['a list', '[429, 503]'],
    ['null', 'null'],
  ])('a 200 with %s is no answer of the protocol', (_title, body) => expect(kindOf(200, body)).toBe('protocol'))

  it.each([
    ['<!doctype html><title>Sign in</title>', ': <!doctype html><title>Sign in</title>'],
    ['{"detail":"Not authenticated"}', ': Not authenticated'],
    ['data: {"choices":[{"delta":{"content":"My answer"}}]}\n\n', ': text/x-something'],
    ['{"response":"My answer"}', ''],
    ['"My answer"', ': text/x-something'],
    ['My answer', ': text/x-something'],
    ['', ': text/x-something'],
  ])('R36 of a 200 that is no answer of the protocol is told what stands in the way, and no text of an answer: %s', (body, told) => {
    const { message } = classifyResponse({ api: 'openai-chat', status: 200, headers: { 'content-type': 'text/x-something' }, body, now: NOW })
    expect(message).toBe(`HTTP 200 without an answer of the protocol${told}`)
  })

  it('a message that is a list of findings is told in its first words', () => {
    const { message } = classifyResponse({ api: 'openai-chat', status: 422, body: { detail: [{ loc: ['x'], msg: 'Field required' }] }, now: NOW })
    expect(message).toBe('HTTP 422: Field required')
  })
})
