import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_EVENT_BYTES } from '../../../src/engines/http/framing.ts'
import { Lines } from '../../../src/engines/http/ndjson.ts'
import { bytes, cutAtRandom, seeded } from './kit.ts'

function lines(chunks: Iterable<Uint8Array>, maxBytes?: number) {
  const seen: { data: string; at: number }[] = []
  const reader = new Lines((event) => seen.push({ data: event.data, at: reader.eventAt() }), maxBytes)
  for (const chunk of chunks) reader.push(chunk)
  return { seen, reader }
}
const each = function* (body: Uint8Array) {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1)
}
const dataOf = (chunks: Iterable<Uint8Array>) => lines(chunks).seen.map((event) => event.data)

describe('wire.md §5 a line is a line only with its end', () => {
  it('drops what is unfinished at the end, also when it would be JSON', () => {
    expect(dataOf([bytes('{"a":1}\n{"b":2}')])).toEqual(['{"a":1}'])
    expect(lines([bytes('[DONE]')]).reader.unfinishedIs()).toBe(false)
  })

  it('takes no blank line for an event, and a CR for a part of the line end', () => {
    expect(dataOf([bytes('\n\r\n{"a":1}\r\n  \n\n{"b":2}\n')])).toEqual(['{"a":1}', '{"b":2}'])
  })

  it('knows where each line begins, in bytes and behind blank ones', () => {
    const body = bytes('{"é":"😀"}\n\n\r\n{"b":2}\n{"c":3}\n')
    const at = ['{"é', '{"b', '{"c'].map((begin) => Buffer.from(body).indexOf(begin))
    for (const chunks of [[body], each(body)]) expect(lines(chunks).seen.map((event) => event.at)).toEqual(at)
  })

  it('a chunk boundary changes nothing, wherever it falls', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.nat(), (texts, seed) => {
        const body = bytes(texts.map((text) => `${JSON.stringify({ text })}\n`).join(''))
        const expected = lines([body]).seen
        expect(expected.map((event) => (JSON.parse(event.data) as { text: string }).text)).toEqual(texts)
        expect(lines(cutAtRandom(body, seeded(seed))).seen).toEqual(expected)
        expect(lines(each(body)).seen).toEqual(expected)
      }),
    )
  })
})

describe('bounds', () => {
  it.each([
    ['whole', (body: Uint8Array) => [body]],
    ['by the byte', each],
  ] as const)('a line of more than the bound is a fault at its first byte, the lines before it are told (%s)', (_how, cut) => {
    const { seen, reader } = lines(cut(bytes(`{"a":1}\n"${'x'.repeat(100)}"\n{"b":2}\n`)), 50)
    expect(seen.map((event) => event.data)).toEqual(['{"a":1}'])
    expect(reader.fault).toEqual({ at: 8, what: 'exceeds the bound' })
  })

  it('a line of exactly the bound is in it', () => {
    const { seen, reader } = lines([bytes(`${'x'.repeat(50)}\n${'y'.repeat(50)}\n`)], 50)
    expect([seen.length, reader.fault]).toEqual([2, null])
  })

  it('a line without an end is given up at the bound, not at the end of bytes', () => {
    const reader = new Lines(() => {})
    const chunk = new Uint8Array(64 * 1024).fill(97)
    let fed = 0
    while (reader.fault === null && fed < 10 * MAX_EVENT_BYTES) {
      reader.push(chunk)
      fed += chunk.length
    }
    expect(fed).toBeLessThanOrEqual(MAX_EVENT_BYTES + chunk.length)
  })
})
