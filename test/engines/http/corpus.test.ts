import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { bodyOf, detail, number, present, type Recording, recordingsOf } from './recordings.ts'

/** The recorded streams of the two families. */
const recordings = recordingsOf('chat', 'anthropic')
const apiOf = (one: Recording): string => (one.family === 'chat' ? 'openai-chat' : 'anthropic-messages')

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop: 'stop',
  tool_use: 'tool_calls',
  tool_calls: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
}

/** Usage as faces.md §2 counts it, computed from the index apart from the decoders. */
function usageOf(one: Recording): unknown {
  const { usage } = one
  if (usage === null) return undefined
  if (one.family === 'anthropic') {
    const cached = number(usage.cache_read_input_tokens)
    const input = (number(usage.input_tokens) ?? 0) + (number(usage.cache_creation_input_tokens) ?? 0) + (cached ?? 0)
    return { type: 'usage', input, output: usage.output_tokens, ...(cached === undefined ? {} : { cachedInput: cached }) }
  }
  const cached = detail(usage, 'prompt_tokens_details', 'cached_tokens')
  const input = number(usage.prompt_tokens) ?? 0
  const said = number(usage.completion_tokens) ?? 0
  const reasoning = detail(usage, 'completion_tokens_details', 'reasoning_tokens') ?? 0
  const output = usage.total_tokens === input + said + reasoning ? said + reasoning : said
  return { type: 'usage', input, output, ...(cached === undefined ? {} : { cachedInput: cached }) }
}

/** Where the closing event or line has come in: a payload-free `data: [DONE]` counts with its newline (wire.md §12.5). */
function terminatedAt(one: Recording, body: Uint8Array): number {
  if (one.family !== 'chat' || one.terminator_at_byte === null) return one.terminator_at_byte ?? Number.POSITIVE_INFINITY
  return Buffer.from(body).lastIndexOf('data: [DONE]\n') + 'data: [DONE]\n'.length
}

/** Where the error frame is whole. */
function failsAt(one: Recording, body: Uint8Array): number {
  if (one.expect_failed === undefined) return Number.POSITIVE_INFINITY
  const text = Buffer.from(body)
  const at = one.expect_failed === 'protocol' ? text.lastIndexOf('event: message_start') : text.lastIndexOf('"error":{')
  return text.indexOf('\n\n', at) + 2
}

describe.skipIf(!present)('recorded streams', () => {
  it('are all there: 37 of the two families', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(37)
  })

  describe.each(recordings.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const body = bodyOf(one)
    const events = decodeAll(apiOf(one), [body])
    const last = events.at(-1)

    it('R25 reads to its recorded end', () => {
      expect(body.length).toBe(one.bytes)
      if (one.expect_failed !== undefined) {
        expect(last?.type).toBe('failed')
        if (last?.type === 'failed' && one.expect_failed === 'protocol') {
          expect(last.failure).toMatchObject({ kind: 'protocol', offset: Buffer.from(body).lastIndexOf('event: message_start') })
        }
        return
      }
      expect(textOf(events)).toBe(one.final_text)
      expect(last).toEqual({ type: 'final', finish: one.finish_reason === null ? null : FINISH[one.finish_reason], terminated: true })
      expect(events.filter((event) => event.type === 'final' || event.type === 'failed')).toHaveLength(1)
      expect(events.some((event) => event.type === 'reasoning')).toBe(one.reasoning)
      const usage = usageOf(one)
      expect(events.filter((event) => event.type === 'usage')).toEqual(usage === undefined ? [] : [usage])
      if (usage !== undefined) expect(events.at(-2)).toEqual(usage)
    })

    it('tells its tool calls whole and only them', () => {
      const calls = events.flatMap((event) => (event.type === 'toolCall' ? [event] : []))
      if (one.expect_failed !== undefined) return expect(calls).toEqual([])
      expect(calls.map((call) => call.name)).toEqual(one.tool_names)
      expect(calls).toHaveLength(one.tool_calls)
      for (const call of calls) expect(() => JSON.parse(call.arguments)).not.toThrow()
    })

    it('R25 has the right verdict after every byte', () => {
      const end = terminatedAt(one, body)
      const error = failsAt(one, body)
      const finish = one.finish_marker_at_byte ?? Number.POSITIVE_INFINITY
      for (const completion of ['strict', 'lenient'] as const) {
        const wholeFrom = one.family === 'anthropic' && completion === 'strict' ? Number.POSITIVE_INFINITY : finish
        const wholeAt = (at: number) => (at >= wholeFrom ? 'complete-unterminated' : 'truncated')
        const before = (at: number) => (at >= end ? 'complete' : wholeAt(at))
        const failed = one.expect_failed === 'protocol' ? 'malformed' : 'error-frame'
        const expected = Array.from({ length: body.length + 1 }, (_, at) => (at >= error ? failed : before(at)))
        expect(verdicts(apiOf(one), body, completion)).toEqual(expected)
      }
    })

    it('says the same however it is cut into chunks', () => {
      const whole = summary(events)
      for (let seed = 1; seed <= 5; seed += 1) expect(summary(decodeAll(apiOf(one), cutAtRandom(body, seeded(seed))))).toEqual(whole)
    })

    it.each([['CRLF', '\r\n'] as const, ['CR', '\r'] as const])('says the same with %s', (_name, end) => {
      const other = withLineEnds(body, end)
      const strip = (list: unknown) => JSON.parse(JSON.stringify(list).replace(/(byte|after) \d+/g, '$1 N'))
      expect(strip(summary(decodeAll(apiOf(one), [other])))).toEqual(strip(summary(events)))
      expect(strip(summary(decodeAll(apiOf(one), cutAtRandom(other, seeded(9)))))).toEqual(strip(summary(events)))
    })
  })
})
