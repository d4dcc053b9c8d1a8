import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import type { Duplex } from 'node:stream'

/** What is used of the package `ws`, whose own declarations are a package apart. */
export interface WsPackage {
  readonly WebSocket: new (url: string, options: object) => WsSocket
  readonly WebSocketServer: new (options: object) => WsServer
}

export interface WsServer {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, done: (socket: WsSocket) => void): void
}

export interface WsSocket {
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
  readonly readyState: number
  /** `sent` is called when the text is out, or with an error when it never will be. */
  send(text: string, sent: (error?: Error) => void): void
  close(code: number, reason: string): void
  terminate(): void
  on(event: 'open' | 'close', listener: () => void): this
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): this
}

/** A `readyState`. */
export const OPEN = 1

/** Null where it is not installed; whoever inspects nothing needs it not. `from` is a file to look for it from, this module by default. */
export function installedWs(from: string | URL = import.meta.url): WsPackage | null {
  try {
    return createRequire(from)('ws') as WsPackage
  } catch {
    return null
  }
}
