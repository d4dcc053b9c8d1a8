import type { InspectionRelay } from '../../host.ts'
import { OPEN, type WsSocket } from './ws-package.ts'

/** Bytes that may wait for a viewer; beyond them it is left out until they are sent. */
export const MAX_WAITING_BYTES = 1024 * 1024

export interface SocketViewer {
  /** Waits a moment for what is still to be sent, then says goodbye. */
  close(): Promise<void>
  detach(): void
}

/** Lets an open socket look on. `onMissed` is told how many messages it missed, when it has every actor again. */
export function attachSocket(relay: InspectionRelay, socket: WsSocket, onMissed: (count: number) => void): SocketViewer {
  const take = (message: object): boolean => {
    socket.send(JSON.stringify(message), sent)
    return socket.bufferedAmount < MAX_WAITING_BYTES
  }
  const sent = (): void => {
    if (socket.readyState === OPEN && socket.bufferedAmount === 0) view.resume()
  }
  const view = relay.attach({ take, missed: onMissed })
  return {
    detach: () => view.detach(),
    async close() {
      view.detach()
      await flushed(socket)
      socket.close(1001, 'the process ends')
      // A peer that does not answer a goodbye would keep the process.
      setTimeout(() => socket.terminate(), GOODBYE_MS).unref()
    },
  }
}

const GOODBYE_MS = 250
const FLUSH_MS = 1000
const FLUSH_LOOK_MS = 10

/** Resolves when nothing waits to be sent, or nobody reads it. */
async function flushed(socket: WsSocket): Promise<void> {
  const until = Date.now() + FLUSH_MS
  while (socket.readyState === OPEN && socket.bufferedAmount > 0 && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, FLUSH_LOOK_MS))
  }
}
