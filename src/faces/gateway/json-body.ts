import type { IncomingMessage } from 'node:http'
import { BadRequest } from './problem.ts'

/** Bytes that the body of a request may have (GW-04). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024

/**
 * The JSON object that a client sent. Rejects with BadRequest: too large, no JSON, no object. Of a field that stands twice the last one
 * counts, here as for the entry that is passed the body: what is sent on is written anew.
 */
export async function readBody(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const announced = Number(request.headers['content-length'] ?? 0)
  if (announced > MAX_BODY_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BODY_BYTES) throw tooLarge()
    chunks.push(chunk)
  }
  const [only] = chunks
  return objectIn(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
}

function objectIn(bytes: Buffer): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new BadRequest('the body is no JSON', null)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadRequest('the body is no JSON object', null)
  return value as Record<string, unknown>
}

function tooLarge(): BadRequest {
  const message = `the body has more than ${MAX_BODY_BYTES / 2 ** 20} MiB`
  return new BadRequest(message, null, { status: 413, kind: 'too_large', code: 'request_too_large' })
}
