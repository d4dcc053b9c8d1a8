import { describe, expect, it } from 'vitest'
import { readStream } from '../../../src/engines/http/read.ts'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'
import { bytes, cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { anthropicVariant, chatVariant } from './variants.ts'

/** Small streams of our own making (wire.md §1, §3, §6–8), so that a clone proves itself without recordings. */
const sse = (...events: unknown[]) =>
  bytes(events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join(''))
const DONE = 'data: [DONE]\n\n'
const delta = (value: unknown, finish: string | null = null) => ({ choices: [{ index: 0, delta: value, finish_reason: finish }] })
const chat = (body: Uint8Array, completion: CompletionPolicy = 'strict') => decodeAll('openai-chat', [body], completion)
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]
const types = (events: readonly ProviderEvent[]) => events.map((event) => event.type)

describe.each([
  ['openai-chat', chatVariant],
  ['anthropic-messages', anthropicVariant],
] as const)('R25 generated variants of %s', (api, make) => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('variant %i', (seed) => {
    const variant = make(seeded(1000 + seed))
    const events = decodeAll(api, [variant.body])
    expect(textOf(events)).toBe(variant.text)
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe(variant.reasoning)
    expect(events.filter((event) => event.type === 'toolCall')).toEqual(variant.calls.map((call) => ({ type: 'toolCall', ...call })))
    expect(events.slice(-2)).toEqual([
      { type: 'usage', ...variant.usage },
      { type: 'final', finish: variant.finish, terminated: true },
    ])
    for (let cut = 0; cut < 3; cut += 1) expect(summary(decodeAll(api, cutAtRandom(variant.body, seeded(cut))))).toEqual(summary(events))
    for (const end of ['\r\n', '\r'] as const) expect(summary(decodeAll(api, [withLineEnds(variant.body, end)]))).toEqual(summary(events))
    for (const completion of ['strict', 'lenient'] as const) {
      const wholeFrom = api === 'anthropic-messages' && completion === 'strict' ? Number.POSITIVE_INFINITY : variant.finishAt
      expect(verdicts(api, variant.body, completion)).toEqual(
        Array.from({ length: variant.body.length + 1 }, (_, at) =>
          at >= variant.endAt ? 'complete' : at >= wholeFrom ? 'complete-unterminated' : 'truncated',
        ),
      )
    }
  })
})

describe('R25 completion of openai-chat', () => {
  const text = delta({ content: 'hi' })
  const finish = delta({}, 'stop')
  const cases: [string, Uint8Array, Record<'done' | 'finish' | 'either' | 'strict' | 'lenient', 'final' | 'truncated'>][] = [
    ['finish and [DONE]', sse(text, finish, DONE), { done: 'final', finish: 'final', either: 'final', strict: 'final', lenient: 'final' }],
    ['finish, no [DONE]', sse(text, finish), { done: 'truncated', finish: 'final', either: 'final', strict: 'final', lenient: 'final' }],
    ['[DONE], no finish', sse(text, DONE), { done: 'final', finish: 'truncated', either: 'final', strict: 'final', lenient: 'final' }],
    ['neither', sse(text), { done: 'truncated', finish: 'truncated', either: 'truncated', strict: 'truncated', lenient: 'truncated' }],
    ['nothing', sse(), { done: 'truncated', finish: 'truncated', either: 'truncated', strict: 'truncated', lenient: 'truncated' }],
  ]
  it.each(cases)('%s', (_title, body, expected) => {
    for (const [policy, end] of Object.entries(expected)) {
      const event = last(chat(body, policy as CompletionPolicy))
      expect(event?.type === 'failed' ? event.failure.kind : event?.type).toBe(end)
    }
  })

  it('[DONE] without a finish reason ends with none', () => {
    expect(last(chat(sse(text, DONE)))).toEqual({ type: 'final', finish: null, terminated: true })
  })

  it('[DONE] counts with its newline, an unfinished event never', () => {
    expect(last(chat(sse(text, 'data: [DONE]\n')))).toEqual({ type: 'final', finish: null, terminated: true })
    expect(failureOf(chat(sse(text, 'data: [DONE]')))?.kind).toBe('truncated')
    const cut = sse(text, `data: ${JSON.stringify(finish)}\n`)
    expect(failureOf(chat(cut))?.kind).toBe('truncated')
  })
})

describe('the chat protocol', () => {
  it('tells text, reasoning, calls, usage and the end, in this order', () => {
    const events = chat(
      sse(
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning_content: 'hm' }),
        delta({ content: 'hi' }),
        delta({ tool_calls: [{ index: 1, id: 'b', function: { name: 'two', arguments: '{"x"' } }] }),
        delta({
          tool_calls: [
            { index: 1, function: { arguments: ':1}' } },
            { index: 2, id: 'c', function: { name: 'three', arguments: '' } },
          ],
        }),
        delta({}, 'stop'),
        { choices: [], usage: { prompt_tokens: 5, completion_tokens: 7 } },
        DONE,
      ),
    )
    expect(events).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 'b', name: 'two', arguments: '{"x":1}' },
      { type: 'toolCall', id: 'c', name: 'three', arguments: '{}' },
      { type: 'usage', input: 5, output: 7 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })

  it('§12.4 keeps tool calls back from a stream that breaks', () => {
    const events = chat(sse(delta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '' } }] })))
    expect(types(events)).toEqual(['failed'])
  })

  it('takes whole calls without an index, and calls that share an index', () => {
    const whole = (id: string, index?: number) => ({
      id,
      ...(index === undefined ? {} : { index }),
      function: { name: 'f', arguments: `{"id":"${id}"}` },
    })
    for (const pieces of [
      [whole('a'), whole('b')],
      [whole('a', 0), whole('b', 0)],
    ]) {
      const events = chat(sse(delta({ tool_calls: pieces }), delta({}, 'tool_calls'), DONE))
      expect(events.filter((event) => event.type === 'toolCall').map((call) => call.type === 'toolCall' && call.arguments)).toEqual([
        '{"id":"a"}',
        '{"id":"b"}',
      ])
    }
  })

  it('takes the old function_call', () => {
    const events = chat(
      sse(delta({ function_call: { name: 'f', arguments: '{' } }), delta({ function_call: { arguments: '}' } }, 'function_call'), DONE),
    )
    expect(events).toEqual([
      { type: 'toolCall', id: null, name: 'f', arguments: '{}' },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })

  it('R22 a refusal is a finish, and its words are no text', () => {
    expect(chat(sse(delta({ refusal: 'I will not' }), delta({}, 'stop'), DONE))).toEqual([
      { type: 'final', finish: 'content_filter', terminated: true },
    ])
  })

  it('§8 Mistral content parts and model_length', () => {
    const parts = [
      {
        type: 'thinking',
        thinking: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { type: 'text', text: 'c' },
    ]
    expect(chat(sse(delta({ content: parts }), delta({}, 'model_length'), DONE))).toEqual([
      { type: 'reasoning', text: 'ab' },
      { type: 'text', text: 'c' },
      { type: 'final', finish: 'length', terminated: true },
    ])
  })

  it('§8 Groq tells a tool that ran at the provider, never a toolCall', () => {
    const tool = { index: 0, type: 'search', arguments: '{"q":1}' }
    const events = chat(sse(delta({ executed_tools: [tool] }), delta({ executed_tools: [{ ...tool, output: 'found' }] }), delta({}, 'stop'), DONE))
    expect(events.slice(0, 2)).toEqual([
      { type: 'providerToolCall', id: null, name: 'search', arguments: '{"q":1}' },
      { type: 'providerToolResult', id: null, name: 'search', output: 'found' },
    ])
  })

  it('§8 xAI leaves reasoning out of its count, Groq tells usage beside the chunk', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 31, completion_tokens_details: { reasoning_tokens: 20 } }
    expect(chat(sse(delta({}, 'stop'), { choices: [], usage }, DONE))[0]).toEqual({ type: 'usage', input: 10, output: 21 })
    const beside = { ...delta({}, 'stop'), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 4 } } }
    expect(chat(sse(beside, DONE))[0]).toEqual({ type: 'usage', input: 3, output: 4 })
  })

  it.each<[string, unknown, string]>([
    ['OpenAI', { error: { message: 'x', type: 'server_error', code: null } }, 'server_error'],
    ['OpenRouter, with choices', { error: { code: 502, message: 'x' }, ...delta({ content: '' }) }, 'server_error'],
    ['vLLM', { object: 'error', message: 'x', code: 500 }, 'server_error'],
    ['a string', { code: 'x', error: 'text' }, 'unknown'],
    ['event: error', 'event: error\ndata: {"message":"boom"}\n\n', 'unknown'],
    ['DeepSeek out of resources', delta({}, 'insufficient_system_resource'), 'overloaded'],
  ])('§12.2 an error frame beats the finish marker before it: %s', (_title, frame, kind) => {
    const events = chat(
      sse(delta({ content: 'a' }), delta({}, 'length'), { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }, frame, DONE),
    )
    expect(types(events)).toEqual(['text', 'usage', 'failed'])
    expect(failureOf(events)?.kind).toBe(kind)
  })

  it('an `error: null` in every chunk is none', () => {
    expect(last(chat(sse({ error: null, ...delta({ content: 'a' }, 'stop') }, DONE)))).toMatchObject({ type: 'final' })
  })

  it('an error in a list is that error', () => {
    expect(failureOf(chat(sse(delta({ content: 'a' }), [{ error: { code: 429, message: 'slow' } }])))).toMatchObject({ kind: 'rate_limited' })
  })

  it('the first choice counts, wherever it stands; others were not asked for', () => {
    const other = { index: 1, delta: { content: 'no' }, finish_reason: 'length' }
    const events = chat(sse({ choices: [other] }, { choices: [other, ...delta({ content: 'yes' }).choices] }, delta({}, 'stop'), DONE))
    expect(events).toEqual([
      { type: 'text', text: 'yes' },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })

  it.each([[{}], [null], [{ prompt_tokens: null, completion_tokens: null }]])('a chunk that tells no counts takes none back: %j', (usage) => {
    const counted = { ...delta({}, 'stop'), usage: { prompt_tokens: 3, completion_tokens: 2 } }
    expect(chat(sse(counted, { choices: [], usage }, DONE))[0]).toEqual({ type: 'usage', input: 3, output: 2 })
    expect(chat(sse({ choices: [], usage, x_groq: { usage: counted.usage } }, delta({}, 'stop'), DONE))[0]).toEqual({
      type: 'usage',
      input: 3,
      output: 2,
    })
  })

  it('after the terminator nothing is read', () => {
    const events = chat(sse(delta({ content: 'a' }, 'stop'), DONE, delta({ content: 'b' }), { error: { message: 'late' } }))
    expect(textOf(events)).toBe('a')
    expect(last(events)).toEqual({ type: 'final', finish: 'stop', terminated: true, contentAfter: true })
  })

  it('names the byte of an event that is no JSON', () => {
    const body = sse(delta({ content: 'é' }), 'data: {"choices":[{\n\n', DONE)
    const offset = Buffer.from(body).indexOf('data: {"choices":[{\n')
    expect(failureOf(chat(body))).toMatchObject({ kind: 'protocol', offset })
    expect(failureOf(decodeAll('openai-chat', cutAtRandom(body, seeded(3))))).toMatchObject({ kind: 'protocol', offset })
    expect(failureOf(chat(sse('data: 5\n\n')))).toMatchObject({ kind: 'protocol', offset: 0 })
  })

  it('is not surprised by what it does not know', () => {
    const odd = [
      {},
      { choices: null },
      { choices: [null] },
      { choices: [{ index: 1, delta: { content: 'no' } }] },
      delta(null),
      delta({ content: 5, tool_calls: [null, {}] }),
    ]
    expect(textOf(chat(sse(...odd, delta({ content: 'a' }, 'stop'), DONE)))).toBe('a')
  })
})

describe('a whole answer', () => {
  const whole = (api: string, text: string) => {
    const events: ProviderEvent[] = []
    httpProtocol(api)?.decodeAnswer(text, { now: () => 0 }, (event) => events.push(event))
    return events
  }
  it('of openai-chat', () => {
    const message = {
      role: 'assistant',
      content: 'hi',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    expect(
      whole(
        'openai-chat',
        JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 'a', name: 'f', arguments: '{}' },
      { type: 'usage', input: 1, output: 2 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })
  it('of anthropic-messages', () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
    ]
    expect(
      whole(
        'anthropic-messages',
        JSON.stringify({ type: 'message', content, stop_reason: 'tool_use', usage: { input_tokens: 1, output_tokens: 2 } }),
      ),
    ).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: 't', name: 'f', arguments: '{"a":1}' },
      { type: 'usage', input: 1, output: 2 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })
  it.each(['', '<html>', '[]', '{}', '5', '{"choices":[]}', '{"content":"x"}'])('%j is no answer', (text) => {
    for (const api of ['openai-chat', 'anthropic-messages']) expect(failureOf(whole(api, text))).toMatchObject({ kind: 'protocol', phase: 'call' })
  })
  it('an error in a 200 keeps its kind', () => {
    expect(failureOf(whole('openai-chat', '{"code":"x","error":"text"}'))).toMatchObject({ kind: 'unknown', phase: 'call' })
    const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"x"}}'
    expect(failureOf(whole('anthropic-messages', overloaded))).toMatchObject({ kind: 'overloaded', phase: 'call' })
  })
})

describe('faces.md §2 read stream', () => {
  it('parts the events from their end', () => {
    const body = sse(delta({ content: 'a' }, 'stop'), DONE)
    expect(readStream('openai-chat', body)).toEqual({ events: [{ type: 'text', text: 'a' }], final: { finish: 'stop', terminated: true } })
    expect(readStream('openai-chat', [body.subarray(0, 9), body.subarray(9, 20)])).toMatchObject({ events: [], failed: { kind: 'truncated' } })
  })
  it('says which names it knows', () => expect(() => readStream('gopher', sse())).toThrow(/openai-chat, .*anthropic-messages, gemini/))
})
