import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Agent, buildConnector, Client, Dispatcher, Pool } from 'undici'
import type { EndpointPolicy } from '../../model/address.ts'
import { checkedLookup, type Resolve } from './checked-lookup.ts'
import { codeOf, type Transport, type WireCall, type WireListener, type WireRequest } from './transport.ts'

/**
 * One HTTP exchange over undici `request`, told by callbacks.
 *
 * 1. Redirects are never followed, nothing is retried, nothing is decompressed, and undici keeps no deadline: all of these are the
 *    engine's.
 * 2. `destroy` reaches the socket in the same tick, also while it is still connecting; nothing is told afterwards, and no connection is
 *    opened in place of the one that was cut, as undici does after an abort of its own.
 * 3. An error is told by its code alone: messages of the platform quote header values, and those are secrets.
 * 4. Bytes are pushed as the socket reads them. `pause` stops that, and Node's own buffer then stalls the provider.
 * 5. A name is connected to only at an address that the policy of its request allows. Connections of one policy never serve another.
 */
/** A transport on the given dispatcher, or on keep-alive Agents of its own, one a policy. `resolve`: the system's resolver by default. */
export function undiciTransport(given?: Dispatcher, resolve?: Resolve): Transport {
  const agents = new Map<EndpointPolicy, Observed>()
  const dispatcherOf = (policy: EndpointPolicy): Observed => {
    const dispatcher = agents.get(policy) ?? new Observed(given ?? keepAliveAgent(policy, resolve))
    agents.set(policy, dispatcher)
    return dispatcher
  }
  return {
    open: (request, listener) => new UndiciCall(dispatcherOf(request.policy), request, listener),
    close: async () => {
      if (given === undefined) await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

/** Each of its connections is a client that shows its socket, which undici itself hands out nowhere. */
function keepAliveAgent(policy: EndpointPolicy, resolve: Resolve | undefined): Agent {
  const connect = buildConnector({ timeout: 0, lookup: checkedLookup(policy, resolve) })
  const client = (origin: URL, options: object): Client => new OneSocket(origin, options, connect)
  return new Agent({ factory: (origin, options) => new Pool(origin, { ...options, factory: client }) })
}

/** What a call asks to be told about its exchange; it travels with the options of the request. */
interface Observing {
  /** The client that carries the request; not told by a dispatcher that is the host's. */
  readonly onClient?: (client: OneSocket) => void
  /** The request is being written, so its connection stands. */
  readonly onSent?: () => void
  /** The answer has come in whole, read or not: the connection serves others from now on. */
  readonly onWhole?: () => void
}

/** One connection at a time, as undici pipelines nothing unless asked to. */
class OneSocket extends Client {
  readonly #held: { socket: Socket | null }

  constructor(origin: URL, options: Client.Options, connect: buildConnector.connector) {
    const held: { socket: Socket | null } = { socket: null }
    const noting: buildConnector.connector = (target, callback) => {
      // The connector answers with its socket, although its type does not say so.
      const socket: unknown = (connect as (...args: Parameters<buildConnector.connector>) => unknown)(target, callback)
      held.socket = isSocket(socket) ? socket : null
      return socket as undefined
    }
    super(origin, { ...options, connect: noting })
    this.#held = held
  }

  override dispatch(options: Dispatcher.DispatchOptions & Observing, handler: Dispatcher.DispatchHandler): boolean {
    options.onClient?.(this)
    return super.dispatch(options, handler)
  }

  /** Cuts the connection, also one that does not stand yet. With an error, so that undici gives the request up. */
  cut(): void {
    this.#held.socket?.destroy(new Error('cancelled'))
  }
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value
}

/** Tells when a request is written and when its answer is whole; undici's `request` does not. */
class Observed extends Dispatcher {
  readonly #inner: Dispatcher

  constructor(inner: Dispatcher) {
    super()
    this.#inner = inner
  }

  override dispatch(options: Dispatcher.DispatchOptions & Observing, handler: Dispatcher.DispatchHandler): boolean {
    const { onSent, onWhole } = options
    const { onConnect, onComplete } = handler
    if (onSent !== undefined && onConnect !== undefined) {
      handler.onConnect = (abort) => {
        onSent()
        onConnect.call(handler, abort)
      }
    }
    if (onWhole !== undefined && onComplete !== undefined) {
      handler.onComplete = (trailers) => {
        onWhole()
        onComplete.call(handler, trailers)
      }
    }
    return this.#inner.dispatch(options, handler)
  }

  override destroy(): Promise<void> {
    return this.#inner.destroy()
  }
}

class UndiciCall implements WireCall {
  readonly #listener: WireListener
  readonly #abort = new EventEmitter()
  /** Who carries the exchange, as long as the connection is its own. */
  #client: OneSocket | null = null
  #body: Dispatcher.ResponseData['body'] | null = null
  #over = false

  constructor(dispatcher: Observed, request: WireRequest, listener: WireListener) {
    this.#listener = listener
    const { url, headers, body } = request
    const options: Dispatcher.RequestOptions & Observing = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      signal: this.#abort,
      headersTimeout: 0,
      bodyTimeout: 0,
      onClient: (client) => {
        this.#client = client
      },
      onSent: () => {
        if (!this.#over) listener.onConnected()
      },
      onWhole: () => {
        this.#client = null
      },
    }
    dispatcher.request(options, (error: Error | null, response: Dispatcher.ResponseData) => this.#onResponse(error, response))
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
    this.#client?.cut()
    if (this.#body !== null) this.#body.destroy()
    else this.#abort.emit('abort')
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
