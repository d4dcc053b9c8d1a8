import { once } from 'node:events'
import { type AddressInfo, Server, type Socket } from 'node:net'
import { createWebSocketReceiver, type StatelyInspectionEvent } from '@statelyai/inspect'
import { createInspectorServer } from '@statelyai/inspect/server'
import { onTestFinished, vi } from 'vitest'

export interface RealServer {
  readonly port: number
  readonly url: string
  /** Those of its clients that are there. */
  sockets(): readonly Socket[]
}

/**
 * The server of `@statelyai/inspect`, which is told where it listens: by itself it takes every interface and says nowhere which port it has. It
 * opens no browser here.
 */
export async function realServer(): Promise<RealServer> {
  const listen = Server.prototype.listen
  const servers: Server[] = []
  const spy = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...[at, ready]: unknown[]) {
    servers.push(this)
    return Reflect.apply(listen, this, [at, '127.0.0.1', ready])
  } as never)
  const { stop } = createInspectorServer({ port: 0, autoOpen: false, url: 'about:blank' })
  spy.mockRestore()
  const [server] = servers
  if (server === undefined) throw new Error('the server does not listen')
  if (!server.listening) await once(server, 'listening')
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  onTestFinished(() => {
    stop()
    for (const socket of sockets) socket.destroy()
  })
  const taken = (server.address() as AddressInfo).port
  return { port: taken, url: `ws://127.0.0.1:${taken}`, sockets: () => [...sockets] }
}

export interface Receiver {
  readonly seen: StatelyInspectionEvent[]
  /** Resolves when a message is there that passes. */
  until(passes: (message: StatelyInspectionEvent) => boolean): Promise<StatelyInspectionEvent>
}

/** A viewer as the package makes one. It is never closed by the package, and ends with its server. */
export function receiver(url: string): Receiver {
  const seen: StatelyInspectionEvent[] = []
  const waiting = new Set<() => void>()
  createWebSocketReceiver({ server: url }).subscribe((message) => {
    seen.push(message)
    for (const look of [...waiting]) look()
  })
  return {
    seen,
    until: (passes) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = seen.find(passes)
          if (found === undefined) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
  }
}

/** Whether it says that the turn of this name was served. */
export function isServed(seen: readonly StatelyInspectionEvent[], name: string): (message: StatelyInspectionEvent) => boolean {
  return (message) => {
    if (message.type === '@xstate.event') return false
    const actor = seen.find((each) => each.type === '@xstate.actor' && each.name === name)
    return message.sessionId === actor?.sessionId && (message.snapshot as { value?: unknown } | undefined)?.value === 'served'
  }
}
