import { describe, expect, it } from 'vitest'
import { classifyInStream, classifyResponse } from '../../../src/engines/http/failure.ts'

const kindOf = (status: number, body: unknown) => classifyResponse({ api: 'openai-chat', status, body, now: 0 }).kind

/** The words that are read out of a text, each where it counts and where it does not. */
describe('R20 the prompt did not fit', () => {
  const SAID = [
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'the prompt exceeds the context window',
    'larger than the context window of this model',
    'the input length exceeds the context length',
    'the request exceeds the available context size, try increasing it',
    "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
    'Prompt contains 40000 tokens and is too large for model with 32768 maximum context length',
    'context length exceeded',
    'too many tokens',
    'too many tokens: total number of tokens in the prompt cannot exceed 4081',
    'Too many tokens per request',
    'token limit exceeded',
    'prompt is too long: 213462 tokens > 200000 maximum',
    'Input is too long for requested model.',
    'Prompt exceeds max length',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    'The input token count exceeds the maximum number of tokens allowed 1048576.',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'Please reduce the length of the messages or completion.',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
    'prompt token count of 140000 exceeds the limit of 128000',
    'invalid params, context window exceeds limit',
    'Your request exceeded model token limit: 262144 (requested: 300000)',
    'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000',
    'prompt too long; exceeded max context length by 17 tokens',
    'The decoder prompt (length 140000) is longer than the maximum model length of 131072.',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096.',
    'upstream said context_length_exceeded',
    'PROMPT IS TOO LONG',
    'prompt  is\n too long',
  ]

  it.each(SAID)('%s', (text) => {
    for (const status of [400, 401, 413, 422, 429, 500, 503]) expect([status, kindOf(status, text)]).toEqual([status, 'context_window'])
    expect(kindOf(400, { error: { message: text, type: 'invalid_request_error' } })).toBe('context_window')
    expect(classifyInStream({ api: 'x', error: { error: text }, now: 0 }).kind).toBe('context_window')
  })

  it.each([
    'Too many tokens per minute',
    'Too many tokens per day, please wait before trying again.',
    'Too many tokens, please wait before trying again.',
    'too many tokens/min',
    'too many tokens in the last minute',
    'too many tokens in the past hour',
    'too many tokens per second',
    'too many tokens per week',
    'too many tokens per month',
    'hourly token limit exceeded',
    'daily token limit exceeded',
    'weekly token limit exceeded',
    'monthly token limit exceeded',
    'Per-minute token limit exceeded',
    'token limit exceeded per hour',
  ])('a rate of tokens is none: %s', (text) => {
    expect(kindOf(429, text)).toBe('rate_limited')
    expect(kindOf(400, text)).toBe('invalid_request')
    expect(kindOf(500, text)).toBe('server_error')
  })

  it('a rate beside an overflow does not hide it', () => {
    expect(kindOf(400, 'Not too many tokens per minute, but too many tokens')).toBe('context_window')
  })

  it.each([
    'The name exceeds the limit of 64 characters',
    'max_output_tokens exceeds the maximum number of tokens allowed',
    'Invalid value for maximum prompt length',
    'The maximum prompt length isolates nothing',
    'supprompt is too long',
    'reduce the number of messages',
    "Invalid 'messages[0].content': string too long. Expected a string with maximum length 10485760",
    'Your file is greater than the allowed length',
    'This model supports at most 4096 completion tokens',
  ])('another sentence is none: %s', (text) => expect(kindOf(400, text)).toBe('invalid_request'))

  it('a typed limit is not overruled by its words', () => {
    expect(kindOf(429, { error: { code: 'rate_limit_exceeded', message: 'token limit exceeded' } })).toBe('rate_limited')
    expect(classifyInStream({ api: 'x', error: { __type: 'throttlingException', message: 'Too many tokens' }, now: 0 }).kind).toBe('rate_limited')
  })
})

describe('C38 a 429 that cannot be waited out, phrase by phrase', () => {
  const UNCOVERED = [
    'the current account plan does not include x',
    "your subscription doesn't include x",
    'x is not included',
    'Insufficient Balance',
    'error: insufficient_balance',
    'you are out of credits',
    'no available package',
    'package not active',
    'please purchase package first',
    'model not available for your plan',
  ]
  const SPENT = ['insufficient quota', 'error: insufficient_quota', 'Quota exhausted']

  it.each([...UNCOVERED, ...SPENT])('%s', (text) => {
    for (const body of [text, { error: { message: text, code: 'rate_limit_exceeded' } }]) expect(kindOf(429, body)).toBe('quota_exhausted')
    expect(kindOf(429, `${text}. Please try again in 5s`)).toBe('quota_exhausted')
    expect(kindOf(503, text)).toBe('server_error')
  })

  it.each(['cannot include more', 'reinsufficient balance', 'subpackage not active', 'knockout of credits'])(
    'a phrase counts only where a word begins: %s',
    (text) => expect(kindOf(429, text)).toBe('rate_limited'),
  )

  it.each(['per day', 'daily', 'per week', 'weekly', 'per month', 'monthly', '(RPD)', '(TPD)'])('a quota that is spent %s has a reset', (period) => {
    for (const text of SPENT) {
      expect(kindOf(429, `${text}, ${period}. Please try again in 7h`)).toBe('rate_limited')
      expect(kindOf(429, `${text}, ${period}.`)).toBe('quota_exhausted')
    }
    for (const text of UNCOVERED) expect(kindOf(429, `${text}, ${period}. Please try again in 7h`)).toBe('quota_exhausted')
  })
})

describe('R22 a refusal that only its words tell', () => {
  it.each([
    [400, 'Output blocked by content filtering policy'],
    [403, 'x requires moderation on y. Your input was flagged for "violence". No credits were charged.'],
    [400, "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."],
    [400, 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.'],
  ])('%i %s', (status, text) => {
    expect(kindOf(status, { error: { message: text, type: 'invalid_request_error' } })).toBe('refusal')
    expect(kindOf(500, text)).toBe('server_error')
    expect(kindOf(429, text)).toBe('rate_limited')
  })
})

describe('C36 a rejected tool call', () => {
  it('is told by how the message begins', () => {
    expect(kindOf(400, 'Tool call validation failed: x')).toBe('tool_schema')
    expect(kindOf(400, 'No tool output found for tool call call-a.')).toBe('invalid_request')
    expect(kindOf(400, 'the last tool call validation failed')).toBe('invalid_request')
  })
})
