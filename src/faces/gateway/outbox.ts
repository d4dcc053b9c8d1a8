import type { ServerResponse } from 'node:http'
import type { Flow } from '../../index.ts'

/**
 * What is written to one client.
 *
 * 1. The first word leaves at once. What comes behind it in one round of the event loop leaves in one write: a provider's chunk holds many
 *    events, a socket brings many chunks, and a write costs more than either.
 * 2. It is the demand of its turn: while the client does not read, the provider is not read either, so that memory is bounded by what one
 *    round brings beside the buffers of the sockets.
 */
export class Outbox implements Flow {
  readonly #response: ServerResponse
  #pieces: (string | Uint8Array)[] = []
  #planned = false
  #begun = false
  readonly #flush = (): void => this.flush()

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
    this.#pieces.push(piece)
    if (this.#planned) return
    this.#planned = true
    if (this.#begun) setImmediate(this.#flush)
    else queueMicrotask(this.#flush)
    this.#begun = true
  }

  flush(): void {
    this.#planned = false
    const whole = this.#taken()
    if (whole !== null && !this.#response.writableEnded) this.#response.write(whole)
  }

  end(): void {
    const whole = this.#taken()
    if (whole === null) this.#response.end()
    else this.#response.end(whole)
  }

  #taken(): string | Uint8Array | null {
    const pieces = this.#pieces
    if (pieces.length === 0) return null
    this.#pieces = []
    const [only] = pieces
    if (pieces.length === 1 && only !== undefined) return only
    return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
  }
}
