import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { geminiVoice } from '../../../src/engines/loopback/gemini.ts'
import type { ScriptedEvent } from '../../../src/engines/loopback/script.ts'
import { bytesOf, CannotSay, type Step } from '../../../src/engines/loopback/voice.ts'

const identity = { n: 1, model: 'm1', created: 1_750_000_000 }

/** Frames of any shape are looked into here; a wrong look fails the test. */
type Loose = ReturnType<typeof JSON.parse>

const steps = (events: readonly ScriptedEvent[]): Step[] => geminiVoice.stream(events, identity, { usage: true })

function frames(events: readonly ScriptedEvent[]): Loose[] {
  const said: Loose[] = []
  const parser = createParser({
    onEvent: (event) => {
      expect(event.event).toBeUndefined()
      said.push(JSON.parse(event.data))
    },
  })
  for (const step of steps(events)) if (step.do === 'write') parser.feed(bytesOf(step.bytes).toString())
  return said
}

const partsOf = (frame: Loose): Loose => frame.candidates?.[0]?.content?.parts

describe('wire.md §4: the gemini voice', () => {
  test('frames parted by CRLF, each a response; finish and usage in the last one, nothing after it', () => {
    const events: ScriptedEvent[] = [{ reasoning: 'hm' }, { text: 'hi' }, { usage: { input: 10, output: 5, cachedInput: 4 } }, { final: 'stop' }]
    for (const step of steps(events)) if (step.do === 'write') expect(String(step.bytes)).toMatch(/^data: \{.*\}\r\n\r\n$/)
    const said = frames(events)
    expect(said.map(partsOf)).toEqual([[{ text: 'hm', thought: true }], [{ text: 'hi' }], [{ text: '' }]])
    expect(said.map((frame) => frame.candidates[0].finishReason)).toEqual([undefined, undefined, 'STOP'])
    expect(said.map((frame) => frame.usageMetadata)).toEqual([
      undefined,
      undefined,
      { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15, cachedContentTokenCount: 4 },
    ])
    expect(said[0]).toMatchObject({ modelVersion: 'm1', responseId: 'response-loopback-1' })
  })

  test('R34: counts that were not scripted are left out, and usage told early stands in a chunk of its own', () => {
    expect(JSON.stringify(frames([{ text: 'a' }, { final: 'stop' }]))).not.toContain('usageMetadata')
    expect(frames([{ usage: { output: 1 } }, { text: 'a' }]).map((frame) => frame.usageMetadata)).toEqual([{ candidatesTokenCount: 1 }, undefined])
  })

  test('calls whole, the first of an answer signed, tools of the provider as parts of their own', () => {
    const said = frames([
      { providerToolCall: { id: 'p', name: 'search', arguments: '{"q":"x"}' } },
      { providerToolResult: { id: 'p', name: 'search', output: 'found' } },
      { toolCall: { id: 'c', name: 'f', arguments: '{"a":1}' } },
      { toolCall: { name: 'g', arguments: '' } },
      { final: 'tool_calls' },
    ])
    expect(said.flatMap(partsOf)).toEqual([
      { toolCall: { id: 'p', toolType: 'search', args: { q: 'x' } } },
      { toolResponse: { id: 'p', toolType: 'search', response: { output: 'found' } } },
      { functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: expect.any(String) },
      { functionCall: { name: 'g', args: {} } },
      { text: '' },
    ])
  })

  test('what the protocol has no words for is not said', () => {
    expect(() => frames([{ text: 'a' }, { final: 'tool_calls' }])).toThrow(CannotSay)
    expect(() => frames([{ toolCall: { name: 'f', arguments: '[1' } }])).toThrow(CannotSay)
    expect(() => frames([{ providerToolResult: { output: 'x' } }])).toThrow(CannotSay)
  })

  test('finish reasons and errors in the words of the provider', () => {
    const reason = (final: 'length' | 'content_filter') => frames([{ final }])[0].candidates[0].finishReason
    expect([reason('length'), reason('content_filter')]).toEqual(['MAX_TOKENS', 'SAFETY'])
    expect([429, 529, 502, 418, undefined].map((http) => frames([{ error: { http, message: 'x' } }])[0].error)).toEqual([
      { code: 429, message: 'x', status: 'RESOURCE_EXHAUSTED' },
      { code: 529, message: 'x', status: 'UNAVAILABLE' },
      { code: 502, message: 'x', status: 'INTERNAL' },
      { code: 418, message: 'x', status: 'FAILED_PRECONDITION' },
      { message: 'x' },
    ])
    expect(geminiVoice.errorBody(404, 'gone', identity)).toEqual({ error: { code: 404, message: 'gone', status: 'NOT_FOUND' } })
  })

  test('whole answers', () => {
    const said = (outcome: Loose): Loose => (geminiVoice.call(outcome, identity) as Loose).candidates[0]
    expect(said({ ok: 'hi', reasoning: 'hm', toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }] })).toMatchObject({
      content: { parts: [{ text: 'hm', thought: true }, { text: 'hi' }, { functionCall: { id: 't', name: 'f', args: { a: 1 } } }], role: 'model' },
      finishReason: 'STOP',
    })
    expect(said({ empty: true })).toEqual({ content: { role: 'model' }, finishReason: 'STOP', index: 0 })
    expect(said({ length: 'x' })).toMatchObject({ finishReason: 'MAX_TOKENS' })
    expect(said({ refusal: 'no' })).toMatchObject({ content: { parts: [{ text: 'no' }] }, finishReason: 'SAFETY' })
    expect(geminiVoice.call({ ok: 'a', usage: { input: 1 } }, identity)).toMatchObject({ usageMetadata: { promptTokenCount: 1 } })
  })

  test.each([
    ['/a.x/v1/models/m1:streamGenerateContent', { base: '/a.x', model: 'm1', mode: 'stream' }],
    ['/a.x/v1beta/models/team%2Fm1:generateContent', { base: '/a.x', model: 'team/m1', mode: 'call' }],
    ['/models/m1:generateContent', { base: '', model: 'm1', mode: 'call' }],
    ['/a.x/v1/models/m1:countTokens', undefined],
    ['/a.x/v1/messages', undefined],
  ])('%s asks %j', (pathname, route) => expect(geminiVoice.route?.(pathname, {})).toEqual(route))

  test('what is said is the scripted text, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 8 }), (texts) => {
        const said = frames([...texts.map((text) => ({ text })), { final: 'stop' as const }])
        expect(said.map((frame) => partsOf(frame)[0].text).join('')).toBe(texts.join(''))
      }),
      { numRuns: 100 },
    )
  })
})
