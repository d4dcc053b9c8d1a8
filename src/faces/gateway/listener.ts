import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { bareHost, isLoopbackHost, Members } from '../../host.ts'
import { ConfigError } from '../../index.ts'
import { respond } from './respond.ts'

/** What one listener stands, whoever connects. */
export interface Limits {
  readonly connections: number
  /** Requests under way on one connection: those that a client sends without waiting for an answer, with the one that is answered. */
  readonly pipelined: number
  /** From the first byte of a head, or from the connection, to its end. */
  readonly headersMs: number
  /** From there to the end of the body; how long an answer takes is nobody's limit. */
  readonly bodyMs: number
  /** How long a connection may wait for its next request. */
  readonly idleMs: number
  /** How long a client may read nothing of an answer that is there for it. */
  readonly unreadMs: number
  readonly headerBytes: number
  /** Of the bodies of all requests under way, together. */
  readonly bodiesBytes: number
}

export const LIMITS: Limits = {
  connections: 2_048,
  pipelined: 32,
  headersMs: 10_000,
  bodyMs: 120_000,
  idleMs: 60_000,
  unreadMs: 300_000,
  headerBytes: 16 * 1024,
  bodiesBytes: 256 * 1024 * 1024,
}

/** How often connections are looked through for those that take too long. */
const LOOK_MS = 1_000

export type Handle = (request: IncomingMessage, response: ServerResponse, goOn: () => void) => void

/**
 * The server under the gateway.
 *
 * 1. A client that is slow, silent or talks nonsense costs its own connection, and no other client's.
 * 2. When there are too many connections the one that has waited longest without a request makes room; where all are at work the new one is
 *    told to come back.
 * 3. One connection has no more work done for it at once than a few clients would: what it asks beyond that is told to come back, and the
 *    connection ends with that answer. Whoever goes on is cut: Node would read no more of it, and would not see that it left.
 * 4. After `drain` nobody new is let in, and a connection ends with the answer that it is busy with.
 */
export class Listener {
  readonly #server: Server
  readonly #limits: Limits
  /** Open connections with their answers under way; those that wait stand in the order in which they began to. */
  readonly #sockets = new Map<Socket, Members<ServerResponse>>()
  #draining = false

  constructor(handle: Handle, limits: Limits = LIMITS) {
    this.#limits = limits
    this.#server = createServer({
      // Asked at the door, which answers alike whether it is absent or foreign.
      requireHostHeader: false,
      insecureHTTPParser: false,
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.headersMs + limits.bodyMs,
      keepAliveTimeout: limits.idleMs,
      connectionsCheckingInterval: Math.min(LOOK_MS, limits.headersMs),
    })
    this.#server.on('connection', (socket: Socket) => this.#connected(socket))
    this.#server.on('request', (request, response) => this.#began(handle, request, response, () => {}))
    this.#server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
      this.#began(handle, request, response, () => response.writeContinue()),
    )
    this.#server.setTimeout(limits.unreadMs, (socket: Socket) => this.#silent(socket))
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.#misspoken(error, socket as Socket))
  }

  get draining(): boolean {
    return this.#draining
  }

  /** Answers being made now. */
  get busy(): number {
    let count = 0
    for (const responses of this.#sockets.values()) count += responses.size
    return count
  }

  /** Throws ConfigError where that address cannot be had. */
  async listen(host: string, port: number): Promise<Listening> {
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => reject(unheard(error, host, port))
      this.#server.once('error', failed)
      this.#server.listen(port, bareHost(host), () => {
        this.#server.off('error', failed)
        // What befalls the server later, such as too many open files, befalls one connection.
        this.#server.on('error', () => {})
        resolve()
      })
    })
    const at = this.#server.address() as AddressInfo
    return { port: at.port, isLoopback: isLoopbackHost(at.address) }
  }

  /** Stops listening. Resolves once every connection has ended; ends those that wait at once, and others with their answer. */
  drain(): Promise<void> {
    this.#draining = true
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const [socket, responses] of this.#sockets) {
      // A request that has begun to arrive is let in, to be told that it comes too late.
      if (responses.size === 0 && socket.bytesRead === 0) socket.destroy()
      for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close')
    }
    this.#server.closeIdleConnections()
    return closed
  }

  /** Ends every connection, whatever is on it. */
  cut(): void {
    for (const socket of this.#sockets.keys()) socket.destroy()
    this.#server.closeAllConnections()
  }

  #connected(socket: Socket): void {
    if (this.#sockets.size >= this.#limits.connections && !this.#madeRoom()) {
      socket.on('error', () => {})
      socket.end(rawAnswer(503, 'too many connections', 'retry-after: 1\r\n'), () => socket.destroy())
      return
    }
    this.#sockets.set(socket, new Members())
    socket.once('close', () => this.#lost(socket))
  }

  /** Node tells the answer whose turn it is, and none that waits behind it for the same connection. */
  #lost(socket: Socket): void {
    const responses = this.#sockets.get(socket) ?? []
    this.#sockets.delete(socket)
    for (const response of [...responses]) {
      if (response.socket !== null) continue
      response.destroy()
      response.emit('close')
    }
  }

  #madeRoom(): boolean {
    for (const [socket, responses] of this.#sockets) {
      if (responses.size > 0) continue
      this.#sockets.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  #began(handle: Handle, request: IncomingMessage, response: ServerResponse, goOn: () => void): void {
    const { socket } = request
    const responses = this.#sockets.get(socket)
    // Refused for want of room, and its bytes are still being read.
    if (responses === undefined) return void response.destroy()
    const { pipelined } = this.#limits
    const isOneTooMany = responses.size >= pipelined && underWay(responses) >= pipelined
    if (isOneTooMany && responses.size >= 2 * pipelined) return void socket.destroy()
    const leave = responses.add(response)
    response.once('close', () => {
      leave()
      this.#ended(socket)
    })
    if (isOneTooMany) return tooMany(request, response)
    if (this.#draining) response.setHeader('connection', 'close')
    handle(request, response, goOn)
  }

  #ended(socket: Socket): void {
    const responses = this.#sockets.get(socket)
    if (responses === undefined || responses.size > 0) return
    this.#sockets.delete(socket)
    if (this.#draining) socket.destroySoon()
    if (!socket.destroyed) this.#sockets.set(socket, responses)
  }

  /** Nothing came or went for a while: the client waits for an answer, or the answer for its client. */
  #silent(socket: Socket): void {
    const responses = [...(this.#sockets.get(socket) ?? [])]
    if (responses.length === 0 || responses.some(({ writableNeedDrain }) => writableNeedDrain)) socket.destroy()
  }

  /** What is no HTTP is told so, unless an answer has begun: into that nothing may be written. */
  #misspoken(error: NodeJS.ErrnoException, socket: Socket): void {
    const hasBegun = [...(this.#sockets.get(socket) ?? [])].some(({ headersSent }) => headersSent)
    if (!socket.writable || hasBegun || error.code === 'ECONNRESET') return void socket.destroy()
    const [status, why] = WORDS[error.code ?? ''] ?? [400, 'this is no HTTP request']
    socket.end(rawAnswer(status, why), () => socket.destroy())
  }
}

/** An answer that is whole and waits for its turn is no work any more; of those Node reads no more than it can hold. */
function underWay(responses: Members<ServerResponse>): number {
  let count = 0
  for (const { writableEnded } of responses) if (!writableEnded) count++
  return count
}

function tooMany(request: IncomingMessage, response: ServerResponse): void {
  respond(request, response, 503, bodyOf('too many requests at once on one connection'), { 'retry-after': '1', connection: 'close' })
}

export interface Listening {
  readonly port: number
  /** A name may lead anywhere. */
  readonly isLoopback: boolean
}

const WORDS: Readonly<Record<string, readonly [status: number, why: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the header fields are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
}

function rawAnswer(status: number, why: string, headers = ''): string {
  const body = bodyOf(why)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${headers}connection: close\r\n\r\n${body}`
}

function bodyOf(why: string): string {
  return JSON.stringify({ error: { message: why, type: 'invalid_request_error', param: null, code: null } })
}

/** Why nothing can be heard there, with what to do. */
function unheard({ code }: NodeJS.ErrnoException, host: string, port: number): ConfigError {
  const at = `${host}:${port}`
  const [path, message, remedy] =
    code === 'EADDRINUSE'
      ? ['gateway.port', `${at} is taken by another program.`, 'Stop it, or choose another port; 0 takes any that is free.']
      : code === 'EACCES'
        ? ['gateway.port', `This user may not listen on ${at}.`, 'Choose a port above 1023.']
        : ['gateway.host', `${host} is no address of this machine (${code ?? 'unknown'}).`, 'Use 127.0.0.1, or an address that this machine has.']
  return new ConfigError([{ code: 'gateway_cannot_listen', path, message, remedy }])
}
