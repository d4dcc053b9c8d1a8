/**
 * Text out of bytes of UTF-8 that come in pieces, as one `TextDecoder` with `stream` reads it: a byte order mark at the beginning is no text, and
 * what is no UTF-8 becomes U+FFFD. The end of a piece that may go on in the next one stays here. One decoder serves all streams: each that
 * streams has a converter of its own in Node, and making that is dear beside a short answer.
 */
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const NONE = new Uint8Array(0)
const BYTE_ORDER_MARK = '\ufeff'

export class Utf8Pieces {
  #kept: Uint8Array = NONE
  #hasBegun = false

  push(piece: Uint8Array): string {
    const bytes = this.#kept.length === 0 ? piece : joined(this.#kept, piece)
    const end = wholeEnd(bytes)
    this.#kept = end === bytes.length ? NONE : bytes.slice(end)
    if (end === 0) return ''
    const text = UTF8.decode(end === bytes.length ? bytes : bytes.subarray(0, end))
    if (this.#hasBegun) return text
    this.#hasBegun = true
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}

/** Position behind the last byte that no later one can make a character of. */
function wholeEnd(bytes: Uint8Array): number {
  const { length } = bytes
  for (let back = 1; back <= 3 && back <= length; back++) {
    const at = length - back
    const byte = bytes[at] as number
    // A byte that goes on: its first one stands before it.
    if ((byte & 0xc0) === 0x80) continue
    return lengthOf(byte) > back && mayGoOn(bytes, at) ? at : length
  }
  return length
}

/** Of a character with this first byte; 1 also for a byte that begins none. */
function lengthOf(first: number): number {
  if (first >= 0xc2 && first <= 0xdf) return 2
  if (first >= 0xe0 && first <= 0xef) return 3
  return first >= 0xf0 && first <= 0xf4 ? 4 : 1
}

/** Whether the second byte, if it is there, may follow the first: overlong forms, halves of pairs and what is past U+10FFFF may not. */
function mayGoOn(bytes: Uint8Array, at: number): boolean {
  const second = bytes[at + 1]
  if (second === undefined) return true
  const first = bytes[at] as number
  if (first === 0xe0) return second >= 0xa0
  if (first === 0xed) return second <= 0x9f
  if (first === 0xf0) return second >= 0x90
  return first !== 0xf4 || second <= 0x8f
}
