import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ClientRequest, Content, Head, Summary } from '../../../../src/faces/gateway/dialect.ts'
import { ResponsesVoice } from '../../../../src/faces/gateway/openai-responses/voice.ts'
import { problemOf } from '../../../../src/faces/gateway/problem.ts'
import type { Outcome } from '../../../../src/index.ts'

const request: ClientRequest = {
  model: null,
  models: null,
  stream: true,
  messages: [],
  tools: [],
  options: {},
  usage: true,
  repeated: { metadata: { a: 'b' } },
}
const HEAD: Head = { turn: 't-1', model: 'm', at: 1_700_000_000_000, request }
const RELEVO = { turn: 't-1', served: 'a.x/m' } as unknown as Summary
const outcomeOf = (kind: Outcome['kind']) => ({ kind, attempts: [], text: '', reasoning: '', toolCalls: [] }) as unknown as Outcome
const BROKEN = problemOf('upstream', 'it broke off', { code: 'interrupted' })

interface Told {
  readonly type: string
  readonly sequence_number: number
  readonly [field: string]: unknown
}

/** The events of a stream, read as its clients do. */
function eventsOf(text: string): Told[] {
  const frames = text.split('\n\n').filter((frame) => frame !== '')
  return frames.map((frame) => {
    const [, name, data] = /^event: (.*)\ndata: ([^\n]*)$/.exec(frame) ?? []
    const event = JSON.parse(data ?? '') as Told
    expect(event.type).toBe(name)
    return event
  })
}

function textOf(said: string | Uint8Array): string {
  return typeof said === 'string' ? said : Buffer.from(said).toString('utf8')
}

function said(contents: readonly Content[], last: (voice: ResponsesVoice) => string): string {
  const voice = new ResponsesVoice(HEAD)
  return contents.map((content) => textOf(voice.content(content))).join('') + last(voice)
}

const ended =
  (kind: Outcome['kind'] = 'ok') =>
  (voice: ResponsesVoice) =>
    voice.end(outcomeOf(kind), RELEVO)
const endedWith = (text: string) => (voice: ResponsesVoice) => voice.end({ ...outcomeOf('ok'), text }, RELEVO)
const broken = (voice: ResponsesVoice) => voice.broken(BROKEN, RELEVO)

const frame = (event: object & { type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const bytes = (...events: (object & { type: string })[]): Content => ({ type: 'bytes', bytes: Buffer.from(events.map(frame).join('')) })

describe('a response in words of ours', () => {
  const content = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string({ minLength: 1, unit: 'grapheme' }) }),
    fc.record({ type: fc.constant('reasoning' as const), text: fc.string({ minLength: 1 }) }),
    fc.record({
      type: fc.constant('toolCall' as const),
      id: fc.option(fc.string({ minLength: 1 })),
      name: fc.string({ minLength: 1 }),
      arguments: fc.json(),
    }),
    fc.record({ type: fc.constant('notice' as const), text: fc.string() }),
  )

  test('whatever is told: numbers in a row, items that open and close in turn, and the whole once more at the end', () => {
    fc.assert(
      fc.property(
        fc.array(content, { maxLength: 12 }),
        fc.constantFrom('ok' as const, 'incomplete' as const, 'refused' as const),
        (contents, kind) => {
          const events = eventsOf(said(contents, ended(kind)))
          expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
          const last = events.at(-1) as Told & { response: { output: unknown[]; metadata: unknown } }
          expect([last.type, last['relevo']]).toEqual([kind === 'ok' ? 'response.completed' : 'response.incomplete', RELEVO])
          expect(last.response.metadata).toEqual({ a: 'b' })
          const added = events.filter(({ type }) => type === 'response.output_item.added')
          const done = events.filter(({ type }) => type === 'response.output_item.done')
          expect(added.map((event) => event['output_index'])).toEqual(added.map((_, at) => at))
          expect(done.map((event) => event['item'])).toEqual(last.response.output)
          expect(done).toHaveLength(added.length)
          const deltas = (type: string) => events.flatMap((event) => (event.type === type ? [event['delta']] : [])).join('')
          const told = (type: string) => contents.flatMap((one) => (one.type === type && 'text' in one ? [one.text] : [])).join('')
          expect(deltas('response.output_text.delta')).toBe(told('text'))
          expect(deltas('response.reasoning_summary_text.delta')).toBe(told('reasoning'))
        },
      ),
    )
  })

  test('an answer that broke off: the error, the response that failed by it, and nothing that ends one', () => {
    const events = eventsOf(said([{ type: 'text', text: 'Half' }], broken))
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', sequence_number: 5, error: { type: 'upstream_error', code: 'interrupted', message: 'it broke off', param: null } },
      {
        type: 'response.failed',
        sequence_number: 6,
        response: { status: 'failed', error: { code: 'interrupted', message: 'it broke off' } },
        relevo: RELEVO,
      },
    ])
    expect(events.some(({ type }) => /completed|incomplete|\.done/.test(type))).toBe(false)
  })
})

describe('a response that is passed', () => {
  const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_theirs', object: 'response' } }
  const item = { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item: { type: 'message', id: 'msg_theirs' } }
  const delta = (sequence_number: number, text: string) => ({ type: 'response.output_text.delta', sequence_number, output_index: 0, delta: text })

  test('goes out as it came, and its last event carries `relevo`', () => {
    const contents = [bytes(created, item), bytes(delta(2, 'Hé'))]
    const completed = '{"type": "response.completed", "sequence_number": 3, "response": {"id": "resp_theirs" } }'
    const text = said([...contents, { type: 'ending', frames: [{ event: 'response.completed', data: completed }] }], ended())
    const passed = contents.map((one) => (one.type === 'bytes' ? textOf(one.bytes) : '')).join('')
    expect(text).toBe(`${passed}event: response.completed\ndata: ${completed.slice(0, -1)},"relevo":${JSON.stringify(RELEVO)}}\n\n`)
  })

  test('breaks off under its own id and with the next numbers, whatever its text says', () => {
    const events = eventsOf(said([bytes(created, item), bytes(delta(2, 'one'), delta(3, 'and "sequence_number":99, "output_index":7'))], broken))
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', sequence_number: 4 },
      { type: 'response.failed', sequence_number: 5, response: { id: 'resp_theirs' } },
    ])
  })

  test('R29 thoughts that were passed, and an answer of another behind them: one response, its items one after the other', () => {
    const events = eventsOf(said([bytes(created, item), { type: 'answer', text: 'Hello', toolCalls: [] }], endedWith('Hello')))
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.flatMap((event) => (event.type === 'response.output_item.added' ? [event['output_index']] : []))).toEqual([0, 1])
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: 'resp_theirs' } })
  })

  test('a provider that numbers nothing does no harm', () => {
    const events = eventsOf(said([{ type: 'bytes', bytes: Buffer.from('event: x\ndata: {"type":"x"}\n\n') }], broken))
    expect(events.slice(-2)).toMatchObject([{ sequence_number: 0 }, { sequence_number: 1, response: { id: 'resp_t-1' } }])
  })
})
