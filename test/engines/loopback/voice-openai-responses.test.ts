import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openaiResponsesVoice } from '../../../src/engines/loopback/openai-responses.ts'
import type { ScriptedEvent } from '../../../src/engines/loopback/script.ts'
import { bytesOf, CannotSay } from '../../../src/engines/loopback/voice.ts'

const identity = { n: 1, model: 'm1', created: 1_750_000_000 }

/** Frames of any shape are looked into here; a wrong look fails the test. */
type Loose = ReturnType<typeof JSON.parse>

/** The data of every frame, each named after its type and numbered in order. */
function frames(events: readonly ScriptedEvent[]): Loose[] {
  const said: Loose[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value: Loose = JSON.parse(data)
      expect([event, said.length]).toEqual([value.type, value.sequence_number])
      said.push(value)
    },
  })
  for (const step of openaiResponsesVoice.stream(events, identity, { usage: true }))
    if (step.do === 'write') parser.feed(bytesOf(step.bytes).toString())
  return said
}

const typesOf = (said: readonly Loose[]): string[] => said.map((frame) => frame.type.replace('response.', ''))
const BEGINNING = ['created', 'in_progress']

describe('wire.md §2: the openai-responses voice', () => {
  test('items open and close in the order of the output, and the last event holds them all', () => {
    const said = frames([
      { reasoning: 'hm' },
      { text: 'Hel' },
      { text: 'lo' },
      { usage: { input: 10, output: 5, cachedInput: 4 } },
      { final: 'stop' },
    ])
    const thought = ['output_item.added', 'reasoning_summary_part.added', 'reasoning_summary_text.delta', 'reasoning_summary_text.done']
    const message = ['output_item.added', 'content_part.added', 'output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done']
    expect(typesOf(said)).toEqual([
      ...BEGINNING,
      ...thought,
      'reasoning_summary_part.done',
      'output_item.done',
      ...message,
      'output_item.done',
      'completed',
    ])
    const { response } = said.at(-1)
    expect(said.filter((frame) => frame.type === 'response.output_item.done').map((frame) => frame.item)).toEqual(response.output)
    expect(response.output).toMatchObject([
      { type: 'reasoning', id: 'rs_loopback_1_0', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'encrypted-rs_loopback_1_0' },
      { type: 'message', id: 'msg_loopback_1_1', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    ])
    expect(response).toMatchObject({ id: 'resp_loopback_1', status: 'completed', error: null, incomplete_details: null, model: 'm1' })
    expect(response.usage).toEqual({ input_tokens: 10, input_tokens_details: { cached_tokens: 4 }, output_tokens: 5, total_tokens: 15 })
  })

  test('R34: usage that was not scripted is null, one count alone is alone, and an early one is told by a further in_progress', () => {
    expect(frames([{ text: 'a' }, { final: 'stop' }]).at(-1).response.usage).toBeNull()
    expect(frames([{ usage: { input: 3 } }, { final: 'stop' }]).at(-1).response.usage).toEqual({ input_tokens: 3 })
    const said = frames([{ usage: { output: 3 } }, { text: 'a' }, { eof: true }])
    expect(said[2]).toMatchObject({ type: 'response.in_progress', response: { usage: { output_tokens: 3 } } })
  })

  test('calls: an item of its own, the arguments in pieces and whole, an id for the item and one for the answer', () => {
    const said = frames([
      { toolCall: { id: 'c1', name: 'f', arguments: '{"a":1}' } },
      { toolCall: { name: 'g', arguments: '' } },
      { final: 'tool_calls' },
    ])
    const deltas = said.filter((frame) => frame.type === 'response.function_call_arguments.delta')
    expect(deltas.map((frame) => [frame.item_id, frame.output_index])).toEqual(Array(3).fill(['fc_loopback_1_0', 0]))
    expect(deltas.map((frame) => frame.delta).join('')).toBe('{"a":1}')
    expect(said.at(-1).response.output).toEqual([
      { id: 'fc_loopback_1_0', type: 'function_call', status: 'completed', arguments: '{"a":1}', call_id: 'c1', name: 'f' },
      { id: 'fc_loopback_1_1', type: 'function_call', status: 'completed', arguments: '', call_id: 'call_loopback_1_1', name: 'g' },
    ])
  })

  test('a tool that runs at the provider is an MCP call; a result without its call cannot be said', () => {
    const said = frames([
      { providerToolCall: { name: 'search', arguments: '{"q":1}' } },
      { providerToolResult: { output: 'found' } },
      { final: 'stop' },
    ])
    expect(said.at(-1).response.output).toMatchObject([{ type: 'mcp_call', name: 'search', arguments: '{"q":1}', output: 'found', error: null }])
    expect(() => frames([{ providerToolResult: { output: 'found' } }])).toThrow(CannotSay)
  })

  test('what is no stop is incomplete, with its reason', () => {
    const last = (final: 'length' | 'content_filter'): Loose => frames([{ text: 'a' }, { final }]).at(-1)
    expect(last('length')).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    })
    expect(last('content_filter')).toMatchObject({ response: { incomplete_details: { reason: 'content_filter' } } })
  })

  test('an error comes twice, as the provider sends it: by itself and as the response that failed', () => {
    const said = frames([{ text: 'a' }, { error: { http: 429, message: 'slow down' } }])
    expect(said.at(-2).error).toEqual({ message: 'slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' })
    expect(said.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'rate_limit_exceeded', message: 'slow down' } },
    })
    expect(frames([{ error: { message: 'x' } }])[0].error).toEqual({ message: 'x', type: null, param: null, code: null })
    expect(openaiResponsesVoice.errorBody(529, 'busy', identity)).toMatchObject({ error: { code: 'server_is_overloaded' } })
  })

  test('whole answers: text, tools, reasoning, refusal, length, empty', () => {
    const said = (outcome: Loose): Loose => openaiResponsesVoice.call(outcome, identity)
    expect(said({ ok: 'hi', usage: { input: 2, output: 1 } })).toMatchObject({ status: 'completed', usage: { input_tokens: 2, output_tokens: 1 } })
    const kinds = (outcome: Loose): string[] => said(outcome).output.map((item: Loose) => item.type)
    expect(kinds({ ok: 'hi', reasoning: 'hm', toolCalls: [{ id: 'c', name: 'f', arguments: '{}' }] })).toEqual([
      'reasoning',
      'message',
      'function_call',
    ])
    expect(kinds({ ok: '', toolCalls: [{ name: 'f', arguments: '{}' }] })).toEqual(['function_call'])
    expect(said({ refusal: 'no' }).output[0].content).toEqual([{ type: 'refusal', refusal: 'no' }])
    expect(said({ length: 'so far' })).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
    expect(said({ empty: true }).output).toEqual([])
  })

  test('what is said is the scripted text, whatever it is and however it is cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (texts) => {
        const said = frames([...texts.map((text) => ({ text })), { final: 'stop' as const }])
        expect(said.map((frame) => (frame.type === 'response.output_text.delta' ? frame.delta : '')).join('')).toBe(texts.join(''))
        const { output } = said.at(-1).response
        expect(output.map((item: Loose) => item.content[0].text).join('')).toBe(texts.join(''))
      }),
      { numRuns: 100 },
    )
  })
})
