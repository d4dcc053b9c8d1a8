import { describe, expect, test } from 'vitest'
import { ollamaVoice } from '../../../src/engines/loopback/ollama.ts'
import type { ScriptedEvent } from '../../../src/engines/loopback/script.ts'
import { bytesOf, CannotSay } from '../../../src/engines/loopback/voice.ts'

const identity = { n: 1, model: 'm1', created: 1_750_000_000 }

/** Lines of any shape are looked into here; a wrong look fails the test. */
type Loose = ReturnType<typeof JSON.parse>

function lines(events: readonly ScriptedEvent[]): Loose[] {
  const steps = ollamaVoice.stream(events, identity, { usage: true })
  return steps.flatMap((step) => {
    if (step.do !== 'write') return []
    const text = bytesOf(step.bytes).toString()
    expect(text).toMatch(/^\{.*\}\n$/)
    return [JSON.parse(text)]
  })
}

describe('wire.md §5: the ollama voice', () => {
  test('a line an event, finish and counts in the last one', () => {
    const said = lines([{ reasoning: 'hm' }, { text: 'hi' }, { usage: { input: 10, output: 5 } }, { final: 'stop' }])
    expect(said.map((line) => [line.done, line.message])).toEqual([
      [false, { role: 'assistant', content: '', thinking: 'hm' }],
      [false, { role: 'assistant', content: 'hi' }],
      [true, { role: 'assistant', content: '' }],
    ])
    expect(said[0]).toMatchObject({ model: 'm1', created_at: '2025-06-15T15:06:40.000Z' })
    expect(said.at(-1)).toMatchObject({ done_reason: 'stop', prompt_eval_count: 10, eval_count: 5 })
  })

  test('R34: a count that was not scripted, or not at the end, is absent', () => {
    expect(lines([{ usage: { output: 3 } }, { final: 'stop' }]).at(-1)).not.toHaveProperty('prompt_eval_count')
    expect(JSON.stringify(lines([{ usage: { input: 3 } }, { text: 'a' }, { final: 'stop' }]))).not.toContain('eval_count')
  })

  test('a call is whole, with an id where the script has one, and its turn stops like any other', () => {
    const said = lines([
      { toolCall: { id: 'c1', name: 'f', arguments: '{"a":1}' } },
      { toolCall: { name: 'g', arguments: '' } },
      { final: 'tool_calls' },
    ])
    expect(said.flatMap((line) => line.message.tool_calls ?? [])).toEqual([
      { id: 'c1', function: { name: 'f', arguments: { a: 1 } } },
      { function: { name: 'g', arguments: {} } },
    ])
    expect(said.at(-1)).toMatchObject({ done: true, done_reason: 'stop' })
  })

  test('an error is its words and nothing else', () => {
    expect(lines([{ text: 'a' }, { error: { http: 429, message: 'slow down' } }]).at(-1)).toEqual({ error: 'slow down' })
    expect(ollamaVoice.errorBody(503, 'busy', identity)).toEqual({ error: 'busy' })
  })

  test('what has no words in the protocol is refused', () => {
    expect(() => lines([{ providerToolCall: { name: 'search', arguments: '{}' } }])).toThrow(CannotSay)
    expect(() => lines([{ toolCall: { name: 'f', arguments: '[1' } }])).toThrow(CannotSay)
  })

  test('it streams unless told not to, and knows its path under any prefix', () => {
    const route = (path: string, body: object) => ollamaVoice.route?.(path, body)
    expect(route('/a.x/api/chat', { model: 'm1' })).toEqual({ base: '/a.x', model: 'm1', mode: 'stream' })
    expect(route('/api/chat', { model: 'm1', stream: false })).toEqual({ base: '', model: 'm1', mode: 'call' })
    expect(route('/api/chat', {})).toMatchObject({ model: '' })
    expect(route('/v1/chat/completions', { model: 'm1' })).toBeUndefined()
  })

  test('whole answers: the last object of a stream, with the message in it', () => {
    const said = (outcome: Loose): Loose => ollamaVoice.call(outcome, identity)
    expect(
      said({ ok: 'hi', reasoning: 'hm', toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }], usage: { input: 5, output: 2 } }),
    ).toMatchObject({
      message: { role: 'assistant', content: 'hi', thinking: 'hm', tool_calls: [{ id: 't', function: { name: 'f', arguments: { a: 1 } } }] },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 5,
      eval_count: 2,
    })
    expect(said({ empty: true, reasoning: 'hm' })).toMatchObject({ message: { content: '', thinking: 'hm' }, done_reason: 'stop' })
    expect(said({ length: 'x' })).toMatchObject({ message: { content: 'x' }, done_reason: 'length' })
    expect(said({ refusal: 'no' })).toMatchObject({ message: { content: 'no' }, done_reason: 'content_filter' })
  })
})
