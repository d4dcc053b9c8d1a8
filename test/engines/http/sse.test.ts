import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { MAX_EVENT_BYTES } from '../../../src/engines/http/framing.ts'
import { EventFrames } from '../../../src/engines/http/sse.ts'
import { bytes, cutAtRandom, seeded } from './kit.ts'

function frames(chunks: Iterable<Uint8Array>, maxBytes?: number) {
  const seen: { data: string; name: string | undefined; at: number }[] = []
  const reader = new EventFrames((event) => seen.push({ data: event.data, name: event.event, at: reader.eventAt() }), maxBytes)
  for (const chunk of chunks) reader.push(chunk)
  return { seen, reader }
}
const each = function* (body: Uint8Array) {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1)
}

describe('wire.md §12.5 an event is an event only with its blank line', () => {
  it('drops what is unfinished at the end', () => {
    expect(frames([bytes('data: a\n\ndata: b\n')]).seen.map((event) => event.data)).toEqual(['a'])
    expect(frames([bytes('data: a\n\ndata: b')]).seen.map((event) => event.data)).toEqual(['a'])
  })

  it.each([
    ['data: [DONE]\n', true],
    ['data:[DONE]\n', true],
    ['event: end\ndata: [DONE]\n', true],
    [': comment\ndata: [DONE]\n', true],
    ['data: [DONE]', false],
    ['data: a\ndata: [DONE]\n', false],
    ['data: [DONE]x\n', false],
    ['data: [DONE]\n\n', false],
    ['\n', false],
    ['', false],
  ])('knows the payload-free line %j', (tail, expected) => {
    for (const chunks of [[bytes(`data: x\n\n${tail}`)], each(bytes(`data: x\n\n${tail}`))]) {
      expect(frames(chunks).reader.unfinishedIs('[DONE]')).toBe(expected)
    }
  })
})

describe('R25 noise is no line to ignore: it takes an event with it', () => {
  const before = ': hi\n\ndata: a\n\n: ping\n\n'

  it.each([
    ['bytes of nobody', '\u0000\u0001ÿdata: b\n\n'],
    ['words', 'data : b\n\n'],
    ['a JSON body', '{"error":{"message":"no"}}\n\n'],
    ['a line behind a named one', 'event: x\n<p>\ndata: b\n\n'],
  ])('%s: what came before is told, nothing after, and the fault has the place of its event', (_, noisy) => {
    const body = bytes(`${before}${noisy}data: c\n\n`)
    for (const chunks of [[body], each(body), cutAtRandom(body, seeded(7))]) {
      const { seen, reader } = frames(chunks)
      expect(seen.map((event) => event.data)).toEqual(['a'])
      expect(reader.fault).toEqual({ at: before.length, what: 'holds a line that is no field' })
    }
  })

  it.each(['unknown: x\n', 'unknown\n', 'x-trace_2: y\n', 'id: 7\n', 'id\n', 'retry: 10\n', 'retry: soon\n', ':\n', ': ÿ\u0000\n'])(
    '%j is none',
    (line) => {
      for (const chunks of [[bytes(`${line}data: a\n\n`)], each(bytes(`${line}data: a\n\n`))]) {
        const { seen, reader } = frames(chunks)
        expect([seen.map((event) => event.data), reader.fault]).toEqual([['a'], null])
      }
    },
  )
})

describe('wire.md §4 where lines end in CRLF', () => {
  const body = bytes('data: a\r\n\r\ndata: b\r\n\r\n')
  const seenBy = (length: number) => frames(each(body.subarray(0, length))).seen.map((event) => event.data)

  it('an event is whole with the LF of its blank line, and not with its CR', () => {
    const first = Buffer.from(body).indexOf('data: b')
    expect(seenBy(first - 1)).toEqual([])
    expect(seenBy(first)).toEqual(['a'])
    expect(seenBy(body.length - 1)).toEqual(['a'])
    expect(seenBy(body.length)).toEqual(['a', 'b'])
    expect(frames([body.subarray(0, body.length - 1)]).seen).toEqual(frames(each(body.subarray(0, body.length - 1))).seen)
  })

  it('a CR without an LF still ends a line, once it is known to stand alone', () => {
    const mixed = bytes('data: a\r\ndata: b\r\rdata: c\r\n\r\n')
    for (const chunks of [[mixed], each(mixed)]) expect(frames(chunks).seen.map((event) => event.data)).toEqual(['a\nb', 'c'])
  })
})

describe('line ends, characters and chunks', () => {
  const text = ': hi\n\nevent: one\ndata: {"a":"é😊"}\n\ndata\n\nid: 7\ndata: x\ndata: y\n\n\n\n: c\ndata: z\n\n'
  const whole = frames([bytes(text)]).seen.map(({ data, name }) => ({ data, name }))

  it('reads what the format says', () => {
    expect(whole).toEqual([
      { data: '{"a":"é😊"}', name: 'one' },
      { data: '', name: undefined },
      { data: 'x\ny', name: undefined },
      { data: 'z', name: undefined },
    ])
  })

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('says the same for %s in any chunks, and names the same offsets', (_name, end) => {
    const body = bytes(text.replaceAll('\n', end))
    const expected = frames([body]).seen
    expect(expected.map(({ data, name }) => ({ data, name }))).toEqual(whole)
    expect(frames(each(body)).seen).toEqual(expected)
    for (let seed = 0; seed < 50; seed += 1) expect(frames(cutAtRandom(body, seeded(seed))).seen).toEqual(expected)
  })

  it('names the byte at which an event begins', () => {
    const { seen } = frames([bytes(text)])
    const starts = ['event: one', 'data\n', 'id: 7', ': c'].map((line) => Buffer.from(text).indexOf(line))
    // A comment in front of an event, without a blank line between them, is part of it.
    expect(seen.map((event) => event.at)).toEqual(starts)
  })

  it('skips a byte order mark, also in pieces', () => {
    const body = new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('data: a\n\ndata: b\n\n')])
    expect(frames([body]).seen).toEqual(frames(each(body)).seen)
    expect(frames([body]).seen.map(({ data, at }) => [data, at])).toEqual([
      ['a', 0],
      ['b', 12],
    ])
  })

  it('offsets of random bodies point at their events', () => {
    const line = fc.constantFrom('data: a', 'data: é', ': c', '', 'event: e', 'data', 'x: y')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end), { maxLength: 30 }), fc.nat(), (lines, seed) => {
        // A CR directly before an LF would be one line end.
        const body = bytes(lines.map(([head, tail], at) => head + (tail === '\r' && lines[at + 1]?.[0] === '' ? '\n' : tail)).join(''))
        expect(frames(cutAtRandom(body, seeded(seed))).seen).toEqual(frames([body]).seen)
        expect(frames(each(body)).seen).toEqual(frames([body]).seen)
      }),
    )
  })
})

describe('bounds', () => {
  it('an endless line is an overflow, and memory stays bounded', () => {
    const chunk = bytes('x'.repeat(65_536))
    const reader = new EventFrames(() => {})
    reader.push(bytes('data: ok\n\ndata: '))
    for (let n = 0; n < 64; n += 1) reader.push(chunk)
    expect(reader.fault?.at).toBe(10)
  })

  it('a byte of a large event that dribbles in is not copied with every piece of it', () => {
    const body = bytes(`data: ${'x'.repeat(4 * 1024 * 1024)}\n\n`)
    const reader = new EventFrames(() => {}, 16 * 1024 * 1024)
    const copies = vi.spyOn(Uint8Array.prototype, 'set')
    for (let at = 0; at < body.length; at += 256) reader.push(body.subarray(at, at + 256))
    const copied = copies.mock.calls.reduce((sum, [source]) => sum + source.length, 0)
    copies.mockRestore()
    expect(copied).toBeGreaterThan(0)
    expect(copied / body.length).toBeLessThan(10)
  })

  it('the bound is the same however the bytes are cut', () => {
    const body = bytes(`data: a\n\ndata: ${'x'.repeat(100)}\n\ndata: b\n\n`)
    for (let seed = 0; seed < 30; seed += 1) {
      const { seen, reader } = frames(cutAtRandom(body, seeded(seed)), 64)
      expect(seen.map((event) => event.data)).toEqual(['a'])
      expect(reader.fault?.at).toBe(9)
    }
    const { seen, reader } = frames([body], 64)
    expect(seen.map((event) => event.data)).toEqual(['a'])
    expect(reader.fault?.at).toBe(9)
  })

  it('many events in one chunk are none', () => {
    const many = 'data: hello\n\n'.repeat(200_000)
    let seen = 0
    const reader = new EventFrames(() => {
      seen += 1
    })
    reader.push(bytes(many))
    expect(many.length).toBeGreaterThan(2 * MAX_EVENT_BYTES)
    expect(reader.fault).toBeNull()
    expect(seen).toBe(200_000)
  })

  it('a dribbled event is joined, not listed', () => {
    const body = bytes(`data: ${'y'.repeat(5000)}\n\n`)
    expect(frames(each(body)).seen).toEqual([{ data: 'y'.repeat(5000), name: undefined, at: 0 }])
  })
})
