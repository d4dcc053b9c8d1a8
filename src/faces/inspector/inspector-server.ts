import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { InspectionRelay } from '../../host.ts'
import { isForOwnAddress } from './own-address.ts'
import { attachSocket, type SocketViewer } from './socket-viewer.ts'
import type { WsPackage, WsSocket } from './ws-package.ts'

/**
 * A server that viewers connect to, as they do to that of `@statelyai/inspect`; unlike that one:
 *
 * 1. It listens on 127.0.0.1 and nowhere else, and serves nobody who asks for it by another name or from another origin (WEB-01, WEB-02).
 * 2. It opens no browser, serves no page with a script or a frame, and posts nothing to any window (WEB-06).
 * 3. A viewer that comes late is given every actor with its last state, however much happened before.
 * 4. What a viewer sends is not read; one that is slow, gone or talks nonsense costs the run nothing but bounded memory.
 */
export interface InspectorServer {
  readonly url: string
  close(): Promise<void>
}

export interface InspectorServerAsk {
  readonly relay: InspectionRelay
  /** 0 takes any that is free. */
  readonly port: number
  readonly ws: WsPackage
  /** A line for the person. */
  readonly tell: (line: string) => void
}

const MAX_VIEWERS = 16
/** Of one message of a viewer: none has anything to say. */
const MAX_SAID_BYTES = 64 * 1024

/** Rejects with what the system says when the port cannot be had. */
export async function startInspectorServer(ask: InspectorServerAsk): Promise<InspectorServer> {
  const viewers = new Viewers(ask)
  const server = createServer(
    { requireHostHeader: false, maxHeaderSize: 8 * 1024, headersTimeout: 5_000, requestTimeout: 5_000 },
    (request, response) => answer(request, response, portOf(server)),
  )
  server.maxConnections = 64
  server.on('upgrade', (request, socket, head) => {
    // It may be reset at any time, and nobody else listens yet.
    socket.on('error', () => socket.destroy())
    if (!isForOwnAddress(request.headers, portOf(server))) return refuse(socket, '403 Forbidden')
    if (viewers.count >= MAX_VIEWERS) return refuse(socket, '503 Service Unavailable')
    viewers.upgrade(request, socket, head)
  })
  await listening(server, ask.port)
  return {
    url: `ws://127.0.0.1:${portOf(server)}`,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      await viewers.close()
      server.closeAllConnections()
      await closed
    },
  }
}

class Viewers {
  readonly #ask: InspectorServerAsk
  readonly #server: InstanceType<WsPackage['WebSocketServer']>
  readonly #viewers = new Set<SocketViewer>()

  constructor(ask: InspectorServerAsk) {
    this.#ask = ask
    this.#server = new ask.ws.WebSocketServer({ noServer: true, maxPayload: MAX_SAID_BYTES, perMessageDeflate: false })
  }

  get count(): number {
    return this.#viewers.size
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#open(opened))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#viewers].map((viewer) => viewer.close()))
  }

  #open(socket: WsSocket): void {
    let missed = 0
    const viewer = attachSocket(this.#ask.relay, socket, (count) => {
      if (missed === 0) this.#ask.tell(`inspector: a viewer is slow; ${count} messages were left out, and it was given every actor afresh`)
      missed += count
    })
    this.#viewers.add(viewer)
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      viewer.detach()
      this.#viewers.delete(viewer)
    })
  }
}

/** Says to whoever opens it in a browser what it is. */
function answer({ headers, method }: IncomingMessage, response: ServerResponse, port: number): void {
  const status = !isForOwnAddress(headers, port) ? 403 : method === 'GET' || method === 'HEAD' ? 200 : 405
  const text =
    status === 200 ? `relevo tells inspectors here what its actors do. Connect one to ws://127.0.0.1:${port}; docs/inspector.md says how.\n` : ''
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(method === 'HEAD' ? '' : text)
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo | null)?.port ?? 0
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}
