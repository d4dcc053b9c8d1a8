import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Utf8Pieces } from '../../../src/engines/http/utf8-pieces.ts'

/** Bytes that begin, go on, overrun or break characters, far more often than any bytes would. */
const byte = fc.oneof(
  fc.constantFrom(0x0a, 0x41, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe2, 0xed, 0xef, 0xbb, 0xf0, 0xf3, 0xf4, 0xf5, 0xff),
  fc.integer({ min: 0, max: 255 }),
)
const text = fc.string({ unit: 'grapheme' }).map((each) => [...new TextEncoder().encode(each)])
const mark = fc.constantFrom<number[]>([], [0xef, 0xbb, 0xbf])
const bytes = fc.tuple(mark, fc.oneof(fc.array(byte), text)).map(([first, rest]) => Uint8Array.from([...first, ...rest]))

/** The bytes, cut where it is said. */
function cut(whole: Uint8Array, places: readonly number[]): Uint8Array[] {
  const ends = [...new Set(places.map((each) => each % (whole.length + 1)))].sort((one, other) => one - other)
  return [0, ...ends].map((from, at) => whole.subarray(from, ends[at] ?? whole.length))
}

describe('text out of pieces of UTF-8', () => {
  it('is what a streaming TextDecoder makes of them, piece by piece', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 8 }), (whole, places) => {
        const decoder = new TextDecoder()
        const pieces = new Utf8Pieces()
        for (const piece of cut(whole, places)) expect(pieces.push(piece)).toBe(decoder.decode(piece, { stream: true }))
      }),
      { numRuns: 5_000 },
    )
  })
})
