import type { ServerResponse } from 'node:http'
import type { Flow } from '../../index.ts'

/**
 * What is written to one client.
 *
 * 1. What is said in one task leaves in one write: a provider's chunk holds many events, and a write costs more than an event.
 * 2. It is the demand of its turn: while the client does not read, the provider is not read either, so that memory is bounded by what one
 *    chunk brings beside the buffers of the sockets.
 */
export class Outbox implements Flow {
  readonly #response: ServerResponse
  #pending: string = ''
  #planned = false
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
    if (typeof piece !== 'string') {
      this.flush()
      this.#response.write(piece)
      return
    }
    this.#pending += piece
    if (this.#planned) return
    this.#planned = true
    queueMicrotask(this.#flush)
  }

  flush(): void {
    this.#planned = false
    if (this.#pending === '') return
    const pending = this.#pending
    this.#pending = ''
    this.#response.write(pending)
  }

  end(): void {
    const pending = this.#pending
    this.#pending = ''
    this.#response.end(pending)
  }
}
