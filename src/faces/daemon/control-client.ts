import { connect, type Socket } from 'node:net'
import { socketPath } from './control-socket.ts'

/** An order to a running team, as it goes over its socket. */
export type ControlRequest =
  | { readonly do: 'status' | 'pause' | 'resume' }
  | { readonly do: 'stop'; readonly immediate: boolean }
  | { readonly do: 'say'; readonly text: string }
  | { readonly do: 'approve'; readonly participant: string }

export interface ControlAnswer {
  readonly value: unknown
  /** Resolves when the team has closed the connection: after a `stop`, when it is over. */
  readonly closed: Promise<void>
  /** Waits no longer. */
  leave(): void
}

/** No daemon answered, or the one that did refused. The message is one line without a path. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code: 'no_daemon' | 'not_permitted' | 'no_answer' | 'refused'

  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** A daemon answers between two steps of its own. */
const ANSWER_MS = 15_000
/** The status of the largest team is far below. */
const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024

/** Sends one order; rejects with ControlError. */
export function order(path: string, request: ControlRequest): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    let address: ReturnType<typeof socketPath>
    try {
      address = socketPath(path)
    } catch (error) {
      return reject(unreachable(error as NodeJS.ErrnoException))
    }
    const socket = connect(address.path)
    const closed = new Promise<void>((over) => socket.on('close', () => over()))
    const fail = (error: ControlError): void => {
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new ControlError('no_answer', `the daemon did not answer within ${ANSWER_MS / 1000} s`)), ANSWER_MS)
    void closed.then(() => {
      clearTimeout(timer)
      address.release()
      reject(new ControlError('no_answer', 'the daemon closed the connection without an answer'))
    })
    socket.on('error', (error: NodeJS.ErrnoException) => fail(unreachable(error)))
    socket.on('connect', () => socket.write(`${JSON.stringify(request)}\n`))
    onLine(socket, (line) => {
      clearTimeout(timer)
      const answer = answerOf(line)
      if (answer instanceof ControlError) fail(answer)
      else resolve({ ...answer, closed, leave: () => socket.destroy() })
    })
  })
}

function onLine(socket: Socket, take: (line: string) => void): void {
  let text = ''
  socket.setEncoding('utf8')
  const onData = (chunk: string): void => {
    text += chunk
    const end = text.indexOf('\n')
    if (end < 0 && text.length <= MAX_ANSWER_CHARACTERS) return
    socket.off('data', onData)
    socket.resume()
    take(end < 0 ? '' : text.slice(0, end))
  }
  socket.on('data', onData)
}

function answerOf(line: string): { readonly value: unknown } | ControlError {
  try {
    const read = JSON.parse(line) as { ok?: unknown; value?: unknown; message?: unknown }
    return read.ok === true ? { value: read.value } : new ControlError('refused', String(read.message))
  } catch {
    return new ControlError('no_answer', 'what answered speaks no language of relevo')
  }
}

function unreachable({ code, message }: NodeJS.ErrnoException): ControlError {
  if (code === 'EACCES' || code === 'EPERM') return new ControlError('not_permitted', 'the daemon belongs to somebody else')
  if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTSOCK' || code === 'ENOTDIR')
    return new ControlError('no_daemon', 'no daemon runs here')
  return new ControlError('no_answer', `the daemon cannot be reached (${code ?? message})`)
}
