import { CollectedBody } from './collected-body.ts'
import { type FrameEvent, type Framing, type FramingFault, MAX_EVENT_BYTES } from './framing.ts'

/**
 * One JSON text a line (`application/x-ndjson`).
 *
 * 1. A line counts with its LF; a CR before it belongs to it. What is unfinished at the end of bytes is dropped, never parsed: a cut text
 *    may still be JSON, as `{"n":1` … `12}` shows.
 * 2. A line of nothing but white space is no event.
 * 3. A line of more than `MAX_EVENT_BYTES` is a fault, however it was chunked; the lines before it are told.
 *
 * Refused: a decoder of a stream of text, since an offset in bytes cannot be had from it.
 */
const LF = 10
const UTF8 = new TextDecoder()

export class Lines implements Framing {
  readonly #onEvent: (event: FrameEvent) => void
  readonly #maxBytes: number
  /** The beginning of a line that goes on in the next chunk. */
  readonly #begun = new CollectedBody()
  /** Position in the body at which the line being read, or told, begins. */
  #lineAt = 0
  #toldAt = 0
  #faultAt: number | null = null

  constructor(onEvent: (event: FrameEvent) => void, maxBytes: number = MAX_EVENT_BYTES) {
    this.#onEvent = onEvent
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array): void {
    let from = 0
    while (this.#faultAt === null && from < chunk.length) {
      const end = chunk.indexOf(LF, from)
      const part = chunk.subarray(from, end < 0 ? chunk.length : end)
      if (this.#begun.bytes + part.length > this.#maxBytes) {
        this.#faultAt = this.#lineAt
        this.#begun.clear()
        return
      }
      if (end < 0) return this.#begun.add(part)
      this.#tell(part)
      from = end + 1
    }
  }

  eventAt(): number {
    return this.#toldAt
  }

  get fault(): FramingFault | null {
    return this.#faultAt === null ? null : { at: this.#faultAt, what: 'exceeds the bound' }
  }

  /** No line without its end counts. */
  unfinishedIs(): boolean {
    return false
  }

  #tell(rest: Uint8Array): void {
    const length = this.#begun.bytes + rest.length
    const data = this.#whole(rest).trim()
    this.#toldAt = this.#lineAt
    this.#lineAt += length + 1
    if (data !== '') this.#onEvent({ data })
  }

  #whole(rest: Uint8Array): string {
    if (this.#begun.bytes === 0) return UTF8.decode(rest)
    this.#begun.add(rest)
    const text = this.#begun.text()
    this.#begun.clear()
    return text
  }
}
