import { afterEach, describe, expect, it } from 'vitest'
import { HTTP_APIS } from '../../../src/engines/http/registry.ts'
import type { Failure } from '../../../src/model/failure.ts'
import { bytes, decodeAll, verdicts } from './kit.ts'
import { attempt, failureOf, httpServer, type Loopback } from './server.ts'

const open: Loopback[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const QUOTA = { error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' } }
const BUSY = { error: { code: 503, message: 'try later', status: 'UNAVAILABLE' } }

const bodies: [string, string, Failure['kind']][] = [
  ['an error in one line', JSON.stringify(QUOTA), 'quota_exhausted'],
  ['the same with a line end', `${JSON.stringify(QUOTA)}\r\n`, 'quota_exhausted'],
  ['an error over several lines', JSON.stringify(QUOTA, null, 2), 'quota_exhausted'],
  ['a list of one error', JSON.stringify([BUSY]), 'server_error'],
  ['such a list over several lines', JSON.stringify([BUSY], null, 1), 'server_error'],
  ['an error behind a byte order mark and white space', `\ufeff\n  ${JSON.stringify(BUSY)}`, 'server_error'],
  ['what xAI sends', '{"code":"Some resource has been exhausted","error":"Too many requests"}', 'rate_limited'],
]

/** Pieces of `size` bytes. */
function pieces(body: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(body.length / size) }, (_, at) => body.subarray(at * size, (at + 1) * size))
}

describe.each(HTTP_APIS)('R17 a body that is one error and no stream is that error, as %s', (api) => {
  it.each(bodies)('%s', (_, body, kind) => {
    for (const size of [1, 3, 40, 10_000]) {
      expect(decodeAll(api, pieces(bytes(body), size))).toEqual([{ type: 'failed', failure: expect.objectContaining({ kind, phase: 'stream' }) }])
    }
  })

  it('cut anywhere it is a failure that says nothing of its words', () => {
    const body = bytes(JSON.stringify([QUOTA], null, 2))
    const seen = verdicts(api, body)
    expect(seen.slice(0, -1).filter((verdict) => verdict !== 'truncated' && verdict !== 'malformed')).toEqual([])
    expect(seen.at(-1)).toBe('error-frame')
    for (let at = 1; at < body.length; at += 1) {
      const events = decodeAll(api, pieces(body.subarray(0, at), 7))
      expect(failureOf(events)?.kind).toBe(seen[at] === 'malformed' ? 'protocol' : 'truncated')
    }
  })

  it('a long text that begins like one is none', () => {
    const body = bytes(`{\n"error": "${'}'.repeat(100_000)}"}`)
    const [only] = decodeAll(api, pieces(body, 1000))
    expect(only).toMatchObject({ type: 'failed', failure: { kind: 'protocol', offset: 0 } })
  })

  it('a JSON text that is no error stays what it was', () => {
    expect(failureOf(decodeAll(api, pieces(bytes('{\n"error": null\n}\n'), 1)))?.kind).toBe('protocol')
    expect(failureOf(decodeAll(api, pieces(bytes('[\n1,\n2,\n3\n]\n'), 1)))?.kind).toBe('protocol')
  })
})

describe('wire.md §12.7: a gateway answers 200 with an error', () => {
  it.each([[{}], [{ 'content-type': 'text/event-stream' }], [{ 'content-type': 'application/json' }]])('under the headers %j', async (headers) => {
    const server = await httpServer((response) => response.writeHead(200, headers).end(JSON.stringify(QUOTA, null, 2)))
    open.push(server)
    expect(failureOf(await attempt(server))).toMatchObject({ kind: 'quota_exhausted', code: 'insufficient_quota' })
  })
})
