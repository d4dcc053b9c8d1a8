import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { socketPath } from './control-socket.ts'
import { DaemonError } from './daemon-error.ts'

/**
 * The socket by which a running team is looked at and spoken to: one line of JSON in, one out.
 *
 * 1. Nobody but this user can connect: the socket is made with 0600 and stands in a folder of this user (0700).
 * 2. Whatever is sent, the team goes on: a request is bounded in length and time, and so is the number of connections.
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

/** A message may be long; everything else is a few words. */
const MAX_REQUEST_BYTES = 1_200_000
const MAX_CONNECTIONS = 32
/** A request comes at once or not at all. */
const REQUEST_MS = 10_000

export async function startControl(path: string, orders: ControlOrders): Promise<RunningControl> {
  removeStale(path)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    serve(socket, orders)
  })
  server.maxConnections = MAX_CONNECTIONS
  const address = socketPath(path)
  try {
    await listening(server, address.path)
    chmodSync(path, 0o600)
  } catch (error) {
    server.close()
    throw new DaemonError(`${path}: the control socket cannot be made (${(error as NodeJS.ErrnoException).code ?? (error as Error).message})`)
  } finally {
    address.release()
  }
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of open) socket.end()
        // Whoever does not read the end is not waited for.
        setTimeout(() => {
          for (const socket of open) socket.destroy()
        }, 200).unref()
      }),
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

function serve(socket: Socket, orders: ControlOrders): void {
  const parts: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => socket.destroy(), REQUEST_MS).unref()
  socket.on('error', () => socket.destroy())
  socket.on('close', () => clearTimeout(timer))
  socket.on('data', (chunk: Buffer) => {
    const end = chunk.indexOf(0x0a)
    bytes += end < 0 ? chunk.length : end
    if (bytes > MAX_REQUEST_BYTES) return answer(socket, { ok: false, message: `the request has more than ${MAX_REQUEST_BYTES} bytes` }, true)
    parts.push(end < 0 ? chunk : chunk.subarray(0, end))
    if (end < 0) return
    socket.removeAllListeners('data')
    socket.resume()
    clearTimeout(timer)
    const { reply, stays } = obeyed(Buffer.concat(parts).toString('utf8'), orders)
    answer(socket, reply, !stays)
  })
}

type Reply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string; readonly code?: string }

function answer(socket: Socket, reply: Reply, isLast: boolean): void {
  const line = `${JSON.stringify(reply)}\n`
  if (isLast) socket.end(line)
  else socket.write(line)
}

function obeyed(line: string, orders: ControlOrders): { reply: Reply; stays: boolean } {
  let request: Readonly<Record<string, unknown>>
  try {
    const read: unknown = JSON.parse(line)
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
      return orders.say(textOf(request, 'text'))
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
