import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { bodyOf, number, present, type Recording, recordingsOf } from './recordings.ts'

const recordings = recordingsOf('gemini')

/** Usage as faces.md §2 counts it, computed from the index apart from the decoder. */
function usageOf({ usage }: Recording): unknown {
  if (usage === null) return undefined
  const total = (...names: readonly string[]) => names.reduce((sum, name) => sum + (number(usage[name]) ?? 0), 0)
  const cached = number(usage.cachedContentTokenCount)
  const input = total('promptTokenCount')
  const output = total('candidatesTokenCount', 'thoughtsTokenCount')
  expect(input + output + total('toolUsePromptTokenCount')).toBe(usage.totalTokenCount)
  return { type: 'usage', input, output, ...(cached === undefined ? {} : { cachedInput: cached }) }
}

describe.skipIf(!present)('recorded streams of Gemini', () => {
  it('are all there: 10', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(10)
  })

  describe.each(recordings.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const body = bodyOf(one)
    const events = decodeAll('gemini', [body])

    it('R25 reads to its recorded end', () => {
      expect(body.length).toBe(one.bytes)
      expect(textOf(events)).toBe(one.final_text)
      expect(events.at(-1)).toEqual({ type: 'final', finish: one.tool_calls > 0 ? 'tool_calls' : 'stop', terminated: true })
      expect(one.finish_reason).toBe('STOP')
      expect(events.filter((event) => event.type === 'final' || event.type === 'failed')).toHaveLength(1)
      expect(events.some((event) => event.type === 'reasoning')).toBe(one.reasoning)
      expect(events.filter((event) => event.type === 'usage')).toEqual([usageOf(one)])
      expect(events.at(-2)).toEqual(usageOf(one))
    })

    it('tells its tool calls whole and only them', () => {
      const calls = events.flatMap((event) => (event.type === 'toolCall' ? [event] : []))
      expect(calls.map((call) => call.name)).toEqual(one.tool_names)
      expect(calls).toHaveLength(one.tool_calls)
      for (const call of calls) expect(() => JSON.parse(call.arguments)).not.toThrow()
    })

    it('R25 has the right verdict after every byte', () => {
      const end = one.terminator_at_byte ?? Number.POSITIVE_INFINITY
      expect(one.finish_marker_at_byte).toBe(end)
      for (const completion of ['strict', 'lenient'] as const) {
        const expected = Array.from({ length: body.length + 1 }, (_, at) => (at >= end ? 'complete' : 'truncated'))
        expect(verdicts('gemini', body, completion)).toEqual(expected)
      }
    })

    it('says the same however it is cut into chunks', () => {
      for (let seed = 1; seed <= 5; seed += 1) expect(summary(decodeAll('gemini', cutAtRandom(body, seeded(seed))))).toEqual(summary(events))
    })

    it.each([['LF', '\n'] as const, ['CR', '\r'] as const])('says the same with %s', (_name, end) => {
      const other = withLineEnds(body, '\r\n')
      const changed = end === '\n' ? Buffer.from(Buffer.from(body).toString().replaceAll('\r\n', '\n')) : withLineEnds(body, end)
      expect(summary(decodeAll('gemini', [other]))).toEqual(summary(events))
      expect(summary(decodeAll('gemini', [changed]))).toEqual(summary(events))
      expect(summary(decodeAll('gemini', cutAtRandom(changed, seeded(9))))).toEqual(summary(events))
    })
  })

  const named = (name: string) => recordings.filter((one) => one.file.endsWith(name)).flatMap((one) => decodeAll('gemini', [bodyOf(one)]))

  it('arguments that came in pieces are one object, without the part that would have closed the call', () => {
    const [call] = named('ai-missing-terminal-function-call.sse').filter((event) => event.type === 'toolCall')
    expect(call).toMatchObject({ id: null, name: 'writeItems' })
    expect(JSON.parse(call?.arguments ?? '')).toEqual({
      operations: [
        { action: 'add', description: 'Fresh red apple', itemid: 'apple_001', price: 0.5 },
        { action: 'add', description: 'Ripe yellow banana', itemid: 'banana_001', price: 0.3 },
      ],
    })
  })

  it('R28 a search that ran at the provider is told by its queries and sources, and is no tool call', () => {
    const events = named('pyd-web-search.sse').filter((event) => event.type.startsWith('provider'))
    expect(events.map((event) => event.type)).toEqual(['providerToolCall', 'providerToolResult'])
    expect(events[0]).toMatchObject({ id: null, name: 'google_search', arguments: '{"queries":["weather in San Francisco today"]}' })
    expect(events[1]).toMatchObject({ id: null, name: 'google_search', output: expect.stringContaining('vertexaisearch.cloud.google.com') })
  })
})
