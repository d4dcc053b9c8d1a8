import type { IncomingMessage } from 'node:http'
import { BadRequest } from './problem.ts'

/**
 * What is read of a client's headers beyond its key.
 *
 * 1. An entry of the client's own protocol is sent what this list has, and nothing else of it: neither credentials nor cookies, nor what
 *    names another address (HDR-03, SSRF-01).
 * 2. What is sent on was checked: words of the form that the header's own protocol gives it.
 */
const SENT_ON: Readonly<Record<string, readonly string[]>> = { 'anthropic-messages': ['anthropic-beta'] }

const MOST_WORDS = 32
const WORD = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/

/** The headers that an entry of protocol `api` is sent. Throws BadRequest. */
export function headersSentOn(api: string, headers: IncomingMessage['headers']): Readonly<Record<string, string>> {
  const sent: Record<string, string> = {}
  for (const name of SENT_ON[api] ?? []) {
    const value = headers[name]
    if (typeof value !== 'string') continue
    const words = value
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '')
    if (words.length > MOST_WORDS || !words.every((word) => WORD.test(word))) {
      throw new BadRequest(`${name}: must be a list of names, parted by commas`, name)
    }
    if (words.length > 0) sent[name] = words.join(',')
  }
  return sent
}

export const TIMEOUT_HEADER = 'x-relevo-timeout-ms'

/** More than a day is no patience but a mistake; and timers go no further than 24 days. */
const LONGEST_MS = 86_400_000

/**
 * How long the whole call may take, in ms; 0: as long as it takes. `x-stainless-timeout`, which SDKs send, is none of this: it is how long a
 * client waits for the head of an answer, and when that is over it leaves, which ends the turn anyway. Throws BadRequest.
 */
export function timeoutOf(headers: IncomingMessage['headers']): number {
  const written = headers[TIMEOUT_HEADER]
  if (written === undefined) return 0
  const ms = typeof written === 'string' && /^[0-9]{1,9}$/.test(written) ? Number(written) : 0
  if (ms >= 1 && ms <= LONGEST_MS) return ms
  throw new BadRequest(`${TIMEOUT_HEADER}: must be a whole number of ms, from 1 to ${LONGEST_MS}`, TIMEOUT_HEADER)
}
