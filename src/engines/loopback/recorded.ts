import type { IncomingMessage } from 'node:http'
import type { RequestEnd } from './perform.ts'

/** Facts of one request. */
export interface LoopbackRequest {
  /** Number of the request at this server, from 1. */
  readonly n: number
  readonly method: string
  readonly path: string
  /** Key of the script that served it, or null when none did. */
  readonly entry: string | null
  readonly mode: 'call' | 'stream'
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body; the text itself when it is no JSON. */
  readonly body: unknown
  /** Epoch ms at which its head arrived. */
  readonly startedAt: number
  readonly unscripted: boolean
  /** Bytes of the answer's body handed to the connection so far. */
  readonly bytesSent: number
  /** How it ended; null while it is answered. */
  readonly end: RequestEnd | null
  /** The client went away before the answer was over. */
  readonly abortedByClient: boolean
  /** Resolves when the answer stalls for good or ends: nothing that was scripted is still to come. Never rejects. */
  readonly quiet: Promise<unknown>
  /** Resolves when it ends; never rejects. */
  readonly ended: Promise<RequestEnd>
}

/** A request while it is answered. */
export type MutableRequest = { -readonly [Key in keyof LoopbackRequest]: LoopbackRequest[Key] }

const REQUEST_LIMIT_BYTES = 32 * 2 ** 20

export function credentialOf(request: LoopbackRequest): string {
  const bearer = /^Bearer (.*)$/i.exec(request.headers['authorization'] ?? '')?.[1]
  return request.headers['x-api-key'] ?? request.headers['x-goog-api-key'] ?? bearer ?? ''
}

export function plainHeaders(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]))
}

export function fieldOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The whole body, or null when it broke off or is larger than any request of a test can be. */
export async function readBody(incoming: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of incoming) {
      size += (chunk as Buffer).length
      if (size > REQUEST_LIMIT_BYTES) return null
      chunks.push(chunk as Buffer)
    }
  } catch {
    return null
  }
  return Buffer.concat(chunks).toString('utf8')
}
