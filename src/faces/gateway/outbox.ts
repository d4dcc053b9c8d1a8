import type { ServerResponse } from 'node:http'
import type { Flow } from '../../index.ts'

/** Fewer are written as they are, which costs less than to put them together. */
const MOST_PIECES = 8

/**
 * What is written to one client.
 *
 * 1. Whatever comes in one round of the event loop leaves at its end, in one write: a provider's chunk holds many events, a socket brings many
 *    chunks, and a write costs more than either. The writes to all clients stand together: one that wakes its client wakes it for the next.
 * 2. It is the demand of its turn: while the client does not read, the provider is not read either, so that memory is bounded by what one
 *    round brings beside the buffers of the sockets.
 */
export class Outbox implements Flow {
  readonly #response: ServerResponse
  #pieces: (string | Uint8Array)[] = []
  #isPlanned = false
  #isOver = false
  readonly #flush = (): void => this.#leave()

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get full(): boolean {
    return this.#response.writableNeedDrain
  }

  onDrain(resume: () => void): void {
    if (!this.full) resume()
    else this.#response.once('drain', resume)
  }

  write(piece: string | Uint8Array): void {
    if (piece.length === 0) return
    const last = this.#pieces.length - 1
    const before = this.#pieces[last]
    if (typeof piece === 'string' && typeof before === 'string') this.#pieces[last] = before + piece
    else this.#pieces.push(piece)
    this.#plan()
  }

  /** Nothing is written behind it. */
  end(): void {
    this.#isOver = true
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    setImmediate(this.#flush)
  }

  #leave(): void {
    this.#isPlanned = false
    const pieces = this.#pieces.length > MOST_PIECES ? [joined(this.#pieces)] : this.#pieces
    this.#pieces = []
    const last = this.#isOver ? pieces.pop() : undefined
    // Node puts what is written in one task into one write.
    for (const piece of pieces) this.#response.write(piece)
    if (last !== undefined) this.#response.end(last)
    else if (this.#isOver) this.#response.end()
  }
}

function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array {
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}
