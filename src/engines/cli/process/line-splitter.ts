/**
 * Lines out of the bytes of one pipe.
 *
 * 1. A line ends in LF and nowhere else: a CR before it is dropped, U+0085 and U+2028 stay in the line (agy prints them raw inside strings).
 * 2. What is left without an end at the end of the bytes is a line; nothing left is none.
 * 3. A chunk boundary changes nothing, also inside a character. What is no UTF-8 becomes U+FFFD; a BOM before the first line is dropped.
 * 4. Memory is bounded: no more than `maxLineBytes` are held, and no more than `maxBytes` are read. Past either nothing more is told.
 *
 * Bytes are cut and then decoded, since LF is part of no other character: the text is that of a streaming decoder, and the bounds are exact.
 * Refused: `node:readline`, which holds a line of any length (100 MiB without an end cost 237 MiB) and ends a line at U+2028.
 */

const LF = 10
const CR = 13
const BOM = '\uFEFF'
/** A buffer that a long line has left behind is given back; shorter ones serve the next line. */
const KEPT_BYTES = 64 * 1024

export interface LineBounds {
  readonly maxLineBytes: number
  readonly maxBytes: number
}

/**
 * Each pipe on its own. claude prints an image that it looks at twice in one line: with 4 MB of PNG the line has more than 1 MiB, and APIs
 * take images of ten times as much. A run of hours may look at many.
 */
export const LINE_BOUNDS: LineBounds = { maxLineBytes: 16 * 1024 * 1024, maxBytes: 512 * 1024 * 1024 }

export class LineSplitter {
  readonly #onLine: (text: string) => void
  readonly #bounds: LineBounds
  /** The beginning of a line that goes on in the next chunk. */
  #held = Buffer.alloc(0)
  #heldBytes = 0
  #bytes = 0
  #first = true
  #over = false

  constructor(onLine: (text: string) => void, bounds: LineBounds = LINE_BOUNDS) {
    this.#onLine = onLine
    this.#bounds = bounds
  }

  /** Tells the lines that end in this chunk; says which bound was broken. */
  push(chunk: Buffer): 'endless_line' | 'too_much' | null {
    let from = 0
    while (!this.#over && from < chunk.length) {
      const end = chunk.indexOf(LF, from)
      const to = end < 0 ? chunk.length : end
      if (this.#heldBytes + to - from > this.#bounds.maxLineBytes) return this.#broken('endless_line')
      this.#bytes += to - from + (end < 0 ? 0 : 1)
      if (this.#bytes > this.#bounds.maxBytes) return this.#broken('too_much')
      if (end < 0) this.#hold(chunk, from)
      else this.#tell(chunk, from, end)
      from = to + 1
    }
    return null
  }

  /** The bytes are over. */
  end(): void {
    if (this.#over) return
    const { length } = this.#held
    if (this.#heldBytes > 0) this.#tell(this.#held, length, length)
    this.#over = true
  }

  #broken<Bound>(bound: Bound): Bound {
    this.#over = true
    this.#held = Buffer.alloc(0)
    return bound
  }

  /** Doubles when it is full, up to the longest line, so that a line in a million pieces is copied about twice. */
  #hold(chunk: Buffer, from: number): void {
    const bytes = this.#heldBytes + chunk.length - from
    if (bytes > this.#held.length) {
      const larger = Buffer.alloc(Math.max(bytes, Math.min(2 * this.#held.length, this.#bounds.maxLineBytes)))
      this.#held.copy(larger, 0, 0, this.#heldBytes)
      this.#held = larger
    }
    chunk.copy(this.#held, this.#heldBytes, from)
    this.#heldBytes = bytes
  }

  /** Tells what is held together with `chunk` from `from` to `end`. */
  #tell(chunk: Buffer, from: number, end: number): void {
    if (this.#heldBytes === 0) return this.#tellText(decoded(chunk, from, end))
    if (end > from) this.#hold(chunk.subarray(from, end), 0)
    const text = decoded(this.#held, 0, this.#heldBytes)
    this.#heldBytes = 0
    if (this.#held.length > KEPT_BYTES) this.#held = Buffer.alloc(0)
    this.#tellText(text)
  }

  #tellText(text: string): void {
    const first = this.#first
    this.#first = false
    this.#onLine(first && text.startsWith(BOM) ? text.slice(1) : text)
  }
}

function decoded(bytes: Buffer, from: number, end: number): string {
  return bytes.toString('utf8', from, end > from && bytes[end - 1] === CR ? end - 1 : end)
}
