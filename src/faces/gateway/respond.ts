import type { IncomingMessage, ServerResponse } from 'node:http'
import { hasBody } from './json-body.ts'

/** How an answer is written that is no turn's. */

/** Of every answer that is whole. */
export const WHOLE_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** Of a body that nobody wants is read on so much, and so long, that its client gets to see why. */
const UNWANTED_BYTES = 256 * 1024 * 1024
const UNWANTED_MS = 5_000

/**
 * Answers with a whole body. Where that of the request was not read the connection ends with the answer, but not at once: a client that is
 * still sending would be told of a broken connection, and not of what is wrong.
 */
export function respond(request: IncomingMessage, response: ServerResponse, status: number, body: string, headers: Record<string, string>): void {
  if (response.headersSent || response.destroyed) return
  const isUnread = hasBody(request) && !request.complete
  response.writeHead(status, {
    ...WHOLE_HEADERS,
    'content-length': Buffer.byteLength(body),
    ...headers,
    ...(isUnread ? { connection: 'close' } : {}),
  })
  if (!isUnread) return void response.end(body)
  response.write(body)
  dropRest(request, () => response.end())
}

function dropRest(request: IncomingMessage, done: () => void): void {
  let left = UNWANTED_BYTES
  const timer = setTimeout(finish, UNWANTED_MS)
  function finish(): void {
    clearTimeout(timer)
    request.removeListener('data', count)
    done()
  }
  function count(chunk: Buffer): void {
    left -= chunk.length
    if (left < 0) finish()
  }
  request.on('data', count)
  request.once('end', finish)
  request.once('error', finish)
  request.once('close', finish)
  request.resume()
}
