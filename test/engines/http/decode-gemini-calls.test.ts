import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, decodeAll } from './kit.ts'

/** Calls of Gemini, and what it wants back with them and with its text. */
const sse = (...events: unknown[]) => bytes(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''))
const gemini = (...events: unknown[]) => decodeAll('gemini', [sse(...events)])
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const types = (events: readonly ProviderEvent[]) => events.map((event) => event.type)
const callsOf = (events: readonly ProviderEvent[]) => events.filter((event) => event.type === 'toolCall')
const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]

const chunk = (parts: readonly unknown[], more: object = {}) => ({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }] })
const said = (text: string, more: object = {}) => chunk([{ text }], more)
const ended = (finishReason: string, more: object = {}) => ({ candidates: [{ finishReason, index: 0, ...more }] })
const call = (functionCall: object, more: object = {}) => chunk([{ functionCall, ...more }])
const final = (finish: string | null, more: object = {}) => ({ type: 'final', finish, terminated: true, ...more })

function issued(...chunks: unknown[]): unknown[] {
  const events: ProviderEvent[] = []
  const decoder = httpProtocol('gemini')?.decoder({ now: () => 0, issued: true })
  decoder?.push(sse(...chunks), (event) => events.push(event))
  expect(last(events)?.type).toBe('final')
  return events.flatMap((event) => (event.type === 'issued' ? [event.data] : []))
}

describe('calls of Gemini', () => {
  it('end a STOP as tool_calls, several in one content, with the ids and names of the wire', () => {
    const parts = [{ functionCall: { name: 'one', args: { a: 1 } } }, { functionCall: { id: 'x', name: 'two' } }]
    expect(gemini(chunk(parts), ended('STOP'))).toEqual([
      { type: 'toolCall', id: null, name: 'one', arguments: '{"a":1}' },
      { type: 'toolCall', id: 'x', name: 'two', arguments: '{}' },
      final('tool_calls'),
    ])
  })

  it('§12.4 stay back from a stream that breaks', () => expect(types(gemini(call({ name: 'one', args: {} })))).toEqual(['failed']))

  const streamed = (pieces: readonly object[], end = 'STOP') =>
    callsOf(
      gemini(
        call({ name: 'f', id: 'i', willContinue: true }),
        ...pieces.map((piece) => call({ partialArgs: [piece], willContinue: true })),
        ended(end),
      ),
    )
  const args = (pieces: readonly object[]) => JSON.parse(streamed(pieces)[0]?.arguments ?? '')

  it('come in pieces: texts that go on, numbers, booleans, null, lists and objects, also empty ones', () => {
    expect(
      args([
        { jsonPath: '$.text', stringValue: 'a', willContinue: true },
        { jsonPath: '$.text', stringValue: 'b' },
        { jsonPath: '$.items[0].n', numberValue: 1.5 },
        { jsonPath: '$.items[1]', nullValue: 'NULL_VALUE' },
        { jsonPath: '$.items[]' },
        { jsonPath: "$['odd \\'name\\'.x'][\"two\"]", boolValue: false },
        { jsonPath: '$.none[]' },
        { jsonPath: '$.empty' },
        { jsonPath: '$.__proto__.x', numberValue: 1 },
        { jsonPath: '$' },
      ]),
    ).toEqual(JSON.parse('{"text":"ab","items":[{"n":1.5},null],"odd \'name\'.x":{"two":false},"none":[],"empty":{},"__proto__":{"x":1}}'))
  })

  it('in pieces end by their last piece, by an empty part, or by the answer', () => {
    const first = call({ name: 'f', willContinue: true })
    const open = call({ partialArgs: [{ jsonPath: '$.a', numberValue: 1 }], willContinue: true })
    const closed = call({ partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] })
    for (const chunks of [
      [first, closed],
      [first, open, call({})],
      [first, open],
    ]) {
      expect(callsOf(gemini(...chunks, ended('STOP')))).toEqual([{ type: 'toolCall', id: null, name: 'f', arguments: '{"a":1}' }])
    }
    const two = callsOf(gemini(first, open, call({}), call({ name: 'g', args: { b: 2 } }), ended('STOP')))
    expect(two.map(({ name, arguments: text }) => [name, text])).toEqual([
      ['f', '{"a":1}'],
      ['g', '{"b":2}'],
    ])
  })

  it('that a bound cut in the middle are no calls', () => {
    expect(streamed([{ jsonPath: '$.path', stringValue: '/tm', willContinue: true }], 'MAX_TOKENS')).toEqual([])
  })

  it.each([
    ['a place beyond the end of a list', { jsonPath: '$.list[5]', numberValue: 1 }],
    ['a place inside a text', { jsonPath: '$.a.b', numberValue: 1 }],
    ['an index of an object', { jsonPath: '$[0]', numberValue: 1 }],
    ['a path that is none', { jsonPath: 'a..b', numberValue: 1 }],
    ['no path', { numberValue: 1 }],
    ['a path of many steps', { jsonPath: `$${'.b'.repeat(102)}`, numberValue: 1 }],
  ])('in pieces at %s are a protocol failure, with its offset', (_name, piece) => {
    const chunks = [call({ name: 'f', willContinue: true }), call({ partialArgs: [{ jsonPath: '$.a', stringValue: 'x' }] })]
    const failed = failureOf(gemini(...chunks, call({ partialArgs: [piece] }), ended('STOP')))
    expect(failed).toMatchObject({ kind: 'protocol', offset: sse(...chunks).length })
  })
})

describe('R12 what Gemini wants back', () => {
  const signed = (part: object, thoughtSignature: string) => ({ ...part, thoughtSignature })

  it('are the signatures of calls by their place, and signed parts by their place in the text', () => {
    expect(
      issued(
        chunk([signed({ text: 'hm', thought: true }, 's0')]),
        said('Hello '),
        chunk([
          signed({ text: 'you' }, 's1'),
          signed({ functionCall: { id: 'i', name: 'f', args: {} } }, 's2'),
          { functionCall: { name: 'g', args: {} } },
        ]),
        chunk([signed({ text: '' }, 's3')], { finishReason: 'STOP' }),
      ),
    ).toEqual([
      { at: 0, part: { text: 'hm', thought: true, thoughtSignature: 's0' } },
      { at: 6, part: { text: 'you', thoughtSignature: 's1' } },
      { at: 9, part: { text: '', thoughtSignature: 's3' } },
      { call: 0, id: 'i', name: 'f', thoughtSignature: 's2' },
    ])
  })

  it('are the parts of tools that it ran, as they came', () => {
    const parts = [
      signed({ executableCode: { language: 'PYTHON', code: '1' } }, 's'),
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { toolCall: { id: 't', toolType: 'URL_CONTEXT', args: { a: 1 } } },
      { toolResponse: { id: 't', toolType: 'URL_CONTEXT', response: {} } },
    ]
    expect(issued(chunk(parts), ended('STOP'))).toEqual(parts.map((part) => ({ at: 0, part })))
  })

  it('nothing where nothing was signed, and nothing to who did not ask', () => {
    expect(issued(said('hi'), call({ name: 'f' }), ended('STOP'))).toEqual([])
    expect(types(gemini(chunk([signed({ functionCall: { name: 'f' } }, 's')]), ended('STOP')))).toEqual(['toolCall', 'final'])
  })
})
