import { describe, expect, it } from 'vitest'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'
import { bytes, decodeAll } from './kit.ts'

/** Small streams of our own making (wire.md §1, §3, §6–8), so that a clone proves itself without recordings. */
const sse = (...events: unknown[]) =>
  bytes(events.map((event) => (typeof event === 'string' ? event : `data: ${JSON.stringify(event)}\n\n`)).join(''))
const DONE = 'data: [DONE]\n\n'
const anthropic = (body: Uint8Array, completion: CompletionPolicy = 'strict') => decodeAll('anthropic-messages', [body], completion)
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]
const types = (events: readonly ProviderEvent[]) => events.map((event) => event.type)

const start = {
  type: 'message_start',
  message: { id: 'm', usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 2, cache_read_input_tokens: 3 } },
}
const stop = { type: 'message_stop' }
const ended = (reason: string) => ({ type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 9 } })
const block = (index: number, content: unknown, ...deltas: unknown[]) => [
  { type: 'content_block_start', index, content_block: content },
  ...deltas.map((value) => ({ type: 'content_block_delta', index, delta: value })),
  { type: 'content_block_stop', index },
]
const words = block(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'hi' })

describe('Anthropic Messages', () => {
  it('counts cached and written input, and ends at message_stop', () => {
    expect(anthropic(sse(start, ...words, { type: 'ping' }, ended('end_turn'), stop))).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'usage', input: 15, output: 9, cachedInput: 3 },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })

  it('R25 strict wants message_stop, lenient takes the end after a stop_reason', () => {
    const body = sse(start, ...words, ended('end_turn'))
    expect(failureOf(anthropic(body))?.kind).toBe('truncated')
    expect(last(anthropic(body, 'lenient'))).toEqual({ type: 'final', finish: 'stop', terminated: false })
    expect(failureOf(anthropic(sse(start, ...words), 'lenient'))?.kind).toBe('truncated')
  })

  it('R34 keeps usage of a stream that breaks', () => {
    expect(types(anthropic(sse(start, ...words)))).toEqual(['text', 'usage', 'failed'])
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'pause_turn'],
  ])('%s finishes as %s', (reason, finish) => expect(last(anthropic(sse(start, ended(reason), stop)))).toMatchObject({ type: 'final', finish }))

  it('tells provider tools at once and client tools at the end', () => {
    const events = anthropic(
      sse(
        start,
        ...block(
          0,
          { type: 'tool_use', id: 't1', name: 'mine', input: {} },
          { type: 'input_json_delta', partial_json: '{"a":' },
          { type: 'input_json_delta', partial_json: '1}' },
        ),
        ...block(1, { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }, { type: 'input_json_delta', partial_json: '{"q":2}' }),
        ...block(2, { type: 'web_search_tool_result', tool_use_id: 's1', content: [{ a: 1 }] }),
        ...block(3, { type: 'mcp_tool_use', id: 'p1', name: 'ask', input: { z: 1 } }),
        ...block(4, { type: 'mcp_tool_result', tool_use_id: 'p1', content: 'text' }),
        ...block(5, { type: 'tool_use', id: 't2', name: 'bare', input: {} }, { type: 'input_json_delta', partial_json: '' }),
        ended('tool_use'),
        stop,
      ),
    )
    expect(events.slice(0, -2)).toEqual([
      { type: 'providerToolCall', id: 's1', name: 'web_search', arguments: '{"q":2}' },
      { type: 'providerToolResult', id: 's1', name: 'web_search', output: '[{"a":1}]' },
      { type: 'providerToolCall', id: 'p1', name: 'ask', arguments: '{"z":1}' },
      { type: 'providerToolResult', id: 'p1', name: 'ask', output: 'text' },
      { type: 'toolCall', id: 't1', name: 'mine', arguments: '{"a":1}' },
      { type: 'toolCall', id: 't2', name: 'bare', arguments: '{}' },
    ])
  })

  it('a second message is a splice once a block has begun, and harmless before', () => {
    expect(last(anthropic(sse(start, start, ...words, ended('end_turn'), stop)))).toMatchObject({ type: 'final' })
    const spliced = sse(start, ...words, start, ...words, ended('end_turn'), stop)
    const offset = Buffer.from(spliced).lastIndexOf('data: {"type":"message_start"')
    expect(failureOf(anthropic(spliced))).toMatchObject({ kind: 'protocol', offset })
  })

  it('an error frame is told by its type', () => {
    const body = sse(
      start,
      ...words,
      ended('end_turn'),
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
      stop,
    )
    expect(failureOf(anthropic(body))).toMatchObject({ kind: 'overloaded', status: null })
  })

  it('lets pass what it does not know, and the [DONE] of a gateway', () => {
    const body = sse(
      start,
      { type: 'new_event' },
      ...block(0, { type: 'fallback', from: {}, to: {} }),
      ...block(1, { type: 'redacted_thinking', data: 'x' }),
      ...words,
      DONE,
      ended('end_turn'),
      stop,
      DONE,
    )
    expect(anthropic(body)).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'usage', input: 15, output: 9, cachedInput: 3 },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })
})
