import { crc32 as zlibCrc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { crc32 } from '../../../src/engines/http/crc32.ts'
import { BinaryFrames } from '../../../src/engines/http/event-stream.ts'
import { MAX_EVENT_BYTES } from '../../../src/engines/http/framing.ts'
import { bytes, cutAtRandom, seeded } from './kit.ts'

function framesOf(chunks: Iterable<Uint8Array>, maxBytes?: number) {
  const seen: { data: string; event: string | undefined; at: number }[] = []
  const reader = new BinaryFrames((event) => seen.push({ data: event.data, event: event.event, at: reader.eventAt() }), maxBytes)
  for (const chunk of chunks) reader.push(chunk)
  return { seen, reader }
}
const each = function* (body: Uint8Array) {
  for (let at = 0; at < body.length; at += 1) yield body.subarray(at, at + 1)
}

/** A frame with right checksums around any bytes, apart from the writer of the loopback provider. */
function frame(head: Uint8Array, payload: Uint8Array, stated: { total?: number; head?: number } = {}): Uint8Array {
  const out = Buffer.alloc(16 + head.length + payload.length)
  out.writeUInt32BE(stated.total ?? out.length, 0)
  out.writeUInt32BE(stated.head ?? head.length, 4)
  out.writeUInt32BE(zlibCrc32(out.subarray(0, 8)), 8)
  out.set(head, 12)
  out.set(payload, 12 + head.length)
  out.writeUInt32BE(zlibCrc32(out.subarray(0, -4)), out.length - 4)
  return out
}
const header = (name: string, type: number, ...value: number[]) => Buffer.from([name.length, ...bytes(name), type, ...value])
const text = (name: string, value: string) => header(name, 7, value.length >> 8, value.length & 0xff, ...bytes(value))
const event = (name: string, payload: string) => frame(Buffer.concat([text(':message-type', 'event'), text(':event-type', name)]), bytes(payload))

describe('the checksum', () => {
  it('has the check value of its kind', () => expect(crc32(bytes('123456789'))).toBe(0xcbf43926))
  it('is that of node:zlib, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 600 }), (data) => {
        expect(crc32(data)).toBe(zlibCrc32(data))
      }),
    )
  })
})

describe('wire.md §9 binary frames', () => {
  it('the test vector that AWS gives for a message without headers and payload', () => {
    const empty = Buffer.from('000000100000000005c248eb7d98c8ff', 'hex')
    expect(framesOf([empty]).seen).toEqual([{ data: '', event: undefined, at: 0 }])
    expect(Buffer.from(frame(new Uint8Array(0), new Uint8Array(0)))).toEqual(empty)
  })

  it('tells the payload and the name of each, and where it begins, however the bytes were cut', () => {
    const body = Buffer.concat([event('a', '{"é":1}'), event('b', ''), event('c', '{"p":"abc"}')])
    const second = event('a', '{"é":1}').length
    const expected = [
      { data: '{"é":1}', event: 'a', at: 0 },
      { data: '', event: 'b', at: second },
      { data: '{"p":"abc"}', event: 'c', at: second + event('b', '').length },
    ]
    expect(framesOf([body]).seen).toEqual(expected)
    expect(framesOf(each(body)).seen).toEqual(expected)
    for (let seed = 0; seed < 20; seed += 1) expect(framesOf(cutAtRandom(body, seeded(seed))).seen).toEqual(expected)
  })

  it('passes over headers of every other type', () => {
    const others = [
      header('t', 0),
      header('f', 1),
      header('y', 2, 1),
      header('s', 3, 1, 2),
      header('i', 4, 1, 2, 3, 4),
      header('l', 5, ...new Array<number>(8).fill(9)),
      header('b', 6, 0, 3, 7, 7, 7),
      header('d', 8, ...new Array<number>(8).fill(9)),
      header('u', 9, ...new Array<number>(16).fill(9)),
    ]
    const head = Buffer.concat([...others, text(':event-type', 'named')])
    expect(framesOf([frame(head, bytes('{}'))]).seen).toEqual([{ data: '{}', event: 'named', at: 0 }])
  })

  it('a frame that has begun at the end of bytes is dropped, and is no fault', () => {
    const body = Buffer.concat([event('a', '{}'), event('b', '{}')])
    for (let end = event('a', '{}').length; end < body.length; end += 1) {
      const { seen, reader } = framesOf([body.subarray(0, end)])
      expect([seen.length, reader.fault, reader.unfinishedIs()]).toEqual([1, null, false])
    }
  })
})

describe('exceptions and errors always have an object as their data', () => {
  const exception = (payload: string) =>
    frame(Buffer.concat([text(':message-type', 'exception'), text(':exception-type', 'xException')]), bytes(payload))
  it.each([
    ['{"message":"m"}', '{"message":"m"}'],
    ['', '{}'],
    ['plain words', '{"message":"plain words"}'],
    ['"quoted"', '{"message":"\\"quoted\\""}'],
  ])('an exception with the payload %j', (payload, data) => {
    expect(framesOf([exception(payload)]).seen).toEqual([{ data, event: 'exception:xException', at: 0 }])
  })

  it('an error has its code and words in its headers', () => {
    const head = [text(':message-type', 'error'), text(':error-code', 'Code'), text(':error-message', 'went "wrong"')]
    expect(framesOf([frame(Buffer.concat(head), new Uint8Array(0))]).seen).toEqual([
      { data: '{"message":"went \\"wrong\\""}', event: 'exception:Code', at: 0 },
    ])
    expect(framesOf([frame(text(':message-type', 'error'), new Uint8Array(0))]).seen).toEqual([{ data: '{}', event: 'exception:unknown', at: 0 }])
  })
})

describe('what makes the rest unreadable is a fault at the frame, and the frames before it are told', () => {
  const good = event('a', '{}')
  const changed = (at: number, by: (byte: number) => number) => {
    const copy = Uint8Array.from(event('b', '{"n":1}'))
    copy[at] = by(copy[at] ?? 0)
    return copy
  }
  const sized = (total: number, head = 0) => frame(new Uint8Array(0), new Uint8Array(0), { total, head })
  it.each([
    ['a broken length', changed(2, (byte) => byte ^ 1), 'has a broken checksum in its prelude'],
    ['a broken checksum of the prelude', changed(8, (byte) => byte ^ 1), 'has a broken checksum in its prelude'],
    ['a broken header', changed(14, (byte) => byte ^ 1), 'has a broken checksum'],
    ['a broken payload', changed(event('b', '{"n":1}').length - 6, (byte) => byte ^ 1), 'has a broken checksum'],
    ['a broken checksum', changed(event('b', '{"n":1}').length - 1, (byte) => byte ^ 1), 'has a broken checksum'],
    ['a length of nothing', sized(0), 'states a length that no frame has'],
    ['a length less than its own parts', sized(15), 'states a length that no frame has'],
    ['headers longer than the frame', sized(16, 1), 'states a length that no frame has'],
    ['headers as long as a number can say', sized(16, 0xffffffff), 'states a length that no frame has'],
    ['a length beyond the bound', sized(MAX_EVENT_BYTES + 1), 'exceeds the bound'],
    ['a length of four gigabytes', sized(0xffffffff), 'exceeds the bound'],
    ['a header without a value', frame(Buffer.from([1, 97]), bytes('{}')), 'has headers that cannot be read'],
    ['a header name that runs out', frame(Buffer.from([200, 97]), bytes('{}')), 'has headers that cannot be read'],
    ['a header value that runs out', frame(header('a', 7, 1, 0, 98), bytes('{}')), 'has headers that cannot be read'],
    ['a header length that runs out', frame(header('a', 7, 1), bytes('{}')), 'has headers that cannot be read'],
    ['a header of a type that is none', frame(header('a', 10, 1), bytes('{}')), 'has headers that cannot be read'],
    ['text', bytes('data: {"choices":[]}\n\n'), 'has a broken checksum in its prelude'],
  ])('%s', (_what, bad, what) => {
    const body = Buffer.concat([good, bad, good])
    for (const chunks of [[body], each(body)]) {
      const { seen, reader } = framesOf(chunks)
      expect(seen).toHaveLength(1)
      expect(reader.fault).toEqual({ at: good.length, what })
    }
  })

  it('a frame of exactly the bound is in it', () => {
    const whole = event('a', `{"p":"${'x'.repeat(200)}"}`)
    expect(framesOf([whole], whole.length).seen).toHaveLength(1)
    expect(framesOf([whole], whole.length - 1).reader.fault).toEqual({ at: 0, what: 'exceeds the bound' })
  })

  it('whatever the bytes, nothing is thrown', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 100 })), (chunks) => {
        expect(framesOf(chunks).seen).toEqual([])
      }),
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.uint8Array({ maxLength: 60 }), (head, payload) => {
        const { seen, reader } = framesOf([frame(head, payload)])
        expect(seen.length + (reader.fault === null ? 0 : 1)).toBe(1)
      }),
    )
  })
})
