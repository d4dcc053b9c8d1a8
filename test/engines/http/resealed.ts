import { crc32 } from 'node:zlib'

/** The binary frame with another payload of the same or another length, its lengths and checksums right again. */
export function resealed(frame: Uint8Array, payload: Uint8Array): Uint8Array {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength)
  const headEnd = 12 + view.getUint32(4)
  const out = Buffer.concat([frame.subarray(0, headEnd), payload, new Uint8Array(4)])
  out.writeUInt32BE(out.length, 0)
  out.writeUInt32BE(crc32(out.subarray(0, 8)), 8)
  out.writeUInt32BE(crc32(out.subarray(0, -4)), out.length - 4)
  return out
}
