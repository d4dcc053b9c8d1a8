import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type SocketPath, socketPath } from './control-socket.ts'
import { DaemonError } from './daemon-error.ts'

/**
 * The socket by which a running team is looked at and spoken to: one line of JSON in, one out.
 *
 * 1. Nobody but this user can connect: the socket is made with 0600 and stands in a folder of this user (0700).
 * 2. Whatever is sent, the team goes on and answers the next: a request is bounded in length and a connection in time. Where too many are
 *    open, the oldest makes room that does not wait for the end of the team: a connection that asks nothing keeps nobody out.
 * 3. An answer says `ok`, with a value, or a message of one line. After a `stop` the connection stays open until the team is over, so that
 *    whoever asked can wait for that.
 * 4. A socket that a dead process left is replaced; the lock of the run says that it is dead. What is no socket is left alone.
 */
export interface ControlOrders {
  status(): object
  pause(): void
  resume(): void
  stop(options: { readonly immediate: boolean }): void
  say(text: string): { readonly post: number }
  /** False when the participant asked for nothing. */
  approve(participant: string): boolean
}

export interface RunningControl {
  close(): Promise<void>
}

const MAX_TEXT_BYTES = 1_048_576
/** The longest message with each of its characters escaped by another, as JSON does with quotes and line ends. */
const MAX_REQUEST_BYTES = 2 * MAX_TEXT_BYTES + 1024
const MAX_CONNECTIONS = 32
/** A request comes at once or not at all, and its answer is read likewise. */
const CONNECTION_MS = 10_000

export async function startControl(path: string, orders: ControlOrders): Promise<RunningControl> {
  removeStale(path)
  const asking = new Set<Socket>()
  const waiting = new Set<Socket>()
  const server = createServer((socket) => {
    if (asking.size + waiting.size >= MAX_CONNECTIONS) {
      const [oldest = socket] = asking
      oldest.destroy()
      asking.delete(oldest)
      if (oldest === socket) return
    }
    asking.add(socket)
    socket.on('close', () => void (asking.delete(socket) || waiting.delete(socket)))
    serve(socket, orders, () => void (asking.delete(socket) && waiting.add(socket)))
  })
  const address = addressOf(path)
  try {
    await listening(server, address.path)
    chmodSync(path, 0o600)
  } catch (error) {
    server.close()
    address.release()
    throw new DaemonError(`${path}: the control socket cannot be made (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`)
  }
  return {
    close: () =>
      new Promise((resolve) => {
        // Its file goes by the name that it was made by, so the folder of a deep one is held until then.
        server.close(() => {
          address.release()
          resolve()
        })
        const open = [...asking, ...waiting]
        for (const socket of open) socket.end()
        // Whoever does not read the end is not waited for.
        setTimeout(() => {
          for (const socket of open) socket.destroy()
        }, 200).unref()
      }),
  }
}

function addressOf(path: string): SocketPath {
  try {
    return socketPath(path)
  } catch (error) {
    throw new DaemonError((error as Error).message)
  }
}

function removeStale(path: string): void {
  const stands = lstatSync(path, { throwIfNoEntry: false })
  if (stands === undefined) return
  if (!stands.isSocket()) throw new DaemonError(`${path}: something that is no socket stands in the place of the control socket; remove it`)
  unlinkSync(path)
}

/** The mask is that of the process, and binding is done before `listen` returns. */
function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const mask = process.umask(0o177)
    try {
      server.listen(path, () => {
        server.off('error', reject)
        server.on('error', () => {})
        resolve()
      })
    } finally {
      process.umask(mask)
    }
  })
}

function serve(socket: Socket, orders: ControlOrders, wait: () => void): void {
  const parts: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => socket.destroy(), CONNECTION_MS).unref()
  socket.on('error', () => socket.destroy())
  socket.on('close', () => clearTimeout(timer))
  // What comes behind the request is read and dropped: whoever still writes could not read the answer otherwise.
  const finish = (reply: Reply): void => {
    socket.removeAllListeners('data')
    socket.resume()
    socket.end(`${JSON.stringify(reply)}\n`)
  }
  socket.on('data', (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a)
    bytes += end < 0 ? chunk.length : end
    if (bytes > MAX_REQUEST_BYTES) return finish({ ok: false, message: `the request has more than ${MAX_REQUEST_BYTES} bytes` })
    parts.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) return
    const { reply, stays } = obeyed(Buffer.concat(parts), orders)
    if (!stays) return finish(reply)
    clearTimeout(timer)
    wait()
    socket.removeAllListeners('data')
    socket.resume()
    socket.write(`${JSON.stringify(reply)}\n`)
  })
}

type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string; readonly code?: string }

function obeyed(line: Buffer, orders: ControlOrders): { reply: Reply; stays: boolean } {
  let request: Readonly<Record<string, unknown>>
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line))
    if (typeof read !== 'object' || read === null) throw new Error('no object')
    request = read as Record<string, unknown>
  } catch {
    return { reply: { ok: false, message: 'the request is no JSON object on one line' }, stays: false }
  }
  try {
    return { reply: { ok: true, value: performed(request, orders) ?? null }, stays: request['do'] === 'stop' }
  } catch (error) {
    const { message, code } = error as { message?: unknown; code?: unknown }
    return { reply: { ok: false, message: String(message ?? error), ...(typeof code === 'string' ? { code } : {}) }, stays: false }
  }
}

function performed(request: Readonly<Record<string, unknown>>, orders: ControlOrders): unknown {
  switch (request['do']) {
    case 'status':
      return orders.status()
    case 'pause':
      return orders.pause()
    case 'resume':
      return orders.resume()
    case 'stop':
      return orders.stop({ immediate: request['immediate'] === true })
    case 'say':
      return orders.say(messageOf(request))
    case 'approve':
      return { approved: orders.approve(textOf(request, 'participant')) }
    default:
      throw new Error('the request has no `do` that is known: status, pause, resume, stop, say or approve')
  }
}

function textOf(request: Readonly<Record<string, unknown>>, field: string): string {
  const value = request[field]
  if (typeof value !== 'string' || value.trim() === '') throw new Error(`the request has no \`${field}\``)
  return value
}

function messageOf(request: Readonly<Record<string, unknown>>): string {
  const text = textOf(request, 'text')
  if (Buffer.byteLength(text) > MAX_TEXT_BYTES) throw new Error(`the message has more than ${MAX_TEXT_BYTES} bytes; put it into a file and name that`)
  return text
}
