import { connect, type Socket } from 'node:net'

/** A client that says bytes as they are given, for what no real client would say. */
export interface Spoken {
  readonly socket: Socket
  /** Everything that came so far. */
  text(): string
  /** Resolves once what came holds it; rejects when the connection ends before. */
  until(part: string): Promise<string>
  /** Resolves with everything that came, once the connection has ended in whatever way. */
  readonly ended: Promise<string>
}

export function spoken(port: number, says: string | Uint8Array = ''): Spoken {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  const waiting: { part: string; resolve: (text: string) => void; reject: (error: Error) => void }[] = []
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => {
    heard += chunk
    for (const one of waiting) if (heard.includes(one.part)) one.resolve(heard)
  })
  socket.on('error', () => {})
  const ended = new Promise<string>((resolve) =>
    socket.once('close', () => {
      for (const { part, reject } of waiting) reject(new Error(`the connection ended before "${part}": ${heard}`))
      resolve(heard)
    }),
  )
  if (says.length > 0) socket.write(says)
  return {
    socket,
    text: () => heard,
    until: (part) => (heard.includes(part) ? Promise.resolve(heard) : new Promise((resolve, reject) => void waiting.push({ part, resolve, reject }))),
    ended,
  }
}

/** A head in the words of HTTP. */
export function head(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** A chat completion in the words of HTTP. */
export function chat(port: number, body: object = {}, headers: Readonly<Record<string, string>> = {}): string {
  const json = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...body })
  const own = { host: `127.0.0.1:${port}`, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(json)), ...headers }
  return head('/v1/chat/completions', own, 'POST') + json
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}
