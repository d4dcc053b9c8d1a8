import { connect } from 'node:net'
import { createParser } from 'eventsource-parser'
import { Agent, request } from 'undici'
import type { LoopbackScript, ScriptedStream } from '../../../src/engines/loopback/script.ts'
import { type LoopbackOptions, type LoopbackProvider, startLoopbackProvider } from '../../../src/engines/loopback/server.ts'

/** Asking a loopback provider without any engine: plain undici, or a bare socket where the bytes themselves matter. */
const open: { close(): Promise<unknown> }[] = []

/** Closes whatever was opened here, the last first; for `afterEach`. */
export async function closeAll(): Promise<void> {
  for (const one of open.splice(0).reverse()) await one.close()
}

export async function provider(script: LoopbackScript, options: Partial<LoopbackOptions> = {}): Promise<LoopbackProvider> {
  const server = await startLoopbackProvider({ script, ...options })
  open.push(server)
  return server
}

export const CHAT = '/v1/chat/completions'
export const MESSAGES = '/v1/messages'

export interface Asked {
  readonly path?: string
  readonly profile?: string
  readonly model?: string
  readonly stream?: boolean
  readonly headers?: Record<string, string>
}

export function bodyOf(asked: Asked): string {
  return JSON.stringify({ model: asked.model ?? 'm1', messages: [{ role: 'user', content: 'hi' }], ...(asked.stream ? { stream: true } : {}) })
}

export async function ask(server: LoopbackProvider, asked: Asked = {}) {
  const agent = new Agent()
  open.push({ close: () => agent.destroy() })
  const headers = { 'content-type': 'application/json', ...asked.headers }
  return request(`${server.url(asked.profile ?? 'a.x')}${asked.path ?? CHAT}`, { method: 'POST', headers, body: bodyOf(asked), dispatcher: agent })
}

export interface Exchange {
  /** Everything that came, headers included. */
  readonly raw: Buffer
  readonly head: string
  /** Chunks of the body as the chunked framing had them. */
  readonly chunks: Buffer[]
  readonly body: Buffer
  /** The terminating chunk came. */
  readonly whole: boolean
  /** How the connection ended: it was finished, reset, or we left it (`left`) once `enough` said so. */
  readonly by: 'fin' | 'rst' | 'left'
}

/** One request over a bare socket, so that what stands on the wire can be looked at. Leaves the connection when `enough` says so or the message is whole. */
export function exchange(server: LoopbackProvider, asked: Asked = {}, enough: (raw: Buffer) => boolean = () => false): Promise<Exchange> {
  const address = new URL(server.url(asked.profile ?? 'a.x'))
  const body = bodyOf(asked)
  return new Promise((resolve) => {
    const received: Buffer[] = []
    const socket = connect(Number(address.port), '127.0.0.1')
    const done = (by: Exchange['by']): void => {
      socket.destroy()
      resolve(dissect(Buffer.concat(received), by))
    }
    socket.on('data', (bytes) => {
      received.push(bytes)
      const raw = Buffer.concat(received)
      if (raw.subarray(-5).toString() === '0\r\n\r\n' || enough(raw)) done('left')
    })
    socket.on('end', () => done('fin'))
    socket.on('error', () => done('rst'))
    socket.write(
      `POST ${address.pathname}${asked.path ?? CHAT} HTTP/1.1\r\nhost: loopback\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  })
}

export function dissect(raw: Buffer, by: Exchange['by']): Exchange {
  const split = raw.indexOf('\r\n\r\n')
  const head = raw.subarray(0, split < 0 ? raw.length : split).toString()
  const chunks: Buffer[] = []
  let at = split < 0 ? raw.length : split + 4
  let whole = false
  while (at < raw.length) {
    const line = raw.indexOf('\r\n', at)
    if (line < 0) break
    const size = Number.parseInt(raw.subarray(at, line).toString(), 16)
    if (size === 0) whole = true
    if (size === 0) break
    chunks.push(raw.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return { raw, head, chunks, body: Buffer.concat(chunks), whole, by }
}

export function dataOf(sse: string): string[] {
  const data: string[] = []
  const parser = createParser({ onEvent: (event) => void data.push(event.data) })
  parser.feed(sse)
  return data
}

export const hello: ScriptedStream = { events: [{ text: 'Hé' }, { text: 'llo' }, { final: 'stop' }] }
