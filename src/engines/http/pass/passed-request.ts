import { ENGINE_HEADERS } from '../../../model/engine-headers.ts'
import type { AttemptRequest } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import type { PassingProtocol } from '../passing-protocol.ts'
import type { HttpProtocol } from '../protocol.ts'

/**
 * A client's request as one entry is sent it.
 *
 * 1. The walk decides which model is called and whether it streams, however the client spells these fields (R1, R2).
 * 2. No header signs the request but the profile's own, and none says how the connection is kept.
 */

/** How this attempt passes through, or null where it does not. */
export function passingOf({ api, passing }: HttpProtocol, { passThrough, profile }: AttemptRequest): PassingProtocol | null {
  if (passing === undefined || passThrough === undefined || passThrough.api !== api) return null
  return passing.takes(profile, passThrough.body) ? passing : null
}

/** Decided by the walk; folded, since not every server tells `model` from `Model`. */
const DECIDED: ReadonlySet<string> = new Set(['model', 'modelid', 'stream'])

export function passedBody(passing: PassingProtocol, request: AttemptRequest): JsonObject {
  const { passThrough, model, mode } = request
  const own = passThrough?.body ?? {}
  const body: Record<string, unknown> = { model }
  for (const name of Object.keys(own)) if (!isDecided(name)) body[name] = own[name]
  if (mode === 'stream') body['stream'] = true
  return passing.body(body, request)
}

function isDecided(name: string): boolean {
  return DECIDED.has(name) || DECIDED.has(name.toLowerCase().replaceAll('_', ''))
}

/** A key of the client in a header that some protocol has for one, and what says how a body is packed that is written anew. */
const OF_THE_CLIENT: ReadonlySet<string> = new Set(['x-api-key', 'api-key', 'x-goog-api-key', 'content-encoding'])

export function passedHeaders(protocol: HttpProtocol, request: AttemptRequest): Readonly<Record<string, string>> {
  const { headers } = request.passThrough ?? {}
  if (headers === undefined || passingOf(protocol, request) === null) return {}
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return Object.fromEntries(named.filter(([name]) => !ENGINE_HEADERS.has(name) && !OF_THE_CLIENT.has(name)))
}
