import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { ollamaVariant } from './variants-ollama.ts'

const ndjson = (...lines: unknown[]) => bytes(lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''))
const ollama = (body: Uint8Array) => decodeAll('ollama', [body])
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]
const said = (message: object) => ({ model: 'm', message: { role: 'assistant', content: '', ...message }, done: false })
const done = (more: object = {}) => ({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop', ...more })

describe('R25 generated variants of ollama', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('variant %i', (seed) => {
    const variant = ollamaVariant(seeded(3000 + seed))
    const events = ollama(variant.body)
    expect(textOf(events)).toBe(variant.text)
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe(variant.reasoning)
    expect(events.filter((event) => event.type === 'toolCall')).toEqual(variant.calls.map((call) => ({ type: 'toolCall', ...call })))
    expect(events.slice(-2)).toEqual([
      { type: 'usage', ...variant.usage },
      { type: 'final', finish: variant.finish, terminated: true },
    ])
    for (let cut = 0; cut < 3; cut += 1) expect(summary(decodeAll('ollama', cutAtRandom(variant.body, seeded(cut))))).toEqual(summary(events))
    const lf = bytes(new TextDecoder().decode(variant.body).replaceAll('\r\n', '\n'))
    for (const body of [lf, withLineEnds(lf, '\r\n')]) expect(summary(ollama(body))).toEqual(summary(events))
    for (const completion of ['strict', 'lenient'] as const) {
      const expected = Array.from({ length: variant.body.length + 1 }, (_, at) => (at >= variant.endAt ? 'complete' : 'truncated'))
      expect(verdicts('ollama', variant.body, completion)).toEqual(expected)
    }
  })
})

describe('wire.md §5 Ollama', () => {
  it.each([
    [{ done_reason: 'stop' }, 'stop'],
    [{ done_reason: 'length' }, 'length'],
    [{ done_reason: 'load' }, 'load'],
    [{ done_reason: 'unload' }, 'unload'],
    [{ done_reason: '' }, null],
    [{ done_reason: null }, null],
  ] as const)('%j finishes as %s', (more, finish) => {
    expect(last(ollama(ndjson(done(more))))).toEqual({ type: 'final', finish, terminated: true })
  })

  it('a line with text and `done: true` is read whole', () => {
    expect(ollama(ndjson(done({ message: { content: 'all of it', thinking: 'hm' } })))).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'all of it' },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })

  it('calls are whole, their arguments an object or nothing; ids are those of newer servers', () => {
    const calls = [
      { function: { name: 'a', arguments: { x: [1, { y: 'ü' }] } } },
      { id: 'call_9', function: { name: 'b', arguments: '{"as":"text"}' } },
      { id: '', function: { index: 2, name: 'c' } },
      { function: {} },
    ]
    expect(ollama(ndjson(said({ tool_calls: calls }), done()))).toEqual([
      { type: 'toolCall', id: null, name: 'a', arguments: '{"x":[1,{"y":"ü"}]}' },
      { type: 'toolCall', id: 'call_9', name: 'b', arguments: '{"as":"text"}' },
      { type: 'toolCall', id: null, name: 'c', arguments: '{}' },
      { type: 'toolCall', id: null, name: '', arguments: '{}' },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })

  it('wire.md §12.4 no call leaves before the line that is done', () => {
    const events = ollama(ndjson(said({ content: 'a', tool_calls: [{ function: { name: 'f', arguments: {} } }] })))
    expect(events.map((event) => event.type)).toEqual(['text', 'failed'])
    expect(failureOf(events)?.kind).toBe('truncated')
  })

  it('a line without its end is none, even the last one', () => {
    const body = ndjson(said({ content: 'a' }), done())
    expect(failureOf(ollama(body.subarray(0, -1)))?.kind).toBe('truncated')
    expect(last(ollama(body))).toMatchObject({ type: 'final' })
  })

  it.each([
    [{ prompt_eval_count: 5, eval_count: 7 }, [{ type: 'usage', input: 5, output: 7 }]],
    // What stands in the cache of the server is not counted there.
    [{ eval_count: 7 }, [{ type: 'usage', output: 7 }]],
    [{ prompt_eval_count: -1, eval_count: 1.5 }, []],
    [{}, []],
  ])('counts %j', (counts, usage) => {
    expect(ollama(ndjson(done(counts))).filter((event) => event.type === 'usage')).toEqual(usage)
  })

  it.each([
    ['text', { error: 'llama runner process has terminated' }, 'unknown'],
    ['an object of a gateway', { error: { message: 'busy', type: 'overloaded_error' } }, 'overloaded'],
    ['the words of a prompt that did not fit', { error: 'input length exceeds the context length' }, 'context_window'],
  ])('an error line fails the answer, whatever came before: %s', (_what, line, kind) => {
    const events = ollama(ndjson(said({ content: 'a', tool_calls: [{ function: { name: 'f' } }] }), line, done()))
    expect(events.map((event) => event.type)).toEqual(['text', 'failed'])
    expect(failureOf(events)).toMatchObject({ kind, status: null, phase: 'stream' })
  })

  it('R25 content after the line that is done is ignored and noted', () => {
    expect(ollama(ndjson(done(), said({ content: 'late' }), { error: 'late' }))).toEqual([
      { type: 'final', finish: 'stop', terminated: true, contentAfter: true },
    ])
  })

  it.each([
    ['{"message":', 'an event that is no JSON'],
    ['[1]', 'an event that is no JSON object'],
    ['data: {"choices":[]}', 'an event that is no JSON'],
    ['<html>', 'an event that is no JSON'],
  ])('a broken line %j is a protocol failure with its offset', (line, what) => {
    const body = ndjson(said({ content: 'é' }), '', line, done())
    const offset = Buffer.from(body).indexOf(line)
    expect(failureOf(ollama(body))).toMatchObject({ kind: 'protocol', offset, message: `${what} at byte ${offset}` })
    expect(failureOf(decodeAll('ollama', cutAtRandom(body, seeded(4))))).toMatchObject({ kind: 'protocol', offset })
  })

  it('is not surprised by what it does not know', () => {
    const odd = [
      {},
      { message: null },
      { message: { content: 5, thinking: {}, tool_calls: [null, 'x', { function: null }] } },
      { done: 'true' },
      { done: 1 },
    ]
    expect(ollama(ndjson(...odd, said({ content: 'a' }), done())).map((event) => event.type)).toEqual(['text', 'final'])
  })

  it('gives back the thoughts of a turn with calls to their issuer, when asked to, and those of no other turn', () => {
    const issued = (...lines: unknown[]) => {
      const events: ProviderEvent[] = []
      httpProtocol('ollama')
        ?.decoder({ now: () => 0, issued: true })
        .push(ndjson(...lines), (event) => events.push(event))
      return events.filter((event) => event.type === 'issued')
    }
    const thoughts = [said({ thinking: 'let me ' }), said({ thinking: 'see' })]
    const body = [...thoughts, said({ tool_calls: [{ function: { name: 'f' } }] }), done()]
    expect(issued(...body)).toEqual([{ type: 'issued', data: { thinking: 'let me see' } }])
    expect(issued(...thoughts, done())).toEqual([])
    expect(ollama(ndjson(...body)).some((event) => event.type === 'issued')).toBe(false)
  })
})

describe('a whole answer of Ollama', () => {
  const whole = (text: string) => {
    const events: ProviderEvent[] = []
    httpProtocol('ollama')?.decodeAnswer(text, { now: () => 0 }, (event) => events.push(event))
    return events
  }

  it('is the object that a stream ends with, its message in it', () => {
    const message = { role: 'assistant', thinking: 'hm', content: 'hi', tool_calls: [{ function: { name: 'f', arguments: { a: 1 } } }] }
    expect(whole(JSON.stringify(done({ message, prompt_eval_count: 1, eval_count: 2 })))).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: null, name: 'f', arguments: '{"a":1}' },
      { type: 'usage', input: 1, output: 2 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })

  it.each(['', '<html>', '[]', '{}', '5', '{"message":"x"}', '{"choices":[]}'])('%j is no answer', (text) => {
    expect(failureOf(whole(text))).toMatchObject({ kind: 'protocol', phase: 'call' })
  })

  it('R25 one that does not say that it is done is truncated, an error is told', () => {
    expect(failureOf(whole('{"message":{"content":"half"},"done":false}'))).toMatchObject({ kind: 'truncated', phase: 'call' })
    expect(failureOf(whole('{"error":"went wrong"}'))).toMatchObject({ kind: 'unknown', phase: 'call', message: 'went wrong' })
  })
})
