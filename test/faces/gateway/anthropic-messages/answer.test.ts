import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerOfMessages, CallIds, inputText } from '../../../../src/faces/gateway/anthropic-messages/answer.ts'
import { anthropicError } from '../../../../src/faces/gateway/anthropic-messages/error.ts'
import { withoutOwnThoughts } from '../../../../src/faces/gateway/anthropic-messages/own-thought.ts'
import { readMessages } from '../../../../src/faces/gateway/anthropic-messages/read.ts'
import { MessagesVoice } from '../../../../src/faces/gateway/anthropic-messages/voice.ts'
import type { Content, Summary } from '../../../../src/faces/gateway/dialect.ts'
import { type ProblemKind, problemOf } from '../../../../src/faces/gateway/problem.ts'
import type { Outcome, ToolCall } from '../../../../src/index.ts'

const REQUEST = readMessages({ max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] })
const HEAD = { turn: 'turn-1', model: 'm1', at: 0, request: REQUEST }
const RELEVO: Summary = { turn: 'turn-1', requested: null, served: null, attempts: [], notice: null, cost: null, usage: null }

function outcomeOf(over: Partial<Outcome>): Outcome {
  const base = { kind: 'ok', text: '', reasoning: '', toolCalls: [], message: null, partialText: null, requested: null, served: null, attempts: [] }
  const rest = { failures: [], usage: null, cost: null, notice: null, retryAt: null, attribution: null, recoveredFrom: null, error: null }
  return { ...base, ...rest, historyShortened: false, unterminated: false, startedAt: 0, endedAt: 0, ...over } as Outcome
}

interface Told {
  readonly name: string
  readonly data: { readonly type: string; readonly index?: number; readonly [field: string]: unknown }
}

function told(events: readonly Content[], outcome: Outcome): Told[] {
  const voice = new MessagesVoice(HEAD)
  const text = [...events.map((event) => voice.content(event)), voice.end(outcome, RELEVO)].join('')
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(frame) ?? []
      return { name, data: JSON.parse(data) }
    })
}

const call = (id: string | null, args = '{}'): ToolCall => ({ id, name: 'add', arguments: args })

describe('a streamed message', () => {
  test('opens and closes one block after the other, each with the next index', () => {
    const calls = [call('a', '{"a":1}'), call(null)]
    const events: Content[] = [
      { type: 'reasoning', text: 'Hm. ' },
      { type: 'reasoning', text: 'Well.' },
      { type: 'text', text: 'One' },
      { type: 'reasoning', text: 'But.' },
      { type: 'text', text: 'Two' },
      ...calls.map((each): Content => ({ type: 'toolCall', ...each })),
    ]
    const frames = told(events, outcomeOf({ text: 'OneTwo', toolCalls: calls }))
    expect(frames.every(({ name, data }) => name === data.type)).toBe(true)
    expect(frames.map(({ name, data }) => (data.index === undefined ? name : `${name.replace('content_block_', '')} ${data.index}`))).toEqual([
      'message_start',
      ...['start 0', 'delta 0', 'delta 0', 'delta 0', 'stop 0'],
      ...['start 1', 'delta 1', 'stop 1'],
      ...['start 2', 'delta 2', 'delta 2', 'stop 2'],
      ...['start 3', 'delta 3', 'stop 3'],
      ...['start 4', 'delta 4', 'stop 4'],
      ...['start 5', 'delta 5', 'stop 5'],
      'message_delta',
      'message_stop',
    ])
    expect(frames.at(-1)?.data).toEqual({ type: 'message_stop', relevo: RELEVO })
    expect(frames.at(-2)?.data).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  test('without a word is a message all the same', () => {
    const frames = told([], outcomeOf({ kind: 'refused' }))
    expect(frames.map(({ name }) => name)).toEqual(['message_start', 'message_delta', 'message_stop'])
    expect(frames[1]?.data).toMatchObject({ delta: { stop_reason: 'refusal', stop_details: { type: 'refusal' } } })
  })

  test('that came whole tells from its start what went in', () => {
    const attempts = [{ accepted: true, usage: { input: 5, output: 2 } }] as unknown as Outcome['attempts']
    const frames = told([{ type: 'answer', text: 'Hi', toolCalls: [] }], outcomeOf({ text: 'Hi', reasoning: 'Hm.', attempts }))
    expect(frames[0]?.data).toMatchObject({ message: { usage: { input_tokens: 5 } } })
    expect(frames.map(({ data }) => data.content_block).filter(Boolean)).toMatchObject([{ type: 'thinking' }, { type: 'text' }])
  })

  test('that breaks off ends in its error, and nothing closes', () => {
    const voice = new MessagesVoice(HEAD)
    voice.content({ type: 'text', text: 'Half' })
    const end = voice.broken(problemOf('upstream', 'It broke.', { code: 'interrupted' }), RELEVO)
    expect(end).toMatch(/^event: error\ndata: \{"type":"error".*\}\n\n$/)
    expect(end).not.toContain('stop')
  })
})

describe('arguments', () => {
  test.each([
    ['{"a": 1}', '{"a": 1}'],
    ['', '{}'],
    [' ', '{}'],
    ['{"a":', '{"invalid_arguments":"{\\"a\\":"}'],
    ['[1]', '{"invalid_arguments":"[1]"}'],
    ['null', '{"invalid_arguments":"null"}'],
    ['"a"', '{"invalid_arguments":"\\"a\\""}'],
  ])('%j are %s', (text, expected) => {
    expect(inputText(text)).toBe(expected)
  })

  test('of any text are an object that can be written, whole and streamed alike', () => {
    const depths = fc.nat(20_000).map((depth) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), depths), (text) => {
        const input: unknown = JSON.parse(inputText(text))
        expect(JSON.stringify(input).startsWith('{')).toBe(true)
        const toolCalls = [call('a', text)]
        const { content } = answerOfMessages({ ...HEAD, outcome: outcomeOf({ toolCalls }) }) as { content: { input: unknown }[] }
        expect(JSON.stringify(content[0]?.input)).toBe(JSON.stringify(input))
        const delta = told([{ type: 'toolCall', ...call('a', text) }], outcomeOf({ toolCalls }))[2]?.data.delta as { partial_json: string }
        expect(delta.partial_json).toBe(inputText(text))
      }),
      { numRuns: 100 },
    )
  })
})

test('ids of calls are those of the provider where Anthropic takes them, and never the same twice', () => {
  const ids = new CallIds('turn-1')
  const given = ['call_1', null, 'functions.add:0', 'call_1', '', 'x'.repeat(65)].map((id) => ids.of({ id }))
  expect(given[0]).toBe('call_1')
  expect(new Set(given).size).toBe(given.length)
  expect(given.every((id) => /^[A-Za-z0-9_-]{1,64}$/.test(id))).toBe(true)
})

describe('thoughts that bear our mark', () => {
  const { content } = answerOfMessages({ ...HEAD, outcome: outcomeOf({ reasoning: 'Hm.' }) }) as { content: object[] }
  const [ours = {}] = content
  const theirs = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }

  test('streamed and whole alike', () => {
    const [, , , signed] = told([{ type: 'reasoning', text: 'Hm.' }], outcomeOf({}))
    expect(signed?.data.delta).toMatchObject({ type: 'signature_delta', signature: (ours as { signature?: string }).signature })
  })

  test('are taken out of a body, and nothing else is', () => {
    const text = { type: 'text', text: 'So.' }
    const body = {
      max_tokens: 1,
      messages: [
        { role: 'assistant', content: [ours, theirs, text] },
        { role: 'user', content: 'And?' },
      ],
    }
    expect(withoutOwnThoughts(body)).toEqual({
      max_tokens: 1,
      messages: [
        { role: 'assistant', content: [theirs, text] },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(withoutOwnThoughts({ messages: [{ role: 'assistant', content: [ours] }] })).toEqual({ messages: [] })
  })

  test('a body without any is the same object', () => {
    const body = { messages: [{ role: 'assistant', content: [theirs] }, null, { content: [null, 3] }] }
    expect(withoutOwnThoughts(body)).toBe(body)
  })
})

describe('errors', () => {
  test.each([
    ['invalid_request', 400, 'invalid_request_error'],
    ['authentication', 401, 'authentication_error'],
    ['permission', 403, 'permission_error'],
    ['not_found', 404, 'not_found_error'],
    ['too_large', 413, 'request_too_large'],
    ['rate_limit', 429, 'rate_limit_error'],
    ['internal', 500, 'api_error'],
    ['upstream', 502, 'api_error'],
    ['overloaded', 503, 'api_error'],
    ['timeout', 504, 'timeout_error'],
  ] satisfies [ProblemKind, number, string][])('%s, status %i, is %s', (kind, status, type) => {
    const problem = problemOf(kind, 'What, and what to do.')
    expect(problem.status).toBe(status)
    expect(anthropicError(problem, null)).toEqual({ type: 'error', error: { type, message: 'What, and what to do.', code: kind }, request_id: null })
  })

  test('529 alone is overloaded_error', () => {
    expect(anthropicError(problemOf('overloaded', '', { status: 529 }), RELEVO)).toMatchObject({
      error: { type: 'overloaded_error' },
      request_id: 'turn-1',
    })
  })
})
