import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sampledOf } from '../../../src/engines/http/anthropic-messages/iterations.ts'
import { anthropicMessages } from '../../../src/engines/http/anthropic-messages/protocol.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, cutAtRandom, seeded, summary } from './kit.ts'
import { bodyOf, present, recordingsOf } from './recordings.ts'

/** One sampling inside a response, as the wire has it. */
const sampling = (type: string, model: string | null, input: number, output: number, more: object = {}) => ({
  type,
  ...(model === null ? {} : { model }),
  input_tokens: input,
  output_tokens: output,
  ...more,
})

const frame = (event: { readonly type: string }) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

interface Told {
  readonly named?: string
  readonly usage?: object
  readonly blocks?: readonly object[]
  readonly stop?: string
}

function streamOf({ named = 'asked-2026', usage, blocks = [{ type: 'text', text: 'hi' }], stop = 'end_turn' }: Told): string {
  return [
    { type: 'message_start', message: { model: named, usage: { input_tokens: 7, output_tokens: 1 } } },
    ...blocks.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop }, usage },
    { type: 'message_stop' },
  ]
    .map(frame)
    .join('')
}

const OPTIONS = { model: 'asked', issued: true, now: () => 0 }

function eventsOf(body: Iterable<Uint8Array>): ProviderEvent[] {
  const events: ProviderEvent[] = []
  const decoder = anthropicMessages.decoder(OPTIONS)
  for (const chunk of body) decoder.push(chunk, (event) => events.push(event))
  decoder.end((event) => events.push(event))
  return events
}

function wholeOf({ named = 'asked-2026', usage, blocks = [{ type: 'text', text: 'hi' }], stop = 'end_turn' }: Told): ProviderEvent[] {
  const events: ProviderEvent[] = []
  const body = { type: 'message', model: named, content: blocks, stop_reason: stop, usage }
  anthropicMessages.decodeAnswer(JSON.stringify(body), OPTIONS, (event) => events.push(event))
  return events
}

const spentOf = (events: readonly ProviderEvent[]) => events.filter(({ type }) => type === 'iterations' || type === 'usage')

/** As a stream and as a whole answer, which tell the same. */
function spent(usage: object, named?: string): ProviderEvent[] {
  const told = { usage, ...(named === undefined ? {} : { named }) }
  const events = spentOf(eventsOf([bytes(streamOf(told))]))
  expect(spentOf(wholeOf(told))).toEqual(events)
  return events
}

const DECLINED = sampling('message', 'asked-2026', 408, 0, { cache_read_input_tokens: 0, cache_creation_input_tokens: 0 })
const TOOK_OVER = sampling('fallback_message', 'other-2026', 412, 264, { cache_read_input_tokens: 100, cache_creation_input_tokens: 10 })
const OF_OTHER = { model: 'other-2026', usage: { input: 522, output: 264, cachedInput: 100 } }
const ANSWER = { input_tokens: 412, output_tokens: 264, cache_read_input_tokens: 100, cache_creation_input_tokens: 10 }

describe('R34 models that the provider itself tried inside one response', () => {
  it('each has its tokens, cached and cache-written ones counted; the one that was asked has the name that it was asked by', () => {
    expect(spent({ ...ANSWER, iterations: [DECLINED, TOOK_OVER] })).toEqual([
      { type: 'iterations', iterations: [{ model: 'asked', usage: { input: 408, output: 0, cachedInput: 0 }, result: 'refusal' }, OF_OTHER] },
      { type: 'usage', input: 522, output: 264, cachedInput: 100 },
    ])
  })

  it('are told before the end, whatever the chunks', () => {
    const body = bytes(streamOf({ usage: { ...ANSWER, iterations: [DECLINED, TOOK_OVER] } }))
    const events = eventsOf([body])
    expect(events.map(({ type }) => type)).toEqual(['text', 'iterations', 'usage', 'final'])
    for (let seed = 0; seed < 5; seed += 1) expect(summary(eventsOf(cutAtRandom(body, seeded(seed))))).toEqual(summary(events))
  })

  it('a chain of them is told in order, the samplings of one as one', () => {
    const usage = { ...ANSWER, iterations: [DECLINED, sampling('message', 'second', 5, 1), sampling('message', 'other-2026', 3, 2), TOOK_OVER] }
    expect(spent(usage)[0]).toEqual({
      type: 'iterations',
      iterations: [
        { model: 'asked', usage: { input: 408, output: 0, cachedInput: 0 }, result: 'refusal' },
        { model: 'second', usage: { input: 5, output: 1 }, result: 'refusal' },
        { model: 'other-2026', usage: { input: 525, output: 266, cachedInput: 100 } },
      ],
    })
  })

  it('one that was asked and passed over has used nothing', () => {
    expect(spent({ ...ANSWER, iterations: [TOOK_OVER] }, 'other-2026')[0]).toEqual({
      type: 'iterations',
      iterations: [{ model: 'asked', usage: { input: 0, output: 0 }, result: 'refusal' }, OF_OTHER],
    })
  })

  it('an adviser stands before the answer of the model that asked it, also when it was heard last', () => {
    const adviser = sampling('advisor_message', 'adviser', 2728, 874)
    const own = [sampling('message', null, 1051, 35), sampling('message', null, 1363, 3165)] as const
    expect(spent({ input_tokens: 2414, output_tokens: 3200, iterations: [own[0], adviser, own[1]] })).toEqual([
      {
        type: 'iterations',
        iterations: [
          { model: 'asked', usage: { input: 1051, output: 35 }, result: 'ok' },
          { model: 'adviser', usage: { input: 2728, output: 874 }, result: 'ok' },
          { model: 'asked', usage: { input: 1363, output: 3165 } },
        ],
      },
      { type: 'usage', input: 2414, output: 3200 },
    ])
    expect(spent({ ...ANSWER, iterations: [own[0], adviser] })[0]).toEqual({
      type: 'iterations',
      iterations: [
        { model: 'asked', usage: { input: 0, output: 0 }, result: 'ok' },
        { model: 'adviser', usage: { input: 2728, output: 874 }, result: 'ok' },
        { model: 'asked', usage: { input: 1051, output: 35 } },
      ],
    })
  })

  it('samplings of the asked model alone are its usage, with those that the counts beside them leave out', () => {
    const iterations = [sampling('compaction', null, 60_385, 592), sampling('message', null, 682, 1320)]
    expect(spent({ input_tokens: 682, output_tokens: 1320, iterations })).toEqual([{ type: 'usage', input: 61_067, output: 1912 }])
  })

  it.each([
    ['none', null],
    ['no list', { 0: DECLINED, length: 1 }],
    ['an empty list', []],
    ['an entry that is none', [DECLINED, null]],
    ['a list in a list', [[DECLINED], TOOK_OVER]],
    ['a kind that is not known', [DECLINED, sampling('guess_message', 'other', 1, 1)]],
    ['a count that is not told', [DECLINED, { type: 'fallback_message', model: 'other', input_tokens: 1 }]],
    ['a count below nothing', [sampling('message', 'asked-2026', -1, 0), TOOK_OVER]],
    ['a count that is a text', [DECLINED, { ...TOOK_OVER, output_tokens: '264' }]],
    ['one that took over and has no name', [DECLINED, sampling('fallback_message', null, 1, 1)]],
    ['a name that commands a terminal', [DECLINED, { ...TOOK_OVER, model: 'other\u001b[2J' }]],
    ['a name of two lines', [DECLINED, { ...TOOK_OVER, model: 'other\nmore' }]],
    ['a name without end', [DECLINED, { ...TOOK_OVER, model: 'o'.repeat(10_000) }]],
    ['a name that is a number', [DECLINED, { ...TOOK_OVER, model: 7 }]],
    ['sums past what can be counted', [sampling('message', 'asked-2026', Number.MAX_SAFE_INTEGER, 0), sampling('fallback_message', 'other', 1, 0)]],
    ['ever more models', Array.from({ length: 30 }, (_, n) => sampling('fallback_message', `m${n}`, 1, 1))],
    ['ever more samplings', Array.from({ length: 5_000 }, () => DECLINED)],
  ])('%s: the counts beside it stand', (_title, iterations) => {
    expect(spent({ ...ANSWER, iterations })).toEqual([{ type: 'usage', input: 522, output: 264, cachedInput: 100 }])
  })

  it('property: whatever was sampled, the rows together are all of it, the asked one first and the one that answered last', () => {
    const names = fc.constantFrom('asked-2026', 'other', 'third')
    const entry = fc.record({ type: fc.constantFrom('message', 'fallback_message', 'compaction', 'advisor_message'), model: names })
    const counted = fc.tuple(entry, fc.nat(1_000), fc.nat(1_000)).map(([{ type, model }, input, output]) => sampling(type, model, input, output))
    fc.assert(
      fc.property(fc.array(counted, { minLength: 1, maxLength: 12 }), (list) => {
        const sampled = sampledOf(list, 'asked', 'asked-2026')
        expect(sampled === null).toBe(list.every(({ type }) => type === 'advisor_message'))
        if (sampled === null) return
        const { iterations, usage } = sampled
        const sum = (count: 'input' | 'output') => iterations.reduce((total, each) => total + (each.usage[count] ?? 0), 0)
        const told = (count: 'input_tokens' | 'output_tokens') => list.reduce((total, each) => total + each[count], 0)
        expect([sum('input'), sum('output')]).toEqual([told('input_tokens'), told('output_tokens')])
        expect(usage).toEqual({ input: told('input_tokens'), output: told('output_tokens') })
        expect(iterations[0]?.model).toBe('asked')
        const answered = list.findLast(({ type }) => type === 'message' || type === 'fallback_message')
        if (answered !== undefined) expect(['asked', answered.model]).toContain(iterations.at(-1)?.model)
      }),
    )
  })

  it('property: nothing that is no list of samplings makes it throw', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void sampledOf(value, 'asked', null)))
    fc.assert(fc.property(fc.array(fc.jsonValue()), (value) => void sampledOf(value, null, 'named')))
  })

  it('what was told before an answer broke off is kept', () => {
    const error = frame({ type: 'error', error: { type: 'overloaded_error', message: 'overloaded' } } as { type: string })
    const cut = streamOf({ usage: { ...ANSWER, iterations: [DECLINED, TOOK_OVER] } }).replace(/event: message_stop.*$/s, error)
    expect(eventsOf([bytes(cut)]).map(({ type }) => type)).toEqual(['text', 'iterations', 'usage', 'failed'])
  })

  it.skipIf(!present)('the recording ai-fallback tells two', () => {
    const recording = recordingsOf('anthropic').find(({ file }) => file.endsWith('ai-fallback.sse'))
    if (recording === undefined) throw new Error('ai-fallback.sse is not in the index')
    expect(spentOf(eventsOf([bodyOf(recording)]))).toEqual([
      {
        type: 'iterations',
        iterations: [
          { model: 'asked', usage: { input: 408, output: 0, cachedInput: 0 }, result: 'refusal' },
          { model: 'claude-opus-4-8', usage: { input: 412, output: 264, cachedInput: 0 } },
        ],
      },
      { type: 'usage', input: 412, output: 264, cachedInput: 0 },
    ])
  })
})

describe('an answer that another model took over in the middle', () => {
  const thought = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
  const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: {} })
  const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} })
  const found = { type: 'web_search_tool_result', tool_use_id: 'kept', content: [] }
  const fallback = { type: 'fallback', from: { model: 'asked' }, to: { model: 'other-2026' } }
  const blocks = [
    thought('first'),
    { type: 'text', text: 'so ' },
    search('kept'),
    found,
    search('unanswered'),
    call('lost'),
    fallback,
    thought('second'),
    { type: 'text', text: 'far' },
    call('made'),
  ]

  it('makes the calls of the one that took over, and gives back its thoughts and what the provider had found', () => {
    const events = eventsOf([bytes(streamOf({ blocks, stop: 'tool_use' }))])
    expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual(['so ', 'far'])
    expect(events.flatMap((event) => (event.type === 'toolCall' ? [event.id] : []))).toEqual(['made'])
    expect(events.flatMap((event) => (event.type === 'issued' ? [event.data] : []))).toEqual([
      { type: 'text', length: 3 },
      search('kept'),
      found,
      thought('second'),
    ])
  })
})
