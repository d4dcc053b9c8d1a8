import type { ServerResponse } from 'node:http'

/** What may wait for a page that reads slower than things happen, when more happens. */
export const MOST_WAITING_BYTES = 4 * 1024 * 1024
/** Of the past so much is handed over at a time, so that a page that reads it slowly costs no more. */
const PIECE_BYTES = 64 * 1024
/** How long a page that was left out may take to read why. */
const LEAVE_MS = 10_000

/**
 * One page that looks on, over server-sent events.
 *
 * 1. It is told the past first, as fast as it reads, and then what has happened meanwhile, in order.
 * 2. What waits for it is bounded: a page that does not keep up is told `last` and let go, and nothing else waits for it.
 */
export class EventStream {
  readonly #response: ServerResponse
  readonly #past: Iterator<string>
  #isPastTold = false
  /** What has happened while the past is told. */
  readonly #meanwhile: string[] = []
  #meanwhileBytes = 0
  #isOver = false

  constructor(response: ServerResponse, past: Iterable<string>) {
    this.#response = response
    this.#past = past[Symbol.iterator]()
    response.on('close', () => {
      this.#isOver = true
    })
    response.on('drain', () => this.#tellPast())
  }

  /** Once, when it is ready to be pushed to. */
  begin(): void {
    this.#tellPast()
  }

  /** False: it does not keep up, and is given nothing. Asked before it is given more: nobody has read what was written just now. */
  push(text: string): boolean {
    if (this.#isOver) return true
    if (this.#meanwhileBytes + this.#response.writableLength > MOST_WAITING_BYTES) return false
    if (this.#isPastTold) this.#response.write(text)
    else {
      this.#meanwhile.push(text)
      this.#meanwhileBytes += text.length
    }
    return true
  }

  /** Nothing follows `last`. */
  end(last: string): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#meanwhile.length = 0
    this.#response.end(last)
    const timer = setTimeout(() => this.#response.destroy(), LEAVE_MS)
    timer.unref()
    this.#response.on('close', () => clearTimeout(timer))
  }

  #tellPast(): void {
    while (!this.#isPastTold && !this.#isOver) {
      const piece = this.#nextPiece()
      if (piece === '') {
        this.#isPastTold = true
        if (this.#meanwhile.length > 0) this.#response.write(this.#meanwhile.join(''))
        this.#meanwhile.length = 0
        this.#meanwhileBytes = 0
        return
      }
      if (!this.#response.write(piece)) return
    }
  }

  #nextPiece(): string {
    const parts: string[] = []
    for (let length = 0; length < PIECE_BYTES; ) {
      const next = this.#past.next()
      if (next.done === true) break
      parts.push(next.value)
      length += next.value.length
    }
    return parts.join('')
  }
}
