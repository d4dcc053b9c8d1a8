/**
 * The lines of a file that is only appended to, one JSON object a line, whatever bytes it has.
 *
 * 1. Every line is told once and with its place; a last one without an end says so.
 * 2. Reading takes the time of the length of the file, and the memory of its longest line, which is bounded.
 */

/** Fills the buffer from a place of the file on; how many bytes there were, 0 at its end. */
export type ReadBytes = (into: Uint8Array, from: number) => number

interface RawLine {
  /** Null when it is longer than the bound. */
  readonly bytes: Buffer | null
  readonly line: number
  readonly from: number
  readonly isEnded: boolean
}

const CHUNK_BYTES = 64 * 1024
const LINE_FEED = 0x0a
const MARK = Buffer.from('\ufeff')

export function* rawLines(read: ReadBytes, maxBytes: number): Generator<RawLine> {
  const line = new GrowingLine(maxBytes)
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let at = 0
  for (let length = read(chunk, at); length > 0; length = read(chunk, at)) {
    let from = 0
    for (let end = chunk.indexOf(LINE_FEED); end >= 0 && end < length; end = chunk.indexOf(LINE_FEED, from)) {
      line.add(chunk.subarray(from, end))
      yield line.take(true)
      from = end + 1
    }
    line.add(chunk.subarray(from, length))
    at += length
  }
  if (line.length > 0) yield line.take(false)
}

/** The line that is being read, in pieces: putting them together once keeps a long one linear. */
class GrowingLine {
  readonly #maxBytes: number
  length = 0
  #number = 1
  #from = 0
  #pieces: Buffer[] = []

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  add(piece: Buffer): void {
    this.length += piece.length
    // A piece is a view of a chunk that is filled again.
    if (this.length <= this.#maxBytes) this.#pieces.push(Buffer.from(piece))
    else this.#pieces = []
  }

  take(isEnded: boolean): RawLine {
    const bytes = this.length > this.#maxBytes ? null : withoutMark(Buffer.concat(this.#pieces), this.#from)
    const line = { bytes, line: this.#number, from: this.#from, isEnded }
    this.#from += this.length + 1
    this.#number++
    this.length = 0
    this.#pieces = []
    return line
  }
}

/** The byte order mark that an editor may have put in front of the file. */
function withoutMark(bytes: Buffer, from: number): Buffer {
  return from === 0 && bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes
}

/** No later version nests deeper, and the parser's cost grows faster than a nest. */
const MAX_DEPTH = 16
const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}')

/** What keeps a line from being an object of few levels. It costs little, where a parser that fails costs a hundred times as much. */
export function shapeProblem(line: Uint8Array): string | null {
  const first = line.findIndex((byte) => !isSpace(byte))
  const last = line.findLastIndex((byte) => !isSpace(byte))
  if (line[first] !== OPEN_OBJECT || line[last] !== CLOSE_OBJECT) return 'it is no object'
  let depth = 0
  let isText = false
  for (let at = first; at <= last; at++) {
    const byte = line[at]
    if (byte === QUOTE) isText = !isText
    else if (isText && byte === BACKSLASH) at++
    else if (isText) continue
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
    if (depth > MAX_DEPTH) return 'it nests too deep'
  }
  return null
}

/** Nothing but white space. */
export function isBlank(line: Uint8Array): boolean {
  return line.every(isSpace)
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
}
