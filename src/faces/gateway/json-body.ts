import type { IncomingMessage } from 'node:http'
import { BadRequest } from './problem.ts'

/** Bytes that the body of a request may have (GW-04). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024

/** Lists and objects within one another; more could end the stack of whoever walks or writes them. */
export const MAX_BODY_DEPTH = 200

/**
 * Values in a body, of lists, objects and fields together. A conversation that fills a body has some 50,000; one of millions, each of two bytes,
 * takes seconds to read, in which nobody is answered.
 */
export const MAX_BODY_VALUES = 250_000

/**
 * Room for the bodies of all requests at once. What a body takes of it is counted as it comes, and not as it is announced: whoever announces
 * much and sends little would keep others out.
 */
export class BodyRoom {
  #left: number

  constructor(bytes: number) {
    this.#left = bytes
  }

  /** Room for one body, until `end` is called. */
  lease(): BodyLease {
    let taken = 0
    return {
      take: (bytes) => {
        if (bytes > this.#left) return false
        this.#left -= bytes
        taken += bytes
        return true
      },
      end: () => {
        this.#left += taken
        taken = 0
      },
    }
  }
}

export interface BodyLease {
  /** False where there is no room left. */
  take(bytes: number): boolean
  end(): void
}

/**
 * The JSON object that a client sent. Rejects with BadRequest: too large, no room now, encoded, no JSON, no object, nested too deep, of too many
 * values, a field `__proto__`. Of a field that stands twice the last one counts, here as for the entry that is passed the body: what is sent on
 * is written anew.
 */
export async function readBody(request: IncomingMessage, lease: BodyLease): Promise<Readonly<Record<string, unknown>>> {
  checkHead(request)
  const chunks: Buffer[] = []
  let bytes = 0
  await new Promise<void>((resolve, reject) => {
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      const isFit = bytes <= MAX_BODY_BYTES
      if (isFit && lease.take(chunk.length)) return void chunks.push(chunk)
      request.removeAllListeners('data')
      request.pause()
      reject(isFit ? noRoom() : tooLarge(MOST_BYTES))
    })
    const gone = (): void => reject(new ClientGone())
    request.once('end', resolve)
    // Of a request that is being read there is no other error than that its connection ended.
    request.once('error', gone)
    request.once('close', () => {
      if (!request.complete) gone()
    })
  })
  const [only] = chunks
  return objectIn(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
}

/** The connection ended before the request did: there is nobody to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/** What the head alone says of the body. Throws BadRequest. */
export function checkHead({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge(MOST_BYTES)
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() === 'identity') return
  throw new BadRequest(`content-encoding: ${word(encoding)} is not read here; send the JSON as it is`, null, {
    status: 415,
    code: 'unsupported_encoding',
  })
}

/** Whether a request brings a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  const { depth, values } = shapeOf(bytes)
  if (depth > MAX_BODY_DEPTH) throw new BadRequest(`the body nests deeper than ${MAX_BODY_DEPTH}`, null)
  if (values > MAX_BODY_VALUES) throw tooLarge(`${MAX_BODY_VALUES} values`)
  const text = bytes.toString('utf8')
  let value: unknown
  try {
    value = MAY_NAME_A_PROTOTYPE.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
  } catch (error) {
    if (error instanceof BadRequest) throw error
    throw new BadRequest('the body is no JSON', null)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadRequest('the body is no JSON object', null)
  return value as Record<string, unknown>
}

/** Its letters may be written by their numbers, too. */
const MAY_NAME_A_PROTOTYPE = /__proto__|\\u00/

function withoutPrototype(key: string, value: unknown): unknown {
  if (key !== '__proto__') return value
  throw new BadRequest('__proto__: no field may have this name', '__proto__')
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c

/** How deep the brackets nest that stand in no string, and how many values there are at most: each begins with a bracket or behind a comma, but one. */
function shapeOf(bytes: Buffer): { readonly depth: number; readonly values: number } {
  let depth = 0
  let deepest = 0
  let values = 1
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number
    if (isText) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) isText = false
    } else if (byte === QUOTE) isText = true
    else if (byte === COMMA) values++
    // `[` and `{`, `]` and `}`: each pair differs in one bit.
    else if ((byte | 0x20) === 0x7b) {
      deepest = Math.max(deepest, ++depth)
      values++
    } else if ((byte | 0x20) === 0x7d) depth--
  }
  return { depth: deepest, values }
}

const MOST_BYTES = `${MAX_BODY_BYTES / 2 ** 20} MiB`

function tooLarge(most: string): BadRequest {
  return new BadRequest(`the body has more than ${most}`, null, { status: 413, kind: 'too_large', code: 'request_too_large' })
}

function noRoom(): BadRequest {
  const message = 'The gateway reads as many requests as it has room for; ask again in a moment.'
  return new BadRequest(message, null, { status: 503, kind: 'overloaded', code: 'no_room', retryAfterS: 1 })
}

/** What a client wrote, when it is a plain word. */
function word(text: string): string {
  return /^[\w-]{1,32}$/.test(text) ? text : 'this'
}
