import { crc32 } from 'node:zlib'

/**
 * One frame of `application/vnd.amazon.eventstream` with text headers and a JSON payload. Its checksums are those of node:zlib: the reader
 * counts its own.
 */
export function binaryFrame(headers: Readonly<Record<string, string>>, payload: object): Uint8Array {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => textHeader(name, value)))
  const body = Buffer.from(JSON.stringify(payload))
  const frame = Buffer.alloc(12 + head.length + body.length + 4)
  frame.writeUInt32BE(frame.length, 0)
  frame.writeUInt32BE(head.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  head.copy(frame, 12)
  body.copy(frame, 12 + head.length)
  frame.writeUInt32BE(crc32(frame.subarray(0, -4)), frame.length - 4)
  return frame
}

/** A text value has the type 7. */
function textHeader(name: string, value: string): Buffer {
  const [named, text] = [Buffer.from(name), Buffer.from(value)]
  return Buffer.concat([Buffer.from([named.length]), named, Buffer.from([7, text.length >> 8, text.length & 0xff]), text])
}
