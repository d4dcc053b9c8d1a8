import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Door } from '../../src/faces/gateway/door.ts'
import { startGateway } from '../../src/faces/gateway/gateway.ts'
import { ConfigError, checkConfig, createKernel, type KernelConfig } from '../../src/index.ts'
import { type Rig, startRig } from '../faces/gateway/rig.ts'
import { chat, head, spoken, statusOf } from '../faces/gateway/wire.ts'

/** What was compared in constant time, in this order. */
const compared = vi.hoisted((): [string, string][] => [])
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>()
  const timingSafeEqual = (one: Buffer, other: Buffer): boolean => {
    compared.push([one.toString('hex'), other.toString('hex')])
    return real.timingSafeEqual(one, other)
  }
  return { ...real, timingSafeEqual }
})

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const KEYS = [
  { id: 'ana', key: 'k-ana-0123456789' },
  { id: 'ben', key: 'k-ben-0123456789' },
]
const CONFIG: KernelConfig = {
  primary: 'openai.main',
  profiles: { 'openai.main': { model: 'm1', apiKey: 'k-dummy', endpoint: 'http://127.0.0.1:9/v1' } },
}
const OK = { call: [{ ok: 'hello' }], stream: [] }
const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const

async function rig(over: Partial<Parameters<typeof startRig>[0]> = {}): Promise<Rig> {
  const made = await startRig({ profiles: [MAIN], script: { 'openai.main/m1': OK }, ...over })
  rigs.push(made)
  return made
}

/** The whole answer to bytes that end with `connection: close`. */
async function answered(port: number, says: string): Promise<string> {
  return spoken(port, says).ended
}

describe('WEB-01 a request that is not meant for this gateway is refused before any work', () => {
  const evil: readonly [string, Record<string, string> | ((port: number) => Record<string, string>)][] = [
    ['Host: evil.example', { host: 'evil.example' }],
    ['Host: evil.example with our port', (port) => ({ host: `evil.example:${port}` })],
    ['Host: localhost.evil.example', (port) => ({ host: `localhost.evil.example:${port}` })],
    ['our address, another port', { host: '127.0.0.1:1' }],
    ['our address without a port', { host: '127.0.0.1' }],
    ['an empty Host', { host: '' }],
    ['no Host', {}],
    ['our Host, Origin: https://evil.example', (port) => ({ host: `127.0.0.1:${port}`, origin: 'https://evil.example' })],
    ['our Host, Origin: null', (port) => ({ host: `127.0.0.1:${port}`, origin: 'null' })],
    ['our Host, our name and another port as Origin', (port) => ({ host: `127.0.0.1:${port}`, origin: 'http://127.0.0.1:1' })],
    ['our Host as a proxy forwards it', (port) => ({ host: 'evil.example', 'x-forwarded-host': `127.0.0.1:${port}` })],
    ['a WebSocket upgrade', { host: 'evil.example', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'a' }],
  ]

  test.each(evil)('%s: 403', async (_what, headers) => {
    let besides = 0
    const { gateway, kernel, provider } = await rig({ gateway: { beside: () => ++besides > 0 } })
    const own = typeof headers === 'function' ? headers(gateway.port) : headers
    const connection = 'upgrade' in own ? 'upgrade' : 'close'
    for (const path of ['/', '/healthz', '/v1/models', '/metrics', '/nothing']) {
      const one = spoken(gateway.port, head(path, { ...own, connection }))
      expect(statusOf(await one.until('}')), path).toBe(403)
      one.socket.destroy()
    }
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] })
    const post = head('/v1/chat/completions', { ...own, connection, 'content-length': String(body.length) }, 'POST') + body
    const one = spoken(gateway.port, post)
    expect(statusOf(await one.until('}'))).toBe(403)
    one.socket.destroy()
    expect([besides, provider.requests.length, kernel.ledger.rows().length]).toEqual([0, 0, 0])
  })

  test.each([['127.0.0.1'], ['localhost'], ['LOCALHOST'], ['[::1]']])('%s with our port is served, with our own origin too', async (name) => {
    const { gateway } = await rig()
    const host = `${name}:${gateway.port}`
    expect(statusOf(await answered(gateway.port, head('/v1/models', { host, connection: 'close' })))).toBe(200)
    expect(statusOf(await answered(gateway.port, head('/v1/models', { host, origin: `http://${host}`, connection: 'close' })))).toBe(200)
  })

  test('two Host headers are one too many', async () => {
    const { gateway } = await rig()
    const host = `127.0.0.1:${gateway.port}`
    const twice = `GET /healthz HTTP/1.1\r\nhost: ${host}\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
    expect([400, 403]).toContain(statusOf(await answered(gateway.port, twice)))
  })
})

/** Local addresses, in the words of Linux, that listen on a port. */
function listenersOn(port: number): string[] {
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => readFileSync(table, 'utf8').split('\n').slice(1))
  const sockets = lines.map((line) => line.trim().split(/\s+/)).filter(([, , , state]) => state === '0A')
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  return sockets.flatMap(([, local]) => (local?.endsWith(`:${hex}`) === true ? [local.slice(0, -5)] : []))
}

describe('WEB-02, GW-02 nobody but this machine comes in without a key', () => {
  const written = (gateway: KernelConfig['gateway']): KernelConfig => ({ ...CONFIG, gateway: { port: 0, ...gateway } })
  const started = async (gateway: KernelConfig['gateway']) => {
    const config = written(gateway)
    const { settings } = checkConfig(config, { secrets: { env: () => undefined, file: () => undefined } })
    if (settings === null) throw new Error('the settings are wrong')
    const kernel = createKernel(config)
    return startGateway({ kernel, settings: settings.gateway }).finally(() => kernel.stop())
  }

  test('by default it listens on 127.0.0.1 alone, and says that it asks for no key', async () => {
    const running = await started({})
    expect(running.address).toBe(`http://127.0.0.1:${running.port}`)
    expect(running.warnings).toEqual([expect.stringMatching(/^gateway\.keys: there are none.+Set keys/)])
    if (process.platform === 'linux') expect(listenersOn(running.port)).toEqual(['0100007F'])
    await running.close(0)
  })

  test.each(['0.0.0.0', '::', '[::]', '::ffff:0.0.0.0', '192.0.2.7', 'relevo.example'])('%s without keys: it does not start', async (host) => {
    const refused = await started({ host }).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ConfigError)
    expect((refused as ConfigError).message).toMatch(/^gateway\.keys: .+127\.0\.0\.1\.$/)
    expect((refused as ConfigError).message).not.toContain('\n')
  })

  test('a key that cannot be read is none', async () => {
    await expect(started({ host: '0.0.0.0', keys: [{ env: 'RELEVO_TEST_ABSENT' }] })).rejects.toThrow('no key that can be read')
  })

  test('with a key that can be read other addresses are listened on', async () => {
    const running = await started({ host: '0.0.0.0', keys: ['k-0123456789'] })
    expect(running.warnings).toEqual([])
    // By which names a machine is known nobody can say: there the key decides.
    const asked = head('/v1/models', { host: 'gateway.example', connection: 'close' })
    expect(statusOf(await answered(running.port, asked))).toBe(401)
    await running.close(0)
  })

  test('keys of which none can be read let nobody in, on loopback too, and it is said', async () => {
    const running = await started({ keys: [{ env: 'RELEVO_TEST_ABSENT' }] })
    expect(running.warnings).toEqual([expect.stringContaining('nobody is let in')])
    for (const authorization of ['Bearer ', 'Bearer null', 'Bearer undefined', 'Bearer [redacted]']) {
      const asked = head('/v1/models', { host: `127.0.0.1:${running.port}`, authorization, connection: 'close' })
      expect(statusOf(await answered(running.port, asked))).toBe(401)
    }
    await running.close(0)
  })
})

describe('GW-01 a key that is missing, wrong, empty or nearly right', () => {
  const right = 'k-ana-0123456789'
  const wrong: readonly [string, string][] = [
    ['none', ''],
    ['Bearer', 'authorization: Bearer\r\n'],
    ['Bearer and a blank', 'authorization: Bearer \r\n'],
    ['wrong', 'authorization: Bearer k-eve-0123456789\r\n'],
    ['right and one more letter', `authorization: Bearer ${right}x\r\n`],
    ['right but the last letter', `authorization: Bearer ${right.slice(0, -1)}\r\n`],
    ['right and a second word', `authorization: Bearer ${right} x\r\n`],
    ['in other letters', `authorization: Bearer ${right.toUpperCase()}\r\n`],
    ['without its scheme', `authorization: ${right}\r\n`],
    ['another scheme', `authorization: Basic ${right}\r\n`],
    ['two of them', `authorization: Bearer ${right}\r\nauthorization: Bearer ${right}\r\n`],
    ['wrong beside a right x-api-key', `authorization: Bearer x\r\nx-api-key: ${right}\r\n`],
    ['two x-api-key', `x-api-key: ${right}\r\nx-api-key: ${right}\r\n`],
    ['an empty x-api-key', 'x-api-key: \r\n'],
    ['15 KB of it', `authorization: Bearer ${'k'.repeat(15_000)}\r\n`],
  ]

  test('each is answered alike, before the body is read and before anything is looked up', async () => {
    const { gateway, kernel, provider } = await rig({ config: { gateway: { keys: KEYS } } })
    const bodies = new Set<string>()
    for (const [what, credential] of wrong) {
      const start = `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${gateway.port}\r\n`
      // The body never comes: it is not waited for.
      const one = spoken(gateway.port, `${start}${credential}content-length: 400\r\n\r\n`)
      const answer = await one.until('}}')
      expect(statusOf(answer), what).toBe(401)
      expect(answer).toMatch(/\r\nwww-authenticate: Bearer\r\n/i)
      bodies.add(answer.split('\r\n\r\n')[1] ?? '')
      one.socket.destroy()
    }
    expect([...bodies]).toHaveLength(1)
    expect(JSON.parse([...bodies][0] ?? '')).toMatchObject({ error: { type: 'authentication_error', code: 'invalid_api_key' } })
    expect([provider.requests.length, kernel.ledger.rows().length]).toEqual([0, 0])
  })

  test.each([
    ['Bearer', { authorization: `Bearer ${right}` }],
    ['bearer', { authorization: `bearer ${right}` }],
    ['BEARER and blanks', { authorization: `BEARER   ${right}` }],
    ['x-api-key', { 'x-api-key': right }],
    ['both, the first of which counts', { authorization: `Bearer ${right}`, 'x-api-key': 'none' }],
  ])('the right one is let in as %s, and its calls are booked on it', async (_what, headers) => {
    const { gateway, kernel } = await rig({ config: { gateway: { keys: KEYS } } })
    const one = await answered(gateway.port, chat(gateway.port, {}, { ...headers, connection: 'close' }))
    expect([statusOf(one), one.includes('hello')]).toEqual([200, true])
    expect(kernel.ledger.rows().map(({ caller }) => caller)).toEqual(['ana'])
  })

  test.each([['k-ana-0123456789'], ['k-ben-0123456789'], ['k-eve'], ['']])(
    '%j is compared with every key, by digests and in constant time',
    (given) => {
      const { settings } = checkConfig({ ...CONFIG, gateway: { keys: KEYS } }, { secrets: { env: () => undefined, file: () => undefined } })
      const door = new Door(settings?.gateway ?? expect.fail())
      compared.length = 0
      const caller = door.callerOf({ headersDistinct: { authorization: [`Bearer ${given}`] } })
      const digest = (text: string) => createHash('sha256').update(text).digest('hex')
      expect(compared).toEqual(KEYS.map(({ key }) => [digest(key), digest(given)]))
      expect(caller !== null && 'id' in caller ? caller.id : null).toBe(KEYS.find(({ key }) => key === given)?.id ?? null)
    },
  )

  test('health needs none, and says nothing', async () => {
    const { gateway } = await rig({ config: { gateway: { keys: KEYS } } })
    const answer = await answered(gateway.port, head('/healthz', { host: `127.0.0.1:${gateway.port}`, connection: 'close' }))
    expect([statusOf(answer), answer.split('\r\n\r\n')[1]]).toEqual([200, '{"status":"ok"}'])
  })
})
