import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf } from './kit.ts'
import {
  API,
  added,
  call,
  completed,
  created,
  delta,
  done,
  type Event,
  failureOf,
  incomplete,
  last,
  message,
  read,
  STOP,
  sse,
  types,
  usage,
  whole,
} from './responses.ts'

describe('R25 completion of openai-responses', () => {
  it.each(['strict', 'lenient', 'done', 'finish', 'either'] as const)('%s wants response.completed', (completion) => {
    expect(failureOf(decodeAll(API, [sse(created, delta('hi'), 'data: [DONE]\n\n')], completion))?.kind).toBe('truncated')
    expect(last(decodeAll(API, [sse(created, delta('hi'), completed())], completion))).toEqual(STOP)
  })

  it('an event without its blank line has not come', () => {
    expect(failureOf(decodeAll(API, [sse(delta('hi'), completed()).slice(0, -1)]))?.kind).toBe('truncated')
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['max_messages', 'max_messages'],
    ['constructor', 'constructor'],
    [null, 'length'],
  ])('response.incomplete for %s finishes as %s', (reason, finish) => {
    expect(last(read(delta('so far'), incomplete(reason)))).toEqual({ type: 'final', finish, terminated: true })
  })

  it('a response.completed that says why it is incomplete is incomplete', () => {
    expect(last(read(delta('x'), completed({ incomplete_details: { reason: 'max_output_tokens' } })))).toMatchObject({ finish: 'length' })
  })

  it('what stands behind the end is ignored and told; the [DONE] of OpenRouter is no content', () => {
    expect(last(read(delta('a'), completed(), 'data: [DONE]\n\n'))).toEqual(STOP)
    const late = read(delta('a'), completed(), delta('b'))
    expect([textOf(late), last(late)]).toEqual(['a', { ...STOP, contentAfter: true }])
  })

  it('a cancelled response is no answer', () => {
    expect(failureOf(read(delta('a'), { type: 'response.cancelled', response: { status: 'cancelled' } }))?.kind).toBe('truncated')
  })
})

describe('errors inside a stream', () => {
  const inner = { type: 'server_error', code: 'server_error', message: 'boom' }
  it.each<[string, Event | string, string]>([
    ['nested', { type: 'error', error: inner }, 'server_error'],
    ['flat', { type: 'error', code: 'rate_limit_exceeded', message: 'slow down', param: null, sequence_number: 3 }, 'rate_limited'],
    [
      'a failed response',
      { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'boom' } } },
      'server_error',
    ],
    ['an overloaded one', { type: 'response.failed', response: { error: { code: 'server_is_overloaded', message: 'busy' } } }, 'overloaded'],
    [
      'a context window',
      { type: 'response.failed', response: { error: { code: 'context_length_exceeded', message: 'too long' } } },
      'context_window',
    ],
    ['a gateway that names no type', 'data: {"error":{"message":"boom","type":"server_error"}}\n\n', 'server_error'],
    ['a gateway that names the event', 'event: error\ndata: {"message":"boom"}\n\n', 'unknown'],
    ['a completed response that has an error', completed({ error: { code: 'server_error', message: 'boom' } }), 'server_error'],
  ])('%s', (_title, event, kind) => {
    const events = read(created, delta('a'), event)
    expect(types(events)).toEqual(['text', 'failed'])
    expect(failureOf(events)?.kind).toBe(kind)
  })

  it('the error and the response that failed by it are told once', () => {
    const error = { code: 'insufficient_quota', message: 'You exceeded your current quota' }
    const pair = [
      { type: 'error', error: { type: 'insufficient_quota', ...error } },
      { type: 'response.failed', response: { status: 'failed', error } },
    ]
    for (const events of [read(created, ...pair), decodeAll(API, cutAtRandom(sse(created, ...pair), seeded(1)))]) {
      expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'quota_exhausted', code: 'insufficient_quota' } }])
    }
  })

  it('R34 keeps the usage of a response that failed', () => {
    const failed = { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'boom' }, usage } }
    expect(types(read(delta('a'), failed))).toEqual(['text', 'usage', 'failed'])
  })

  it('§12.4 keeps calls back from a stream that breaks or fails', () => {
    const begun = [added(0, call({ arguments: '' })), done(0, call())]
    expect(types(read(...begun))).toEqual(['failed'])
    expect(types(read(...begun, { type: 'error', error: inner }))).toEqual(['failed'])
  })

  it('a field named error in an event of the protocol is none', () => {
    const failedTool: Event = { type: 'response.mcp_call.failed', output_index: 0, item_id: 'mcp', error: 'the server is gone' }
    expect(last(read(added(0, { type: 'mcp_call', id: 'mcp', name: 'ask' }), failedTool, completed()))).toEqual(STOP)
  })

  it('a second beginning is a splice once there is output, and harmless before', () => {
    expect(last(read(created, created, delta('a'), completed()))).toEqual(STOP)
    const spliced = sse(created, delta('a'), created, delta('a'), completed())
    const offset = Buffer.from(spliced).lastIndexOf('event: response.created')
    expect(failureOf(decodeAll(API, [spliced]))).toMatchObject({ kind: 'protocol', code: 'spliced_response', offset })
  })

  it('names the byte of an event that is no JSON', () => {
    const body = sse(created, delta('é'), 'event: response.completed\ndata: {"type":\n\n')
    const offset = Buffer.from(body).lastIndexOf('event: response.completed')
    for (const chunks of [[body], cutAtRandom(body, seeded(2))]) expect(failureOf(decodeAll(API, chunks))).toMatchObject({ kind: 'protocol', offset })
  })
})

describe('words', () => {
  it('tells reasoning, summarised and raw, apart from text', () => {
    const events = read(
      { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'sum' },
      { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'raw' },
      { type: 'response.reasoning.delta', output_index: 0, content_index: 0, delta: 'old' },
      delta('hi', { output_index: 1 }),
      completed(),
    )
    expect(events.slice(0, -1)).toEqual([
      { type: 'reasoning', text: 'sum' },
      { type: 'reasoning', text: 'raw' },
      { type: 'reasoning', text: 'old' },
      { type: 'text', text: 'hi' },
    ])
  })

  it('tells once what comes as deltas, as a whole part, as a whole item and in the whole answer', () => {
    const text: Event = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'hi' }
    const item = message('hi')
    const all = [added(0, { ...item, content: [] }), delta('hi'), text, done(0, item), completed({ output: [item] })]
    expect(textOf(read(...all))).toBe('hi')
    for (const from of [0, 2, 3, 4]) expect(textOf(read(...all.slice(from)))).toBe('hi')
    expect(textOf(read(text, text, completed({ output: [item] })))).toBe('hi')
  })

  it('tells once what a server says without places, ids or with an id for every event', () => {
    const bare: Event = { type: 'response.output_text.delta', delta: 'h' }
    expect(textOf(read(bare, { ...bare, delta: 'i' }, completed({ output: [message('hi')] })))).toBe('hi')
    expect(textOf(read(bare, { ...bare, delta: 'i' }, { type: 'response.output_item.done', item: message('hi') }, completed()))).toBe('hi')
    const minted = [delta('h', { item_id: 'x1' }), delta('i', { item_id: 'x2' }), done(0, { ...message('hi'), id: 'x3' })]
    expect(textOf(read(added(0, { ...message(''), id: 'x0' }), ...minted, completed({ output: [{ ...message('hi'), id: 'x4' }] })))).toBe('hi')
  })

  it('keeps the items of a server apart that numbers them all 0', () => {
    const events = read(
      added(0, { ...message(''), content: [] }),
      delta('hi'),
      done(0, message('hi')),
      added(0, call({ arguments: '' })),
      done(0, call()),
      completed(),
    )
    expect(events.slice(0, 2)).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 'call_1', name: 'f', arguments: '{"a":1}' },
    ])
  })

  it('a resumed stream tells what comes, and not again what came before', () => {
    const output = [message('before'), { ...message('after'), id: 'msg2' }]
    expect(textOf(read(delta('after', { output_index: 1, item_id: 'msg2' }), completed({ output })))).toBe('after')
  })

  it('R22 a refusal is a finish, and its words are no text', () => {
    const refused = { type: 'final', finish: 'content_filter', terminated: true }
    expect(read({ type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'I will not' }, completed())).toEqual([refused])
    expect(whole({ status: 'completed', output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'no' }] }] })).toEqual([refused])
  })

  it('a thought without readable words is reasoning without text', () => {
    const thought = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'c2ln' }
    expect(read(added(0, thought), done(0, thought), completed({ output: [thought] }))).toEqual([{ type: 'reasoning', text: '' }, STOP])
  })
})

describe('a whole answer', () => {
  it('is read as its stream is', () => {
    const output = [{ type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'hm' }] }, message('hi'), call()]
    const cached = { ...usage, input_tokens_details: { cached_tokens: 2 }, output_tokens_details: { reasoning_tokens: 3 } }
    const answer = { object: 'response', status: 'completed', error: null, output, usage: cached }
    expect(whole(answer)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { type: 'usage', input: 5, output: 7, cachedInput: 2 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
    expect(summary(read({ type: 'response.completed', response: answer }))).toEqual(summary(whole(answer)))
  })

  it.each(['', '<html>', '[]', '{}', '5', '{"output":"x"}', '{"choices":[]}'])('%j is no answer', (text) => {
    expect(failureOf(whole(text))).toMatchObject({ kind: 'protocol', phase: 'call' })
  })

  it.each([
    [{ status: 'failed', error: { code: 'server_error', message: 'boom' }, output: [] }, 'server_error'],
    [{ error: { type: 'invalid_request_error', code: null, message: 'no' } }, 'invalid_request'],
    [{ status: 'cancelled', output: [] }, 'truncated'],
    [{ status: 'queued', output: [] }, 'invalid_request'],
  ])('%j is a failure', (body, kind) => {
    expect(failureOf(whole(body))).toMatchObject({ kind, phase: 'call' })
  })

  it('a background answer names the field to leave out', () => {
    expect(failureOf(whole({ status: 'in_progress', output: [] }))?.message).toMatch(/`background`/)
  })
})

it('is not surprised by what it does not know', () => {
  const odd: (Event | string)[] = [
    'data: {}\n\n',
    'data: {"type":5}\n\n',
    { type: 'response.output_item.added' },
    { type: 'response.output_item.done', item: null },
    done(3, { type: 'compaction', encrypted_content: 'x' }),
    delta('', {}),
    { type: 'response.output_text.delta', delta: 5 },
    { type: 'response.function_call_arguments.delta', output_index: 9, delta: null },
    { type: 'response.web_search_call.' },
    { type: 'response..' },
    { type: 'codex.rate_limits', plan_type: 'plus' },
  ]
  const items = [
    null,
    5,
    { type: 7 },
    { type: 'message', content: [null, { type: 'output_text' }] },
    { type: 'reasoning', summary: 'x', content: {} },
  ]
  const events = read(...odd, delta('a'), completed({ output: items }))
  expect([textOf(events), last(events)]).toEqual(['a', STOP])
  expect(last(read({ type: 'response.completed' }))).toEqual(STOP)
})
