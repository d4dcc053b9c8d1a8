import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import { binaryFrame } from '../../../src/engines/loopback/binary-frame.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'
import { bytes, cutAtRandom, decodeAll, seeded, summary, textOf, verdicts } from './kit.ts'
import { resealed } from './resealed.ts'
import { bedrockConverseVariant } from './variants-bedrock-converse.ts'

const API = 'bedrock-converse'
const frame = (name: string, payload: object) => binaryFrame({ ':message-type': 'event', ':event-type': name }, payload)
const exception = (name: string, payload: object) => binaryFrame({ ':message-type': 'exception', ':exception-type': name }, payload)
const converse = (frames: readonly Uint8Array[], completion: CompletionPolicy = 'strict') => decodeAll(API, [Buffer.concat(frames)], completion)
const last = (events: readonly ProviderEvent[]) => events.at(-1)
const failureOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'failed' ? [event.failure] : []))[0]
const delta = (value: object, contentBlockIndex = 0) => frame('contentBlockDelta', { contentBlockIndex, delta: value, p: 'abcd' })
const block = (contentBlockIndex: number, start: object, ...deltas: object[]) => [
  frame('contentBlockStart', { contentBlockIndex, start }),
  ...deltas.map((each) => delta(each, contentBlockIndex)),
  frame('contentBlockStop', { contentBlockIndex }),
]
const start = frame('messageStart', { role: 'assistant' })
const stop = (stopReason: unknown = 'end_turn') => frame('messageStop', { stopReason })
const counts = { inputTokens: 10, outputTokens: 9, totalTokens: 24, cacheReadInputTokens: 3, cacheWriteInputTokens: 2 }
const metadata = frame('metadata', { usage: counts, metrics: { latencyMs: 5 } })

describe('R25 generated variants of bedrock-converse', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('variant %i', (seed) => {
    const variant = bedrockConverseVariant(seeded(4000 + seed))
    const events = decodeAll(API, [variant.body])
    expect(textOf(events)).toBe(variant.text)
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe(variant.reasoning)
    expect(events.filter((event) => event.type === 'toolCall')).toEqual(variant.calls.map((call) => ({ type: 'toolCall', ...call })))
    expect(events.slice(-2)).toEqual([
      { type: 'usage', ...variant.usage },
      { type: 'final', finish: variant.finish, terminated: true },
    ])
    for (let cut = 0; cut < 3; cut += 1) expect(summary(decodeAll(API, cutAtRandom(variant.body, seeded(cut))))).toEqual(summary(events))
    for (const completion of ['strict', 'lenient'] as const) {
      expect(verdicts(API, variant.body, completion)).toEqual(
        Array.from({ length: variant.body.length + 1 }, (_, at) =>
          at >= variant.endAt ? 'complete' : at >= variant.finishAt ? 'complete-unterminated' : 'truncated',
        ),
      )
    }
  })
})

describe('wire.md §9 Bedrock Converse', () => {
  it('counts cached and written input, and ends at the metadata behind messageStop', () => {
    expect(converse([start, delta({ text: 'hi' }), delta({ text: '' }), stop(), metadata])).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'usage', input: 15, output: 9, cachedInput: 3 },
      { type: 'final', finish: 'stop', terminated: true },
    ])
  })

  it.each(['strict', 'lenient'] as const)('R25 an end between messageStop and metadata is whole, without its usage (%s)', (completion) => {
    expect(converse([start, delta({ text: 'hi' }), stop()], completion)).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'final', finish: 'stop', terminated: false },
    ])
    expect(failureOf(converse([start, delta({ text: 'hi' })], completion))?.kind).toBe('truncated')
  })

  it('R34 metadata before the finish marker tells usage and ends nothing', () => {
    const events = converse([start, delta({ text: 'a' }), metadata, delta({ text: 'b' })])
    expect(events.map((event) => event.type)).toEqual(['text', 'text', 'usage', 'failed'])
    expect(converse([start, metadata, delta({ text: 'b' }), stop()]).slice(-2)).toEqual([
      { type: 'usage', input: 15, output: 9, cachedInput: 3 },
      { type: 'final', finish: 'stop', terminated: false },
    ])
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['content_filtered', 'content_filter'],
    ['guardrail_intervened', 'content_filter'],
    ['malformed_tool_use', 'malformed_tool_use'],
    ['model_context_window_exceeded', 'model_context_window_exceeded'],
    [7, '7'],
    ['', null],
    [null, null],
  ])('%s finishes as %s', (reason, finish) => {
    expect(last(converse([start, stop(reason), metadata]))).toMatchObject({ type: 'final', finish })
  })

  it('tells provider tools at once and client tools at the end', () => {
    const search = { toolUse: { toolUseId: 's1', name: 'nova_grounding', type: 'server_tool_use' } }
    const results = { toolResult: { toolUseId: 's1', type: 'nova_grounding_result', status: 'success' } }
    const events = converse([
      start,
      ...block(0, { toolUse: { toolUseId: 't1', name: 'mine' } }, { toolUse: { input: '{"a":' } }, { toolUse: { input: '1}' } }),
      ...block(1, search, { toolUse: { input: '{"q":2}' } }),
      ...block(2, results, { toolResult: [{ text: 'found ' }, { json: { n: 1 } }, {}, null] }),
      ...block(3, { toolUse: { toolUseId: 't2', name: 'bare' } }, { toolUse: { input: '' } }),
      stop('tool_use'),
      metadata,
    ])
    expect(events.slice(0, -2)).toEqual([
      { type: 'providerToolCall', id: 's1', name: 'nova_grounding', arguments: '{"q":2}' },
      { type: 'providerToolResult', id: 's1', name: 'nova_grounding', output: 'found {"n":1}' },
      { type: 'toolCall', id: 't1', name: 'mine', arguments: '{"a":1}' },
      { type: 'toolCall', id: 't2', name: 'bare', arguments: '{}' },
    ])
  })

  it('a tool whose block was never closed, or was begun over, is a call all the same', () => {
    const begin = (toolUseId: string) => frame('contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId, name: toolUseId } } })
    const calls = converse([start, begin('x'), begin('y'), stop('tool_use'), metadata]).filter((event) => event.type === 'toolCall')
    expect(calls.map((call) => call.id)).toEqual(['x', 'y'])
  })

  it.each([
    ['throttlingException', 'rate_limited'],
    ['modelStreamErrorException', 'server_error'],
    ['internalServerException', 'server_error'],
    ['serviceUnavailableException', 'server_error'],
    ['validationException', 'invalid_request'],
    ['modelTimeoutException', 'timeout'],
  ])('%s ends the answer as %s, even behind the finish marker', (name, kind) => {
    const failing = exception(name, { message: 'went wrong', p: 'abc' })
    for (const before of [[], [start, delta({ text: 'a' })], [start, delta({ text: 'a' }), stop()]]) {
      expect(failureOf(converse([...before, failing, metadata]))).toMatchObject({ kind, status: null, phase: 'stream', message: 'went wrong' })
    }
  })

  it('an exception whose payload is no object, and an error with its words in a header, are told too', () => {
    const bare = binaryFrame({ ':message-type': 'error', ':error-code': 'ThrottlingException', ':error-message': 'slow down' }, {})
    expect(failureOf(converse([start, resealed(bare, bytes(''))]))).toMatchObject({ kind: 'rate_limited', message: 'slow down' })
    const words = resealed(exception('throttlingException', {}), bytes('plain words'))
    expect(failureOf(converse([start, words]))).toMatchObject({ kind: 'rate_limited', message: 'plain words' })
  })

  it('R25 content after the terminator is ignored and noted', () => {
    expect(last(converse([start, stop(), metadata, delta({ text: 'late' })]))).toEqual({
      type: 'final',
      finish: 'stop',
      terminated: true,
      contentAfter: true,
    })
  })

  it('a payload that is no JSON is a protocol failure with the offset of its frame', () => {
    const bad = resealed(delta({ text: 'x' }), bytes('{"delta":'))
    const body = Buffer.concat([start, bad, stop(), metadata])
    expect(failureOf(converse([start, bad, stop(), metadata]))).toMatchObject({ kind: 'protocol', offset: start.length })
    expect(failureOf(decodeAll(API, cutAtRandom(body, seeded(2))))).toMatchObject({ kind: 'protocol', offset: start.length })
    expect(failureOf(converse([start, binaryFrame({ ':event-type': 'messageStop' }, [1])]))).toMatchObject({ kind: 'protocol', offset: start.length })
  })

  it('a broken frame behind good ones is a protocol failure with its offset, and what came before is kept', () => {
    const bad = Uint8Array.from(stop())
    bad[bad.length - 1] = (bad[bad.length - 1] ?? 0) ^ 1
    const events = converse([start, delta({ text: 'a' }), bad, metadata])
    const offset = start.length + delta({ text: 'a' }).length
    expect(textOf(events)).toBe('a')
    expect(failureOf(events)).toMatchObject({ kind: 'protocol', offset, message: `an event at byte ${offset} has a broken checksum` })
  })

  it('is not surprised by what it does not know', () => {
    const odd = [
      frame('somethingNew', { stopReason: 'end_turn' }),
      binaryFrame({}, { somethingNew: { stopReason: 'x' }, p: 'a' }),
      binaryFrame({ ':message-type': 'event' }, {}),
      frame('contentBlockStart', { contentBlockIndex: 0 }),
      frame('contentBlockStart', { contentBlockIndex: 0, start: { image: {} } }),
      frame('contentBlockDelta', { delta: null }),
      delta({ text: 5, toolUse: { input: 'for no tool' }, reasoningContent: null, citation: {} }),
      frame('metadata', { usage: null }),
    ]
    expect(converse([start, ...odd, delta({ text: 'a' }), stop(), metadata]).map((event) => event.type)).toEqual(['text', 'usage', 'final'])
  })

  it('what only its issuer can read is told unchanged and in its place, when asked for', () => {
    const grounding = { toolUseId: 's1', name: 'nova_grounding', type: 'server_tool_use' }
    const found = { toolUseId: 's1', type: 'nova_grounding_result', status: 'success' }
    const body = Buffer.concat([
      start,
      delta({ reasoningContent: { text: 'let me ' } }, 0),
      delta({ reasoningContent: { text: 'see' } }, 0),
      delta({ reasoningContent: { signature: 'c2' } }, 0),
      delta({ reasoningContent: { signature: 'ln' } }, 0),
      frame('contentBlockStop', { contentBlockIndex: 0 }),
      ...block(1, {}, { text: 'I loo' }, { text: 'k 😀' }),
      ...block(2, { toolUse: grounding }, { toolUse: { input: '{"q":2}' } }),
      ...block(3, { toolResult: found }, { toolResult: [{ text: 'found' }] }),
      ...block(4, { toolUse: { toolUseId: 't1', name: 'f' } }),
      ...block(5, {}, { reasoningContent: { redactedContent: 'aGlkZGVu' } }),
      ...block(6, { toolUse: { toolUseId: 't2', name: 'g' } }),
      delta({ reasoningContent: { text: 'unsigned' } }, 7),
      stop(),
      metadata,
    ])
    const events: ProviderEvent[] = []
    httpProtocol(API)
      ?.decoder({ now: () => 0, issued: true })
      .push(body, (event) => events.push(event))
    expect(events.flatMap((event) => (event.type === 'issued' ? [event.data] : []))).toEqual([
      { reasoningContent: { reasoningText: { text: 'let me see', signature: 'c2ln' } } },
      { textLength: 'I look 😀'.length },
      { toolUse: { ...grounding, input: { q: 2 } } },
      { toolResult: { ...found, content: [{ text: 'found' }] } },
      { toolCall: true },
      { reasoningContent: { redactedContent: 'aGlkZGVu' } },
    ])
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe('let me seeunsigned')
    expect(decodeAll(API, [body]).some((event) => event.type === 'issued')).toBe(false)
  })
})

describe('a whole answer of Bedrock', () => {
  const whole = (body: unknown, issued = false) => {
    const events: ProviderEvent[] = []
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    httpProtocol(API)?.decodeAnswer(text, { now: () => 0, issued }, (event) => events.push(event))
    return events
  }
  const answer = (content: unknown, more: object = {}) => ({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', ...more })

  it('tells its blocks like a stream does', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
      { reasoningContent: { redactedContent: 'aGk=' } },
      { text: 'hi' },
      { citationsContent: { content: [{ text: ' there' }], citations: [] } },
      { toolUse: { toolUseId: 's', name: 'grounding', type: 'server_tool_use', input: { q: 1 } } },
      { toolResult: { toolUseId: 's', content: [{ json: [1] }] } },
      { toolUse: { toolUseId: 't', name: 'f', input: { a: 1 } } },
    ]
    expect(whole(answer(content, { stopReason: 'tool_use', usage: counts }), true)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'text', text: ' there' },
      { type: 'providerToolCall', id: 's', name: 'grounding', arguments: '{"q":1}' },
      { type: 'providerToolResult', id: 's', name: 'grounding', output: '[1]' },
      { type: 'toolCall', id: 't', name: 'f', arguments: '{"a":1}' },
      { type: 'issued', data: { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } } },
      { type: 'issued', data: { reasoningContent: { redactedContent: 'aGk=' } } },
      { type: 'issued', data: { textLength: 8 } },
      { type: 'issued', data: { toolUse: { toolUseId: 's', name: 'grounding', input: { q: 1 }, type: 'server_tool_use' } } },
      { type: 'issued', data: { toolResult: { toolUseId: 's', content: [{ json: [1] }] } } },
      { type: 'usage', input: 15, output: 9, cachedInput: 3 },
      { type: 'final', finish: 'tool_calls', terminated: true },
    ])
  })

  it.each(['', '<html>', '[]', '{}', '5', '{"output":{}}', '{"output":{"message":{"content":"x"}},"stopReason":"end_turn"}'])(
    '%j is no answer',
    (text) => {
      expect(failureOf(whole(text))).toMatchObject({ kind: 'protocol', phase: 'call' })
    },
  )

  it('R25 one that does not say why it stopped is truncated, an error in a 200 keeps its kind', () => {
    expect(failureOf(whole(answer([{ text: 'half' }], { stopReason: null })))).toMatchObject({ kind: 'truncated', phase: 'call' })
    const throttled = { __type: 'com.amazon.coral.availability#ThrottlingException', message: 'slow down' }
    expect(failureOf(whole(throttled))).toMatchObject({ kind: 'rate_limited', phase: 'call', message: 'slow down' })
  })
})
