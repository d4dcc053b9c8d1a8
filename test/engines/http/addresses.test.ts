import type { LookupAddress } from 'node:dns'
import { type LookupFunction, Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { checkedLookup, type Resolve } from '../../../src/engines/http/checked-lookup.ts'
import { engineOver } from '../../../src/engines/http/engine.ts'
import { fetchTransport } from '../../../src/engines/http/fetch-transport.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import type { Transport } from '../../../src/engines/http/transport.ts'
import { undiciTransport } from '../../../src/engines/http/undici-transport.ts'
import type { EndpointPolicy } from '../../../src/model/address.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf } from './request.ts'
import { failureOf, httpServer, type Loopback, run, SSE } from './server.ts'

/** A resolver that gives one list of addresses after the other, the last one for ever, and counts who asked. */
function resolver(...answers: readonly (readonly string[])[]): { resolve: Resolve; asked: string[] } {
  const asked: string[] = []
  const resolve: Resolve = (name, _options, callback) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(name)
    const addresses = answer.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }))
    setImmediate(callback, null, addresses)
  }
  return { resolve, asked }
}

/**
 * A network of which every public address is the given server: a connection begins with the lookup of its host, is noted with the address
 * that came of it, and goes on to this machine.
 */
function publicNetwork(port: number): { connected: string[]; restore: () => void } {
  const connected: string[] = []
  const original = Socket.prototype.connect
  const connect = function (this: Socket, ...[normalised]: unknown[]): Socket {
    const [{ host, lookup }] = normalised as [{ host: string; lookup: LookupFunction }]
    lookup(host, { all: true }, (error, found) => {
      if (error !== null) return void this.destroy(error)
      connected.push(...(found as LookupAddress[]).map(({ address }) => address))
      Reflect.apply(original, this, [{ port, host: '127.0.0.1' }])
    })
    return this
  }
  Socket.prototype.connect = connect as typeof original
  return {
    connected,
    restore: () => {
      Socket.prototype.connect = original
    },
  }
}

const ANSWER = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const one of cleanUp.splice(0)) await one()
})

async function provider(): Promise<Loopback & { readonly port: number }> {
  const server = await httpServer((response) => response.writeHead(200, SSE).end(ANSWER))
  cleanUp.push(() => server.close())
  return { ...server, port: Number(new URL(server.endpoint).port) }
}

/** One attempt by name, or by whatever stands in its place. */
async function call(transport: Transport, endpoint: string, endpointPolicy: EndpointPolicy) {
  const profile = profileOf({ endpoint, endpointPolicy })
  const { events, done } = run(engineOver(openaiChat, transport), requestOf({ profile, secret: new Secret('sk-CANARY-0123456789') }))
  await done
  return events
}

function transportOver(resolve: Resolve): Transport {
  const transport = undiciTransport(undefined, resolve)
  cleanUp.push(() => transport.close())
  return transport
}

describe('SSRF-02 what a name resolves to is looked at again', () => {
  const refused = { kind: 'invalid_request', code: 'ERR_RELEVO_ADDRESS', phase: 'connect' }

  it.each(['169.254.169.254', 'fe80::1%eth0', 'fd00:ec2::254', '::ffff:169.254.169.254', '100.100.100.200'])(
    '%s is refused at the connect under either policy',
    async (address) => {
      const { port, connections } = await provider()
      for (const policy of ['local-allowed', 'public-only'] as const) {
        expect(failureOf(await call(transportOver(resolver([address]).resolve), `http://metadata.example:${port}/v1`, policy))).toMatchObject(refused)
      }
      expect(connections()).toBe(0)
    },
  )

  it.each(['127.0.0.1', '::1', '10.0.0.7', '100.64.0.9', 'fd12::1', '0.0.0.0', '::'])(
    '%s is refused at the connect where endpoints are public-only',
    async (address) => {
      const { port, connections } = await provider()
      expect(failureOf(await call(transportOver(resolver([address]).resolve), `http://inside.example:${port}/v1`, 'public-only'))).toMatchObject(
        refused,
      )
      expect(connections()).toBe(0)
    },
  )

  it.each(['http://169.254.169.254', 'http://[fe80::1]', 'http://[fd00:ec2::254]'])(
    '%s, which no resolver sees, is not connected to',
    async (endpoint) => {
      const { resolve, asked } = resolver(['127.0.0.1'])
      expect(failureOf(await call(transportOver(resolve), endpoint, 'local-allowed'))).toMatchObject(refused)
      const fetch = async () => expect.fail('a request was sent')
      expect(failureOf(await call(fetchTransport(fetch), endpoint, 'local-allowed'))).toMatchObject(refused)
      expect(asked).toEqual([])
    },
  )

  it.each(['127.0.0.1', '[::ffff:127.0.0.1]', 'localhost', 'localhost.'])('%s is not connected to where endpoints are public-only', async (host) => {
    const { port, connections } = await provider()
    const { resolve, asked } = resolver(['127.0.0.1'])
    expect(failureOf(await call(transportOver(resolve), `http://${host}:${port}/v1`, 'public-only'))).toMatchObject(refused)
    expect([connections(), asked]).toEqual([0, []])
  })

  it('a name of this machine is called where local ones are allowed, at the addresses that are', async () => {
    const { port, requests } = await provider()
    const { resolve } = resolver(['169.254.7.7', 'fe80::7', '127.0.0.1'])
    expect((await call(transportOver(resolve), `http://box.example:${port}/v1`, 'local-allowed')).at(-1)).toMatchObject({ type: 'final' })
    expect(requests).toHaveLength(1)
  })

  it('a connection of one policy never serves another', async () => {
    const { port, connections } = await provider()
    const transport = transportOver(resolver(['127.0.0.1']).resolve)
    const endpoint = `http://box.example:${port}/v1`
    expect((await call(transport, endpoint, 'local-allowed')).at(-1)).toMatchObject({ type: 'final' })
    expect(failureOf(await call(transport, endpoint, 'public-only'))).toMatchObject(refused)
    expect((await call(transport, endpoint, 'local-allowed')).at(-1)).toMatchObject({ type: 'final' })
    expect(connections()).toBe(1)
  })

  it('what is told of it holds neither the address nor the key', async () => {
    const told = JSON.stringify(await call(transportOver(resolver(['169.254.169.254']).resolve), 'http://metadata.example/v1', 'local-allowed'))
    expect(told).not.toMatch(/169\.254|metadata\.example|CANARY/)
  })
})

describe('SSRF-03 an answer of the resolver that changes between the check and the connect', () => {
  it('changes nothing: a name is resolved once for a connection, and the address that was checked is the one connected to', async () => {
    const { port, requests } = await provider()
    const network = publicNetwork(port)
    cleanUp.push(network.restore)
    const { resolve, asked } = resolver(['93.184.216.34'], ['127.0.0.1'])
    const transport = transportOver(resolve)
    const endpoint = `http://rebound.example:${port}/v1`
    expect((await call(transport, endpoint, 'public-only')).at(-1)).toMatchObject({ type: 'final' })
    expect([asked, network.connected]).toEqual([['rebound.example'], ['93.184.216.34']])

    await transport.close()
    const next = transportOver(resolve)
    expect(failureOf(await call(next, endpoint, 'public-only'))).toMatchObject({ code: 'ERR_RELEVO_ADDRESS' })
    expect(network.connected).toEqual(['93.184.216.34'])
    expect(requests).toHaveLength(1)
  })

  it('also where the system asks for one address alone', async () => {
    const { resolve } = resolver(['127.0.0.1', '93.184.216.34'])
    const lookup = checkedLookup('public-only', resolve)
    const found = await new Promise((settle) => lookup('rebound.example', {}, (_error, address, family) => settle([address, family])))
    expect(found).toEqual(['93.184.216.34', 4])
  })

  it('a name that does not resolve is out of reach, as ever', async () => {
    const notFound: Resolve = (_name, _options, callback) => setImmediate(callback, Object.assign(new Error('no'), { code: 'ENOTFOUND' }), [])
    expect(failureOf(await call(transportOver(notFound), 'http://nowhere.example/v1', 'public-only'))).toMatchObject({
      kind: 'network',
      code: 'ENOTFOUND',
    })
  })
})
