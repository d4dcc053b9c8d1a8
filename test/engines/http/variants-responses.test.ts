import { describe, expect, it } from 'vitest'
import { cutAtRandom, decodeAll, seeded, summary, textOf, verdicts, withLineEnds } from './kit.ts'
import { responsesVariant } from './variants-responses.ts'

const API = 'openai-responses'

describe('R25 generated variants of openai-responses', () => {
  it.each(Array.from({ length: 20 }, (_, seed) => seed))('variant %i', (seed) => {
    const variant = responsesVariant(seeded(4000 + seed))
    const events = decodeAll(API, [variant.body])
    expect(textOf(events)).toBe(variant.text)
    expect(events.map((event) => (event.type === 'reasoning' ? event.text : '')).join('')).toBe(variant.reasoning)
    expect(events.filter((event) => event.type === 'toolCall')).toEqual(variant.calls.map((call) => ({ type: 'toolCall', ...call })))
    expect(events.slice(-2)).toEqual([
      { type: 'usage', ...variant.usage },
      { type: 'final', finish: variant.finish, terminated: true },
    ])
    for (let cut = 0; cut < 3; cut += 1) expect(summary(decodeAll(API, cutAtRandom(variant.body, seeded(cut))))).toEqual(summary(events))
    for (const end of ['\r\n', '\r'] as const) expect(summary(decodeAll(API, [withLineEnds(variant.body, end)]))).toEqual(summary(events))
    const expected = Array.from({ length: variant.body.length + 1 }, (_, at) => (at >= variant.endAt ? 'complete' : 'truncated'))
    for (const completion of ['strict', 'lenient'] as const) expect(verdicts(API, variant.body, completion)).toEqual(expected)
  })
})
