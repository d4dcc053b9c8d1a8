import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { bodyOf, number, present, type Recording, recordingsOf } from './recordings.ts'

const recordings = recordingsOf('ollama')

/** Usage as faces.md §2 counts it, computed from the index apart from the decoder. */
function usageOf({ usage }: Recording): readonly unknown[] {
  return usage === null ? [] : [{ type: 'usage', input: number(usage.prompt_eval_count), output: number(usage.eval_count) }]
}

describe.skipIf(!present)('recorded streams of Ollama', () => {
  it('are all there: 3', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(3)
  })

  describe.each(recordings.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const body = bodyOf(one)
    const events = decodeAll('ollama', [body])
    const calls = events.flatMap((event) => (event.type === 'toolCall' ? [event] : []))

    it('R25 reads to its recorded end', () => {
      expect(body.length).toBe(one.bytes)
      expect(textOf(events)).toBe(one.final_text)
      expect(events.filter((event) => event.type === 'usage')).toEqual(usageOf(one))
      expect(calls.map((call) => call.name)).toEqual(one.tool_names)
      for (const call of calls) expect(call).toMatchObject({ id: null, arguments: expect.stringMatching(/^\{.*\}$/) })
      if (one.expect_failed === undefined) {
        const finish = one.tool_calls > 0 ? 'tool_calls' : one.finish_reason
        expect(events.at(-1)).toEqual({ type: 'final', finish, terminated: true })
      } else {
        expect(events.at(-1)).toMatchObject({ type: 'failed', failure: one.in_stream_error })
      }
    })

    it('R25 has the right verdict after every byte', () => {
      const end = one.terminator_at_byte ?? Number.POSITIVE_INFINITY
      const error = one.expect_failed === undefined ? Number.POSITIVE_INFINITY : body.length
      for (const completion of ['strict', 'lenient'] as const) {
        const expected = Array.from({ length: body.length + 1 }, (_, at) => (at >= error ? 'error-frame' : at >= end ? 'complete' : 'truncated'))
        expect(verdicts('ollama', body, completion)).toEqual(expected)
      }
    })

    it('says the same however it is cut into chunks, and with CRLF', () => {
      for (let seed = 1; seed <= 5; seed += 1) expect(summary(decodeAll('ollama', cutAtRandom(body, seeded(seed))))).toEqual(summary(events))
      expect(summary(decodeAll('ollama', cutAtRandom(withLineEnds(body, '\r\n'), seeded(9))))).toEqual(summary(events))
    })
  })
})
