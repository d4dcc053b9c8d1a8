import { codeOf, HIDDEN_REDIRECT, type Transport, type WireCall, type WireListener, type WireRequest } from './transport.ts'

/** A body that always has more is read in promises alone, which leave no timer its turn: so often the reading pauses for one. */
const READS_AT_A_STRETCH = 128

/**
 * The same exchange over an injected `fetch`, for hosts that bring their own (speed.md rule 17: half as fast as undici's `request`).
 * It does not tell when a connection stands, and a whole answer has no head before it is computed: a connect limit is not kept, rather than
 * taken for one of the head.
 */
export function fetchTransport(fetch: typeof globalThis.fetch): Transport {
  return {
    open: (request, listener) => new FetchCall(fetch, request, listener),
    close: () => Promise.resolve(),
  }
}

class FetchCall implements WireCall {
  readonly #listener: WireListener
  readonly #abort = new AbortController()
  #over = false
  #paused = false
  #wake: (() => void) | null = null

  constructor(fetch: typeof globalThis.fetch, request: WireRequest, listener: WireListener) {
    this.#listener = listener
    listener.onConnected()
    void this.#run(fetch, request)
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#wake?.()
    this.#wake = null
  }

  destroy(): void {
    if (this.#over) return
    this.#over = true
    this.#abort.abort()
    this.resume()
  }

  async #run(fetch: typeof globalThis.fetch, { url, headers, body }: WireRequest): Promise<void> {
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: this.#abort.signal })
      if (this.#over) return
      const status = response.type === 'opaqueredirect' ? HIDDEN_REDIRECT : response.status
      this.#listener.onHead({ status, headers: Object.fromEntries(response.headers), decoded: true })
      await this.#read(response.body)
    } catch (error) {
      if (this.#over) return
      this.#over = true
      this.#listener.onError(codeOf(error))
    }
  }

  async #read(body: ReadableStream<Uint8Array> | null): Promise<void> {
    const reader = body?.getReader()
    for (let reads = 1; !this.#over; reads++) {
      if (reads % READS_AT_A_STRETCH === 0) await new Promise((resolve) => void setTimeout(resolve, 0))
      if (this.#paused) await new Promise<void>((resolve) => (this.#wake = resolve))
      if (this.#over) return
      const part = await reader?.read()
      if (this.#over) return
      if (part === undefined || part.done) {
        this.#over = true
        return this.#listener.onEnd()
      }
      this.#listener.onData(part.value)
    }
  }
}
