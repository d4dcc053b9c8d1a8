import type { InspectionRelay } from '../../host.ts'
import { attachSocket, type SocketViewer } from './socket-viewer.ts'
import type { WsPackage, WsSocket } from './ws-package.ts'

/**
 * Tells an inspector server that runs already what the actors do, as the `createWebSocketInspector` of `@statelyai/inspect` tells it.
 *
 * 1. The run never waits for it: until it is there, and whenever it is gone, the run goes on and it is tried again.
 * 2. Each time that it is there, it is told every actor with its last state.
 * 3. What it sends, which is what others told it, is not read.
 */
export interface InspectorClient {
  /** Tells what is still to be told, if it is there within a moment. */
  close(): Promise<void>
}

export interface InspectorClientAsk {
  readonly relay: InspectionRelay
  readonly url: string
  readonly ws: WsPackage
  /** A line for the person. */
  readonly tell: (line: string) => void
}

/** It repeats to each of its clients what the others say, and a message that is too long would end the connection. */
const MAX_HEARD_BYTES = 16 * 1024 * 1024
const HANDSHAKE_MS = 3_000
/** Between one try and the next. */
const RETRY_MS = 1_000
/** How long the end of a run waits for a server that has not answered yet. */
const LAST_WAIT_MS = 500

export function connectInspector(ask: InspectorClientAsk): InspectorClient {
  return new Connection(ask)
}

class Connection implements InspectorClient {
  readonly #ask: InspectorClientAsk
  #socket: WsSocket | null = null
  #viewer: SocketViewer | null = null
  #retry: NodeJS.Timeout | null = null
  /** Null until it is known. */
  #isThere: boolean | null = null
  #closed = false
  #onKnown: () => void = () => {}

  constructor(ask: InspectorClientAsk) {
    this.#ask = ask
    this.#connect()
  }

  async close(): Promise<void> {
    if (this.#isThere === null) await this.#known()
    this.#closed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    await this.#viewer?.close()
    this.#socket?.terminate()
  }

  #connect(): void {
    const { relay, url, ws, tell } = this.#ask
    const socket = new ws.WebSocket(url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_HEARD_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
    })
    this.#socket = socket
    socket.on('open', () => {
      this.#viewer = attachSocket(relay, socket, (count) =>
        tell(`inspector: ${url} is slow; ${count} messages were left out, and it was told every actor afresh`),
      )
      this.#is(true, `connected to ${url}`)
    })
    socket.on('error', (error) => this.#is(false, `${url} does not answer as an inspector server (${error.code ?? error.message})`))
    socket.on('close', () => this.#lost())
  }

  #lost(): void {
    this.#viewer?.detach()
    this.#viewer = null
    this.#is(false, `${this.#ask.url} is gone`)
    if (!this.#closed) this.#retry = setTimeout(() => this.#connect(), RETRY_MS).unref()
  }

  /** Said once, until it is otherwise. */
  #is(there: boolean, line: string): void {
    const isNews = this.#isThere !== there
    this.#isThere = there
    this.#onKnown()
    if (isNews && !this.#closed) this.#ask.tell(there ? `inspector: ${line}` : `inspector: ${line}; it is tried again while the run goes on`)
  }

  #known(): Promise<void> {
    return new Promise((resolve) => {
      this.#onKnown = resolve
      setTimeout(resolve, LAST_WAIT_MS)
    })
  }
}
