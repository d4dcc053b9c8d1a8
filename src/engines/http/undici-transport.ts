import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Agent, buildConnector, Dispatcher } from 'undici'
import { codeOf, type Transport, type WireCall, type WireListener, type WireRequest } from './transport.ts'

/**
 * One HTTP exchange over undici `request`, told by callbacks.
 *
 * 1. Redirects are never followed, nothing is retried, nothing is decompressed, and undici keeps no deadline: all of these are the
 *    engine's.
 * 2. `destroy` reaches the socket in the same tick, also while it is still connecting; nothing is told afterwards.
 * 3. An error is told by its code alone: messages of the platform quote header values, and those are secrets.
 * 4. Bytes are pushed as the socket reads them. `pause` stops that, and Node's own buffer then stalls the provider.
 */
/** A transport on the given dispatcher, or on a keep-alive Agent of its own. */
export function undiciTransport(given?: Dispatcher): Transport {
  const connections = new Connections()
  const dispatcher = new Observed(given ?? new Agent({ connect: connections.connect }))
  return {
    open: (request, listener) => new UndiciCall(dispatcher, connections, request, listener),
    close: () => (given === undefined ? dispatcher.destroy() : Promise.resolve()),
  }
}

interface SentOptions {
  readonly onSent?: () => void
}

/** Tells when a request is written, which is when its connection stands; undici's `request` does not. */
class Observed extends Dispatcher {
  readonly #inner: Dispatcher

  constructor(inner: Dispatcher) {
    super()
    this.#inner = inner
  }

  override dispatch(options: Dispatcher.DispatchOptions & SentOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { onSent } = options
    const begun = handler.onConnect
    if (onSent !== undefined && begun !== undefined) {
      handler.onConnect = (abort) => {
        onSent()
        begun.call(handler, abort)
      }
    }
    return this.#inner.dispatch(options, handler)
  }

  override destroy(): Promise<void> {
    return this.#inner.destroy()
  }
}

/**
 * Which socket a waiting request connects. undici begins a connection inside `dispatch` and hands out no socket before it stands, so a
 * cancel could not reach it; the connector notes it for the call that is being dispatched.
 */
class Connections {
  #opening: ((socket: Socket) => void) | null = null
  readonly #connector = buildConnector({ timeout: 0 })

  readonly connect: buildConnector.connector = (options, callback) => {
    // The connector answers with its socket, although its type does not say so.
    const socket: unknown = (this.#connector as (...args: Parameters<buildConnector.connector>) => unknown)(options, callback)
    if (isSocket(socket)) this.#opening?.(socket)
    return socket as undefined
  }

  during(onSocket: (socket: Socket) => void, dispatch: () => void): void {
    this.#opening = onSocket
    try {
      dispatch()
    } finally {
      this.#opening = null
    }
  }
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value
}

class UndiciCall implements WireCall {
  readonly #listener: WireListener
  readonly #abort = new EventEmitter()
  #connecting: Socket | null = null
  #body: Dispatcher.ResponseData['body'] | null = null
  #over = false

  constructor(dispatcher: Observed, connections: Connections, request: WireRequest, listener: WireListener) {
    this.#listener = listener
    const { url, headers, body } = request
    const options: Dispatcher.RequestOptions & SentOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      signal: this.#abort,
      headersTimeout: 0,
      bodyTimeout: 0,
      onSent: () => {
        this.#connecting = null
        if (!this.#over) listener.onConnected()
      },
    }
    const take = (error: Error | null, response: Dispatcher.ResponseData) => this.#onResponse(error, response)
    connections.during(
      (socket) => {
        this.#connecting = socket
      },
      () => dispatcher.request(options, take),
    )
  }

  pause(): void {
    this.#body?.pause()
  }

  resume(): void {
    this.#body?.resume()
  }

  destroy(): void {
    if (this.#over) return
    this.#over = true
    if (this.#body !== null) this.#body.destroy()
    else {
      this.#abort.emit('abort')
      // With an error, so that undici gives the client up instead of waiting for it.
      this.#connecting?.destroy(new Error('cancelled while connecting'))
    }
  }

  #onResponse(error: Error | null, response: Dispatcher.ResponseData): void {
    if (error !== null) return this.#fail(error)
    const { body, statusCode, headers } = response
    this.#body = body
    // Also when it is over: a destroyed body still tells its error.
    body.on('error', (broken: Error) => this.#fail(broken))
    if (this.#over) {
      body.destroy()
      return
    }
    body.on('data', (chunk: Uint8Array) => {
      if (!this.#over) this.#listener.onData(chunk)
    })
    body.on('end', () => {
      if (this.#over) return
      this.#over = true
      this.#listener.onEnd()
    })
    this.#listener.onHead({ status: statusCode, headers, decoded: false })
  }

  #fail(error: unknown): void {
    if (this.#over) return
    this.#over = true
    this.#listener.onError(codeOf(error))
  }
}
