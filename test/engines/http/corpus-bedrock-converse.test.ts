import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts } from './kit.ts'
import { bodyOf, number, present, type Recording, recordingsOf } from './recordings.ts'

const API = 'bedrock-converse'
const recordings = recordingsOf('bedrock')

/** Usage as faces.md §2 counts it, computed from the index apart from the decoder: none of the recordings read a cache. */
function usageOf({ usage }: Recording): unknown {
  expect(number(usage?.inputTokens ?? 0)).toBe((number(usage?.totalTokens) ?? 0) - (number(usage?.outputTokens) ?? 0))
  return { type: 'usage', input: usage?.inputTokens, output: usage?.outputTokens }
}

describe.skipIf(!present)('recorded streams of Bedrock', () => {
  it('are all there: 4', () => {
    expect(recordings.length).toBeGreaterThanOrEqual(4)
  })

  describe.each(recordings.map((one) => [one.file, one] as const))('%s', (_file, one) => {
    const body = bodyOf(one)
    const events = decodeAll(API, [body])

    it('R25 reads to its recorded end', () => {
      expect(body.length).toBe(one.bytes)
      expect(textOf(events)).toBe(one.final_text)
      expect(one.finish_reason).toBe('end_turn')
      expect(events.slice(-2)).toEqual([usageOf(one), { type: 'final', finish: 'stop', terminated: true }])
      expect(events.filter((event) => event.type === 'usage' || event.type === 'final' || event.type === 'failed')).toHaveLength(2)
      expect(events.some((event) => event.type === 'reasoning')).toBe(one.reasoning)
      expect(events.filter((event) => event.type === 'toolCall')).toHaveLength(one.tool_calls)
    })

    it('R25 has the right verdict after every byte', () => {
      const finish = one.finish_marker_at_byte ?? Number.POSITIVE_INFINITY
      const end = one.terminator_at_byte ?? Number.POSITIVE_INFINITY
      for (const completion of ['strict', 'lenient'] as const) {
        const expected = Array.from({ length: body.length + 1 }, (_, at) =>
          at >= end ? 'complete' : at >= finish ? 'complete-unterminated' : 'truncated',
        )
        expect(verdicts(API, body, completion)).toEqual(expected)
      }
    })

    it('says the same however it is cut into chunks', () => {
      for (let seed = 1; seed <= 5; seed += 1) expect(summary(decodeAll(API, cutAtRandom(body, seeded(seed))))).toEqual(summary(events))
    })

    it('a byte that is another is never an answer: a broken checksum is told with the offset of its frame', () => {
      const random = seeded(body.length)
      for (let damage = 0; damage < 40; damage += 1) {
        const broken = Uint8Array.from(body)
        const at = Math.floor(random() * body.length)
        broken[at] = (broken[at] ?? 0) ^ (1 << Math.floor(random() * 8))
        const last = decodeAll(API, [broken]).at(-1)
        expect(last).toMatchObject({ type: 'failed', failure: { kind: 'protocol' } })
        if (last?.type === 'failed') expect(last.failure.offset).toBe(frameOf(body, at))
      }
    })
  })
})

/** Where the frame with this byte begins, by the lengths alone. */
function frameOf(body: Uint8Array, at: number): number {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength)
  let begin = 0
  while (begin + view.getUint32(begin) <= at) begin += view.getUint32(begin)
  return begin
}
