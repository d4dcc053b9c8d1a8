/**
 * CRC-32 as gzip and AWS event streams use it (polynomial 0x04C11DB7 reflected). Twelve lines of our own, because the core also bundles
 * for a browser, where there is no node:zlib, and a package for a table of 256 numbers is a package to keep; the tests hold it against
 * node:zlib.
 */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit += 1) rest = (rest & 1) === 0 ? rest >>> 1 : (rest >>> 1) ^ 0xedb88320
  return rest
})

/** The checksum of `bytes` from `from` to before `to`, as an unsigned number. */
export function crc32(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let rest = 0xffffffff
  for (let at = from; at < to; at += 1) rest = (TABLE[(rest ^ (bytes[at] as number)) & 0xff] as number) ^ (rest >>> 8)
  return (rest ^ 0xffffffff) >>> 0
}
