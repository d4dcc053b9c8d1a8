import { describe, expect, it } from 'vitest'
import { withoutCutCall } from '../../../src/engines/http/call-arguments.ts'
import { readStream } from '../../../src/engines/http/read.ts'
import { bytes } from './kit.ts'

const sse = (...events: readonly object[]) => bytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))

/** Two calls, the second with these arguments so far, and then the bound. */
const STREAMS: Readonly<Record<string, (args: string, finish: 'length' | 'tool_calls') => Uint8Array>> = {
  'openai-chat': (args, finish) => {
    const call = (index: number, text: string) => ({ index, id: `c${index}`, function: { name: 'run', arguments: text } })
    const delta = (value: object, reason: string | null = null) => ({ choices: [{ index: 0, delta: value, finish_reason: reason }] })
    return sse(delta({ tool_calls: [call(0, '{"a":1}'), call(1, args)] }), delta({}, finish))
  },
  'anthropic-messages': (args, finish) => {
    const block = (index: number, text: string) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id: `c${index}`, name: 'run', input: {} } },
      { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } },
      { type: 'content_block_stop', index },
    ]
    const reason = finish === 'length' ? 'max_tokens' : 'tool_use'
    const end = [{ type: 'message_delta', delta: { stop_reason: reason } }, { type: 'message_stop' }]
    return sse({ type: 'message_start', message: {} }, ...block(0, '{"a":1}'), ...block(1, args), ...end)
  },
}

const callsOf = (api: string, body: Uint8Array) => {
  const reading = readStream(api, body)
  expect(reading).toHaveProperty('final')
  return reading.events.flatMap((event) => (event.type === 'toolCall' ? [event.id] : []))
}

describe.each(Object.entries(STREAMS))('R22 a call that the bound cut off: %s', (api, stream) => {
  it.each(['', '{', '{"path":"/t', '{}'])('is none with %j', (args) => expect(callsOf(api, stream(args, 'length'))).toEqual(['c0']))

  it('is one where its arguments are whole', () => expect(callsOf(api, stream('{"b":2}', 'length'))).toEqual(['c0', 'c1']))

  it('is as it was sent where the model ended by itself', () => {
    expect(callsOf(api, stream('', 'tool_calls'))).toEqual(['c0', 'c1'])
    expect(callsOf(api, stream('{"path":"/t', 'tool_calls'))).toEqual(['c0', 'c1'])
  })
})

describe('R22 the call that a bound cut off', () => {
  const call = (text: string) => ({ id: 'c', name: 'run', arguments: text })

  it('is the last one only', () => {
    expect(withoutCutCall([call('{'), call('{"a":1}')], 'length')).toHaveLength(2)
    expect(withoutCutCall([call('{"a":1}'), call('{')], 'length')).toEqual([call('{"a":1}')])
    expect(withoutCutCall([], 'length')).toEqual([])
    expect(withoutCutCall([call('{')], 'model_context_window_exceeded')).toEqual([])
    expect(withoutCutCall([call('{')], 'content_filter')).toHaveLength(1)
    expect(withoutCutCall([call('{')], null)).toHaveLength(1)
  })
})
