import { crc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bedrockConverseVoice } from '../../../src/engines/loopback/bedrock-converse.ts'
import type { ScriptedEvent } from '../../../src/engines/loopback/script.ts'
import { bytesOf, CannotSay } from '../../../src/engines/loopback/voice.ts'

const identity = { n: 1, model: 'm1', created: 1_750_000_000 }

/** Payloads of any shape are looked into here; a wrong look fails the test. */
type Loose = ReturnType<typeof JSON.parse>

/** A frame taken apart by its lengths, its checksums looked at, apart from the reader of the engine. */
function opened(frame: Buffer): { headers: Record<string, string>; payload: Loose } {
  const headEnd = 12 + frame.readUInt32BE(4)
  expect(frame.readUInt32BE(0)).toBe(frame.length)
  expect(frame.readUInt32BE(8)).toBe(crc32(frame.subarray(0, 8)))
  expect(frame.readUInt32BE(frame.length - 4)).toBe(crc32(frame.subarray(0, -4)))
  const headers: Record<string, string> = {}
  for (let at = 12; at < headEnd; ) {
    const typeAt = at + 1 + frame.readUInt8(at)
    expect(frame.readUInt8(typeAt)).toBe(7)
    const valueEnd = typeAt + 3 + frame.readUInt16BE(typeAt + 1)
    headers[frame.subarray(at + 1, typeAt).toString()] = frame.subarray(typeAt + 3, valueEnd).toString()
    at = valueEnd
  }
  return { headers, payload: JSON.parse(frame.subarray(headEnd, -4).toString()) }
}

function frames(events: readonly ScriptedEvent[]) {
  const steps = bedrockConverseVoice.stream(events, identity, { usage: true })
  return steps.flatMap((step) => (step.do === 'write' ? [opened(bytesOf(step.bytes))] : []))
}
const namesOf = (events: readonly ScriptedEvent[]) => frames(events).map(({ headers }) => headers[':event-type'] ?? headers[':exception-type'])
const without = ({ p: _p, ...rest }: Loose): Loose => rest

describe('wire.md §9: the bedrock-converse voice', () => {
  test('blocks that close, messageStop, metadata with the usage last; every payload is padded', () => {
    const events: ScriptedEvent[] = [
      { reasoning: 'hm' },
      { text: 'Hel' },
      { text: 'lo' },
      { usage: { input: 10, output: 5, cachedInput: 4 } },
      { final: 'stop' },
    ]
    const said = frames(events)
    expect(namesOf(events)).toEqual([
      'messageStart',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockStop',
      'contentBlockDelta',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ])
    for (const { headers, payload } of said) {
      expect(headers).toMatchObject({ ':message-type': 'event', ':content-type': 'application/json' })
      expect(payload.p).toMatch(/^[a-zA-Z]+$/)
    }
    expect(said.slice(1, 5).map(({ payload }) => without(payload))).toEqual([
      { contentBlockIndex: 0, delta: { reasoningContent: { text: 'hm' } } },
      { contentBlockIndex: 0, delta: { reasoningContent: { signature: 'sig-loopback-1-0' } } },
      { contentBlockIndex: 0 },
      { contentBlockIndex: 1, delta: { text: 'Hel' } },
    ])
    expect(said.at(-2)?.payload).toMatchObject({ stopReason: 'end_turn' })
    expect(said.at(-1)?.payload.usage).toEqual({
      inputTokens: 6,
      outputTokens: 5,
      totalTokens: 15,
      cacheReadInputTokens: 4,
      cacheWriteInputTokens: 0,
    })
  })

  test('R34: metadata ends every answer, and tells no count that was not scripted', () => {
    expect(frames([{ text: 'a' }, { final: 'stop' }]).at(-1)?.payload).not.toHaveProperty('usage')
    expect(frames([{ usage: { input: 3 } }, { final: 'stop' }]).at(-1)?.payload.usage).toEqual({ inputTokens: 3 })
    expect(namesOf([{ usage: { input: 3 } }, { text: 'a' }, { eof: true }])).toEqual(['messageStart', 'metadata', 'contentBlockDelta'])
  })

  test('tools, and tools that run at the provider, are blocks with partial JSON', () => {
    const said = frames([
      { providerToolCall: { name: 'search', arguments: '{"q":"x"}' } },
      { providerToolResult: { output: 'found' } },
      { toolCall: { id: 't1', name: 'f', arguments: '{"a":1}' } },
      { final: 'tool_calls' },
    ]).map(({ payload }) => without(payload))
    expect(said.flatMap((payload) => (payload.start === undefined ? [] : [payload.start]))).toEqual([
      { toolUse: { toolUseId: 'tooluse_loopback_1_1', name: 'search', type: 'server_tool_use' } },
      { toolResult: { toolUseId: 'tooluse_loopback_1_1', status: 'success' } },
      { toolUse: { toolUseId: 't1', name: 'f' } },
    ])
    const input = said.filter((payload) => payload.contentBlockIndex === 2).map((payload) => payload.delta?.toolUse.input ?? '')
    expect(input.join('')).toBe('{"a":1}')
    expect(said.at(-2)).toEqual({ stopReason: 'tool_use' })
  })

  test.each([
    [429, { ':message-type': 'exception', ':exception-type': 'throttlingException' }],
    [502, { ':message-type': 'exception', ':exception-type': 'internalServerException' }],
    [400, { ':message-type': 'exception', ':exception-type': 'validationException' }],
    [529, { ':message-type': 'error', ':error-code': 'Overloaded', ':error-message': 'x' }],
    [undefined, { ':message-type': 'error', ':error-code': 'Unknown', ':error-message': 'x' }],
  ])('an error of status %s is %j', (http, headers) => {
    const [said] = frames([{ error: { http, message: 'x' } }])
    expect(said?.headers).toMatchObject(headers)
    expect(said?.payload).toEqual({ message: 'x' })
  })

  test('a result needs a call before it, or its own id', () => {
    expect(() => frames([{ providerToolResult: { output: 'x' } }])).toThrow(CannotSay)
    expect(() => frames([{ providerToolResult: { id: 'a', output: 'x' } }])).not.toThrow()
  })

  test('model and mode stand in the path, under any prefix', () => {
    const route = (path: string) => bedrockConverseVoice.route?.(path, {})
    expect(route('/a.x/v1/model/m1/converse-stream')).toEqual({ base: '/a.x', model: 'm1', mode: 'stream' })
    expect(route('/model/us.x-v1%3A0/converse')).toEqual({ base: '', model: 'us.x-v1:0', mode: 'call' })
    expect(route('/a.x/v1/chat/completions')).toBeUndefined()
  })

  test('whole answers: blocks in order, arguments as an object', () => {
    const said = (outcome: Loose): Loose => bedrockConverseVoice.call(outcome, identity)
    expect(
      said({ ok: 'hi', reasoning: 'hm', toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }], usage: { input: 5, cachedInput: 2 } }),
    ).toMatchObject({
      output: {
        message: {
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'sig-loopback-1' } } },
            { text: 'hi' },
            { toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, cacheReadInputTokens: 2 },
    })
    expect(said({ empty: true })).toMatchObject({ output: { message: { content: [] } }, stopReason: 'end_turn' })
    expect(said({ length: 'x' })).toMatchObject({ stopReason: 'max_tokens' })
    expect(said({ refusal: 'no' })).toMatchObject({ output: { message: { content: [{ text: 'no' }] } }, stopReason: 'content_filtered' })
    expect(() => said({ ok: '', toolCalls: [{ name: 'f', arguments: '[1' }] })).toThrow(CannotSay)
  })
})
