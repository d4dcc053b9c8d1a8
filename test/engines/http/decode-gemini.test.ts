import { describe, expect, it } from 'vitest'
import { httpProtocol } from '../../../src/engines/http/registry.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes, cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { geminiVariant } from './variants-gemini.ts'

/** Small streams of our own making (wire.md §4), so that a clone proves itself without recordings. */
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

function whole(text: string): ProviderEvent[] {
  const events: ProviderEvent[] = []
  httpProtocol('gemini')?.decodeAnswer(text, { now: () => 0 }, (each) => events.push(each))
  return events
}

describe('R25 generated variants of gemini', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('variant %i', (seed) => {
    const variant = geminiVariant(seeded(2000 + seed))
    const events = decodeAll('gemini', [variant.body])
    expect(textOf(events)).toBe(variant.text)
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe(variant.reasoning)
    expect(callsOf(events).map((event) => ({ ...event, arguments: JSON.parse(event.arguments) }))).toEqual(
      variant.calls.map((one) => ({ type: 'toolCall', ...one, arguments: JSON.parse(one.arguments) })),
    )
    expect(events.slice(-2)).toEqual([{ type: 'usage', ...variant.usage }, final(variant.finish)])
    for (let cut = 0; cut < 3; cut += 1) expect(summary(decodeAll('gemini', cutAtRandom(variant.body, seeded(cut))))).toEqual(summary(events))
    for (const end of ['\r\n', '\r'] as const) expect(summary(decodeAll('gemini', [withLineEnds(variant.body, end)]))).toEqual(summary(events))
    const expected = Array.from({ length: variant.body.length + 1 }, (_, at) => (at >= variant.endAt ? 'complete' : 'truncated'))
    for (const completion of ['strict', 'lenient'] as const) expect(verdicts('gemini', variant.body, completion)).toEqual(expected)
  })
})

describe('R25 the end of a Gemini stream', () => {
  it('is the chunk with the finish reason, and usage stands in it', () => {
    const usageMetadata = {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 5,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 2,
      thoughtsTokenCount: 3,
    }
    expect(gemini({ ...said('hi'), usageMetadata: { promptTokenCount: 10 } }, { ...said('!', { finishReason: 'STOP' }), usageMetadata })).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'text', text: '!' },
      { type: 'usage', input: 10, output: 5, cachedInput: 4 },
      final('stop'),
    ])
  })

  it('is not seen in a stream that only breaks off', () => {
    expect(types(gemini({ ...said('hi'), usageMetadata: { promptTokenCount: 10 } }))).toEqual(['text', 'usage', 'failed'])
    expect(failureOf(gemini(said('hi')))?.kind).toBe('truncated')
    expect(failureOf(gemini())?.kind).toBe('truncated')
  })

  it('is the block reason of a prompt that was refused', () => {
    expect(gemini({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 7 } })).toEqual([
      { type: 'usage', input: 7 },
      final('content_filter'),
    ])
    expect(last(gemini({ promptFeedback: { safetyRatings: [] } }, said('hi', { finishReason: 'STOP' })))).toEqual(final('stop'))
    expect(failureOf(gemini({ promptFeedback: { blockReason: 'BLOCK_REASON_UNSPECIFIED' } }))?.kind).toBe('truncated')
  })

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ...['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'MODEL_ARMOR'].map((reason) => [reason, 'content_filter']),
    ['OTHER', 'OTHER'],
    ['LANGUAGE', 'LANGUAGE'],
    ['FINISH_REASON_UNSPECIFIED', 'FINISH_REASON_UNSPECIFIED'],
    ['constructor', 'constructor'],
  ])('%s finishes as %s', (reason, finish) =>
    expect(gemini(said('hi'), ended(String(reason)))).toEqual([{ type: 'text', text: 'hi' }, final(String(finish))]),
  )

  it.each([
    ['MALFORMED_FUNCTION_CALL', 'server_error'],
    ['UNEXPECTED_TOOL_CALL', 'server_error'],
    ['MALFORMED_RESPONSE', 'server_error'],
    ['TOO_MANY_TOOL_CALLS', 'server_error'],
    ['MISSING_THOUGHT_SIGNATURE', 'invalid_request'],
    ['PUP_LIMITED_DISABLED', 'forbidden'],
  ])('R17 %s is no answer: %s', (reason, kind) => {
    const events = gemini(call({ name: 'f', args: {} }), { ...ended(reason, { finishMessage: 'f(' }), usageMetadata: { promptTokenCount: 3 } })
    expect(types(events)).toEqual(['usage', 'failed'])
    expect(failureOf(events)).toMatchObject({ kind, code: reason, phase: 'stream', message: `the provider finished with ${reason}: f(` })
  })

  it('may be a number, where the server knows no name for it; an empty one is none', () => {
    const reason = (finishReason: unknown) => last(gemini({ candidates: [{ index: null, finishReason }] }))
    expect(reason(23)).toEqual(final('23'))
    for (const none of [0, '', null, {}]) expect(reason(none)).toMatchObject({ type: 'failed', failure: { kind: 'truncated' } })
  })

  it('ignores what stands behind it', () => {
    expect(gemini(said('a', { finishReason: 'STOP' }), said('late'))).toEqual([{ type: 'text', text: 'a' }, final('stop', { contentAfter: true })])
  })

  it('is that of the first candidate; others were not asked for', () => {
    const other = { index: 1, content: { parts: [{ text: 'no' }] }, finishReason: 'STOP' }
    const events = gemini({ candidates: [other] }, { candidates: [other, { content: { parts: [{ text: 'yes' }] } }] }, ended('MAX_TOKENS'))
    expect(events).toEqual([{ type: 'text', text: 'yes' }, final('length')])
  })

  it('a chunk that tells no counts takes none back', () => {
    const counted = { usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2 } }
    expect(gemini({ ...said('a'), ...counted }, { ...ended('STOP'), usageMetadata: { trafficType: 'ON_DEMAND' } })[1]).toEqual({
      type: 'usage',
      input: 3,
      output: 2,
    })
  })
})

describe('wire.md §4 an error frame', () => {
  const error = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  it('is the same in a list of one; a list of anything else is no event', () => {
    expect(failureOf(gemini(said('hi'), [error]))).toMatchObject({ kind: 'server_error', code: 'unavailable', phase: 'stream' })
    const offset = sse(said('hi')).length
    for (const list of [[], [said('late')], [null], ['error'], [[error]]]) {
      expect(failureOf(gemini(said('hi'), list))).toMatchObject({ kind: 'protocol', offset })
    }
  })

  it('ends the stream as what it says, and keeps usage', () => {
    const events = gemini({ ...said('hi'), usageMetadata: { promptTokenCount: 3 } }, call({ name: 'f', args: {} }), error)
    expect(types(events)).toEqual(['text', 'usage', 'failed'])
    expect(failureOf(events)).toMatchObject({ kind: 'server_error', code: 'unavailable', phase: 'stream' })
  })

  it('carries the hint of a limit', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' }]
    expect(failureOf(gemini({ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota', details } }))).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs: 34_070,
    })
  })
})

describe('R28 tools that Google runs', () => {
  const code = (text: string, more: object = {}) => chunk([{ executableCode: { language: 'PYTHON', code: text } }], more)
  const result = (output: string) => chunk([{ codeExecutionResult: { outcome: 'OUTCOME_OK', output } }])

  it('are told as they come, never as tool calls', () => {
    const events = gemini(
      code('1+1'),
      result('2'),
      chunk([{ toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['x'] } } }]),
      chunk([{ toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', response: { found: 1 } } }]),
      said('two', { finishReason: 'STOP', groundingMetadata: { webSearchQueries: ['x'] } }),
    )
    expect(events).toEqual([
      { type: 'providerToolCall', id: null, name: 'code_execution', arguments: '{"language":"PYTHON","code":"1+1"}' },
      { type: 'providerToolResult', id: null, name: 'code_execution', output: '{"outcome":"OUTCOME_OK","output":"2"}' },
      { type: 'providerToolCall', id: 't', name: 'GOOGLE_SEARCH_WEB', arguments: '{"queries":["x"]}' },
      { type: 'providerToolResult', id: 't', name: 'GOOGLE_SEARCH_WEB', output: '{"found":1}' },
      { type: 'text', text: 'two' },
      final('stop'),
    ])
  })

  it('a search shows only in its queries: each is told once, what was found at the end', () => {
    const grounding = (queries: readonly string[], chunks: readonly object[] = []) => ({
      groundingMetadata: { webSearchQueries: queries, groundingChunks: chunks },
    })
    const events = gemini(
      said('a', grounding(['x'])),
      said('b', grounding(['x', 'y'], [{ web: 1 }])),
      ended('STOP', grounding(['x', 'y'], [{ web: 1 }, { web: 2 }])),
    )
    expect(events.filter((event) => event.type.startsWith('provider'))).toEqual([
      { type: 'providerToolCall', id: null, name: 'google_search', arguments: '{"queries":["x"]}' },
      { type: 'providerToolCall', id: null, name: 'google_search', arguments: '{"queries":["y"]}' },
      { type: 'providerToolResult', id: null, name: 'google_search', output: '[{"web":1},{"web":2}]' },
    ])
  })

  it('R25 a STOP beside code whose result is still to come ends a round, not the answer', () => {
    const chunks = [code('1'), result('1'), code('2', { finishReason: 'STOP' }), result('2'), said('both'), said('!', { finishReason: 'STOP' })]
    const body = sse(...chunks)
    expect(textOf(decodeAll('gemini', [body]))).toBe('both!')
    expect(last(decodeAll('gemini', [body]))).toEqual(final('stop'))
    const roundEnds = sse(...chunks.slice(0, 3)).length
    const goesOn = sse(...chunks.slice(0, 4)).length
    const expected = Array.from({ length: body.length + 1 }, (_, at) =>
      at >= body.length ? 'complete' : at >= roundEnds && at < goesOn ? 'complete-unterminated' : 'truncated',
    )
    expect(verdicts('gemini', body)).toEqual(expected)
    expect(last(decodeAll('gemini', [body.subarray(0, roundEnds)]))).toEqual({ type: 'final', finish: 'stop', terminated: false })
  })
})

describe('whole answers of Gemini', () => {
  const answer = { ...chunk([{ text: 'hm', thought: true }, { text: 'hi' }, { functionCall: { name: 'f', args: {} } }], { finishReason: 'STOP' }) }
  const usage = { usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } }

  it('tell the same events', () => {
    expect(whole(JSON.stringify({ ...answer, ...usage }))).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi' },
      { type: 'toolCall', id: null, name: 'f', arguments: '{}' },
      { type: 'usage', input: 1, output: 2 },
      final('tool_calls'),
    ])
    expect(whole(JSON.stringify({ promptFeedback: { blockReason: 'SAFETY' } }))).toEqual([final('content_filter')])
  })

  it('may come in a list, and so may an error', () => {
    expect(textOf(whole(JSON.stringify([said('a'), said('b', { finishReason: 'STOP' })])))).toBe('ab')
    const error = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'quota' } }
    for (const body of [error, [error]]) expect(failureOf(whole(JSON.stringify(body)))).toMatchObject({ kind: 'rate_limited', phase: 'call' })
  })

  it.each(['', 'x', '[', '[]', '[1]', '{}', 'null', '{"candidates":[]}', '{"usageMetadata":{}}'])('%j is none', (text) => {
    expect(failureOf(whole(text))).toMatchObject({ kind: 'protocol', phase: 'call' })
  })
})
