import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import { Agent, buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { EndpointPolicy } from '../../model/address.ts'
import { checkedLookup, type Resolve } from './checked-lookup.ts'
import { codeOf, type Transport, type WireCall, type WireListener, type WireRequest } from './transport.ts'

/**
 * One HTTP exchange over undici, told by callbacks.
 *
 * 1. Redirects are never followed, nothing is retried, nothing is decompressed, and undici keeps no deadline: all of these are the
 *    engine's.
 * 2. `destroy` reaches the socket in the same tick, also while it is still connecting; nothing is told afterwards, and no connection is
 *    opened in place of the one that was cut, as undici does after an abort of its own.
 * 3. An error is told by its code alone: messages of the platform quote header values, and those are secrets.
 * 4. Bytes are pushed as the socket reads them. Between `pause` and `resume` nothing is pushed, the end neither, and the socket is not read, which
 *    stalls the provider.
 * 5. A name is connected to only at an address that the policy of its request allows. Connections of one policy never serve another.
 */
/** A transport on the given dispatcher, or on keep-alive Agents of its own, one a policy. `resolve`: the system's resolver by default. */
export function undiciTransport(given?: Dispatcher, resolve?: Resolve): Transport {
  const agents = new Map<EndpointPolicy, Dispatcher>()
  const dispatcherOf = (policy: EndpointPolicy): Dispatcher => {
    const dispatcher = agents.get(policy) ?? given ?? keepAliveAgent(policy, resolve)
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
    this.#held.socket?.destroy(cancelled())
  }
}

function isSocket(value: unknown): value is Socket {
  return typeof value === 'object' && value !== null && 'destroy' in value
}

/** undici tells of the exchange here, and not by way of its `request`: nobody here needs the stream that this makes of each body. */
class UndiciCall implements WireCall, Dispatcher.DispatchHandler {
  readonly #listener: WireListener
  /** Who carries the exchange, as long as the connection is its own. */
  #client: OneSocket | null = null
  #controller: Dispatcher.DispatchController | null = null
  /** What came in spite of a pause: undici stops reading with the piece that it has in hand. */
  readonly #kept: Uint8Array[] = []
  #isPaused = false
  #isWhole = false
  #isOver = false

  constructor(dispatcher: Dispatcher, request: WireRequest, listener: WireListener) {
    this.#listener = listener
    const { url, headers, body } = request
    const options: Dispatcher.DispatchOptions & Observing = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers,
      body,
      headersTimeout: 0,
      bodyTimeout: 0,
      onClient: (client) => {
        this.#client = client
      },
    }
    try {
      dispatcher.dispatch(options, this)
    } catch (error) {
      queueMicrotask(() => this.#fail(error))
    }
  }

  pause(): void {
    this.#isPaused = true
    this.#controller?.pause()
  }

  resume(): void {
    if (this.#isOver) return
    this.#isPaused = false
    for (let chunk = this.#kept.shift(); chunk !== undefined; chunk = this.#kept.shift()) {
      this.#listener.onData(chunk)
      if (this.#isPaused || this.#isOver) return
    }
    if (this.#isWhole) this.#end()
    else this.#controller?.resume()
  }

  destroy(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#client?.cut()
    this.#controller?.abort(cancelled())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) return controller.abort(cancelled())
    if (this.#isPaused) controller.pause()
    this.#listener.onConnected()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (!this.#isOver && status >= 200) this.#listener.onHead({ status, headers, decoded: false })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.#isOver) return
    if (this.#isPaused) this.#kept.push(chunk)
    else this.#listener.onData(chunk)
  }

  /** The connection serves others from now on. What follows from the answer may ask for it, and it is free once undici is done here. */
  onResponseEnd(): void {
    this.#client = null
    this.#isWhole = true
    if (!this.#isPaused) queueMicrotask(() => this.#end())
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error)
  }

  #end(): void {
    if (this.#isOver || this.#isPaused) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onError(codeOf(error))
  }
}

function cancelled(): Error {
  return new Error('cancelled')
}
