import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anthropicMessagesVoice } from '../../../src/engines/loopback/anthropic-messages.ts'
import { openaiChatVoice } from '../../../src/engines/loopback/openai-chat.ts'
import { type ScriptedEvent, scriptProblems } from '../../../src/engines/loopback/script.ts'
import { bytesOf, CannotSay, pieces, type Step } from '../../../src/engines/loopback/voice.ts'

const identity = { n: 1, model: 'm1', created: 1_750_000_000 }
const asked = { usage: true }

/** Frames of any shape are looked into here; a wrong look fails the test. */
type Loose = ReturnType<typeof JSON.parse>

interface Frame {
  readonly event: string | undefined
  readonly data: Loose
}

function framesOf(steps: readonly Step[]): Frame[] {
  const frames: Frame[] = []
  const parser = createParser({
    onEvent: (message: EventSourceMessage) =>
      void frames.push({ event: message.event, data: message.data === '[DONE]' ? '[DONE]' : JSON.parse(message.data) }),
  })
  for (const step of steps) if (step.do === 'write') parser.feed(bytesOf(step.bytes).toString())
  return frames
}

const chat = (events: readonly ScriptedEvent[], usage = true): Frame[] => framesOf(openaiChatVoice.stream(events, identity, { usage }))
const messages = (events: readonly ScriptedEvent[]): Frame[] => framesOf(anthropicMessagesVoice.stream(events, identity, asked))

describe('wire.md §1: the openai-chat voice', () => {
  test('role first, finish in a chunk with an empty delta, usage with empty choices after it, [DONE] last', () => {
    const frames = chat([{ text: 'Hel' }, { text: 'lo' }, { usage: { input: 10, output: 5, cachedInput: 4 } }, { final: 'stop' }])
    expect(frames.every((frame) => frame.event === undefined)).toBe(true)
    expect(frames.map((frame) => frame.data.choices?.[0]?.delta ?? frame.data.usage ?? frame.data)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'Hel' },
      { content: 'lo' },
      {},
      { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 } },
      '[DONE]',
    ])
    expect(frames.map((frame) => frame.data.choices?.[0]?.finish_reason)).toEqual([null, null, null, 'stop', undefined, undefined])
    expect(frames[4]?.data.choices).toEqual([])
    expect(frames[0]?.data).toMatchObject({
      id: 'chatcmpl-loopback-1',
      object: 'chat.completion.chunk',
      created: 1_750_000_000,
      model: 'm1',
      usage: null,
    })
  })

  test('usage is told only to who asked with stream_options.include_usage', () => {
    const frames = chat([{ text: 'a' }, { usage: { input: 1, output: 1 } }, { final: 'stop' }], false)
    expect(JSON.stringify(frames)).not.toContain('usage')
  })

  test('R34: a count that was not scripted is absent, not zero', () => {
    const frames = chat([{ usage: { input: 3 } }, { final: 'stop' }])
    expect(frames.at(-2)?.data.usage).toEqual({ prompt_tokens: 3 })
  })

  test('tool calls by index: id, type and name first, then only fragments of the arguments', () => {
    const frames = chat([
      { toolCall: { id: 'c1', name: 'f', arguments: '{"a":1}' } },
      { toolCall: { name: 'g', arguments: '' } },
      { final: 'tool_calls' },
    ])
    const deltas = frames.flatMap((frame) => frame.data.choices?.[0]?.delta.tool_calls ?? [])
    expect(deltas[0]).toEqual({ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' } })
    expect(deltas.slice(1, 4).every((delta: Loose) => delta.index === 0 && delta.id === undefined && delta.function.name === undefined)).toBe(true)
    expect(
      deltas
        .filter((delta: Loose) => delta.index === 0)
        .map((delta: Loose) => delta.function.arguments)
        .join(''),
    ).toBe('{"a":1}')
    expect(deltas.at(-1)).toEqual({ index: 1, type: 'function', function: { name: 'g', arguments: '' } })
    expect(frames.at(-2)?.data.choices[0].finish_reason).toBe('tool_calls')
  })

  test('an in-band error has no choices and no [DONE] after it', () => {
    const frames = chat([{ text: 'a' }, { error: { http: 429, message: 'slow down' } }])
    expect(frames.at(-1)?.data).toEqual({ error: { message: 'slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } })
    expect(chat([{ error: { message: 'x' } }])[0]?.data.error).toEqual({ message: 'x', type: null, param: null, code: null })
  })

  test('what has no words in the protocol is refused', () => {
    expect(() => chat([{ providerToolCall: { name: 'search', arguments: '{}' } }])).toThrow(CannotSay)
    expect(() => chat([{ providerToolResult: { name: 'search', output: 'x' } }])).toThrow(/anthropic-messages/)
  })

  test('whole answers: text, tools, reasoning, refusal, length, empty', () => {
    const said = (outcome: Loose): Loose => {
      const body = openaiChatVoice.call(outcome, identity) as Loose
      return { ...body.choices[0].message, finish: body.choices[0].finish_reason, usage: body.usage }
    }
    expect(said({ ok: 'hi', usage: { input: 2, output: 1 } })).toMatchObject({
      role: 'assistant',
      content: 'hi',
      finish: 'stop',
      usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
    })
    expect(said({ ok: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] })).toMatchObject({
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      finish: 'tool_calls',
    })
    expect(said({ reasoning: 'hm', empty: true })).toMatchObject({ content: '', reasoning_content: 'hm', finish: 'stop' })
    expect(said({ refusal: 'no' })).toMatchObject({ content: null, refusal: 'no', finish: 'stop' })
    expect(said({ length: 'so far' })).toMatchObject({ content: 'so far', finish: 'length' })
    expect(said({ empty: true })).toMatchObject({ content: '', finish: 'stop' })
  })
})

describe('wire.md §3: the anthropic-messages voice', () => {
  test('start, blocks that open and close, message_delta, message_stop; every frame is named after its type', () => {
    const frames = messages([
      { reasoning: 'hm' },
      { text: 'Hel' },
      { text: 'lo' },
      { usage: { input: 10, output: 5, cachedInput: 4 } },
      { final: 'stop' },
    ])
    expect(frames.every((frame) => frame.event === frame.data.type)).toBe(true)
    expect(frames.map((frame) => frame.event)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(frames.filter((frame) => frame.event === 'content_block_delta').map((frame) => [frame.data.index, frame.data.delta.type])).toEqual([
      [0, 'thinking_delta'],
      [0, 'signature_delta'],
      [1, 'text_delta'],
      [1, 'text_delta'],
    ])
    expect(frames[0]?.data.message).toMatchObject({
      id: 'msg_loopback_1',
      role: 'assistant',
      model: 'm1',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 1 },
    })
    expect(frames.at(-2)?.data).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 5 },
    })
  })

  test('R34: a script that tells no usage, or breaks off before it, has none on the wire', () => {
    expect(JSON.stringify(messages([{ text: 'a' }, { final: 'stop' }]))).not.toContain('usage')
    expect(JSON.stringify(messages([{ text: 'a' }, { eof: true }, { usage: { input: 1 } }]).slice(0, 1))).not.toContain('usage')
  })

  test('tool use, and tools that run at the provider, are blocks with partial JSON', () => {
    const frames = messages([
      { providerToolCall: { name: 'search', arguments: '{"q":"x"}' } },
      { providerToolResult: { name: 'search', output: 'found' } },
      { toolCall: { id: 'toolu_1', name: 'f', arguments: '{"a":1}' } },
      { final: 'tool_calls' },
    ])
    const starts = frames.filter((frame) => frame.event === 'content_block_start').map((frame) => frame.data.content_block)
    expect(starts[0]).toEqual({ type: 'server_tool_use', id: starts[1].tool_use_id, name: 'search', input: {} })
    expect(starts[1]).toMatchObject({ type: 'search_tool_result', content: 'found' })
    expect(starts[2]).toEqual({ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} })
    const json = (index: number): string =>
      frames
        .filter((frame) => frame.event === 'content_block_delta' && frame.data.index === index)
        .map((frame) => frame.data.delta.partial_json)
        .join('')
    expect([json(0), json(2)]).toEqual(['{"q":"x"}', '{"a":1}'])
    expect(frames.at(-2)?.data.delta.stop_reason).toBe('tool_use')
  })

  test('stop reasons and in-band errors in the words of the provider', () => {
    const reason = (final: 'length' | 'content_filter'): unknown => messages([{ final }]).at(-2)?.data.delta
    expect(reason('length')).toEqual({ stop_reason: 'max_tokens', stop_sequence: null })
    expect(reason('content_filter')).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } })
    const kinds = [429, 529, 502, 401, undefined].map((http) => messages([{ error: { http, message: 'x' } }])[0]?.data.error.type)
    expect(kinds).toEqual(['rate_limit_error', 'overloaded_error', 'api_error', 'authentication_error', 'error'])
  })

  test('whole answers: blocks in order, arguments as an object, refusal with details', () => {
    const said = (outcome: Loose): Loose => anthropicMessagesVoice.call(outcome, identity)
    expect(
      said({ ok: 'hi', reasoning: 'hm', toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }], usage: { input: 5, cachedInput: 2 } }),
    ).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 3, cache_read_input_tokens: 2 },
    })
    expect(said({ empty: true })).toMatchObject({ content: [], stop_reason: 'end_turn' })
    expect(said({ length: 'x' })).toMatchObject({ stop_reason: 'max_tokens' })
    expect(said({ refusal: 'no' })).toMatchObject({ content: [{ type: 'text', text: 'no' }], stop_reason: 'refusal' })
    expect(() => said({ ok: '', toolCalls: [{ name: 'f', arguments: '[1' }] })).toThrow(CannotSay)
  })
})

describe('both voices', () => {
  test('what is said is the scripted text, whatever it is and however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (texts) => {
        const events = [...texts.map((text) => ({ text })), { final: 'stop' as const }]
        const chatText = chat(events).map((frame) => frame.data.choices?.[0]?.delta.content ?? '')
        const messagesText = messages(events).map((frame) => frame.data.delta?.text ?? '')
        expect(chatText.join('')).toBe(texts.join(''))
        expect(messagesText.join('')).toBe(texts.join(''))
      }),
      { numRuns: 100 },
    )
  })

  test('pieces lose nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(pieces(text).join('')).toBe(text)
      }),
    )
  })

  test('waits and ends stand where the script has them', () => {
    const kinds = (events: readonly ScriptedEvent[]): string[] => openaiChatVoice.stream(events, identity, asked).map((step) => step.do)
    expect(kinds([{ text: 'a', afterMs: 5 }, { stall: true }])).toEqual(['wait', 'write', 'write', 'stall', 'end'])
    expect(kinds([{ network: 'ECONNRESET', afterMs: 1 }])).toEqual(['wait', 'reset', 'end'])
    expect(kinds([{ eof: true }])).toEqual(['end', 'end'])
  })
})

describe('script problems', () => {
  test('each is one line with its path', () => {
    const problems = scriptProblems({
      'a.x/m1': {
        call: [{ ok: 'a' }, { network: 'ECONNREFUSED' }, { ok: 'a', http: 500 } as never],
        stream: [{ events: [{ text: 'a', final: 'stop' } as never, { network: 'ENOTFOUND' }] }, { fault: { kind: 'gzip' }, answer: {} as never }],
      },
    })
    expect(problems.map((line) => line.split(':')[0])).toEqual([
      'a.x/m1 call[1]',
      'a.x/m1 call[2]',
      'a.x/m1 stream[0].events[0]',
      'a.x/m1 stream[0].events[1]',
      'a.x/m1 stream[1].answer',
    ])
    expect(problems[0]).toContain('nothing listens')
  })
})
