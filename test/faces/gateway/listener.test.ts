import { createServer } from 'node:net'
import OpenAI from 'openai'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startGateway } from '../../../src/faces/gateway/gateway.ts'
import { ConfigError, Secret } from '../../../src/index.ts'
import { type Rig, startRig } from './rig.ts'
import { chat, head, spoken, statusOf } from './wire.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const

async function rig(over: Partial<Parameters<typeof startRig>[0]> = {}): Promise<Rig> {
  const made = await startRig({ profiles: [MAIN], script: { 'openai.main/m1': { call: [{ ok: 'hello' }, { ok: 'hello' }] } }, ...over })
  rigs.push(made)
  return made
}

const closing = (port: number) => ({ host: `127.0.0.1:${port}`, connection: 'close' })

describe('methods', () => {
  test.each([
    ['HEAD', '/v1/chat/completions', 405, 'POST'],
    ['GET', '/v1/messages', 405, 'POST'],
    ['OPTIONS', '/v1/responses', 405, 'POST'],
    ['DELETE', '/v1/models', 405, 'GET, HEAD'],
    ['POST', '/healthz', 405, 'GET, HEAD'],
    ['PUT', '/metrics', 405, 'GET, HEAD'],
  ])('%s %s: %i, and Allow says what it takes', async (method, path, status, allow) => {
    const { gateway } = await rig()
    const answer = await spoken(gateway.port, head(path, closing(gateway.port), method)).ended
    expect(statusOf(answer)).toBe(status)
    expect(answer).toContain(`\r\nallow: ${allow}\r\n`)
  })

  test('HEAD of what is read has the head of it, and no body', async () => {
    const { gateway } = await rig()
    const answer = await spoken(gateway.port, head('/healthz', closing(gateway.port), 'HEAD')).ended
    expect([statusOf(answer), /\r\ncontent-length: 15\r\n/.test(answer), answer.endsWith('\r\n\r\n')]).toEqual([200, true, true])
  })

  test.each(['/', '/v1', '/v1/chat/completions/', '/v1/../v1/models', '//v1/models', '/constructor', '/__proto__', 'http://evil.example/v1/models'])(
    '%s is no path: 404',
    async (path) => {
      const { gateway } = await rig()
      expect(statusOf(await spoken(gateway.port, head(path, closing(gateway.port))).ended)).toBe(404)
    },
  )

  test('what is no path in the words of the client: those of Anthropic where it sends their version', async () => {
    const { gateway } = await rig()
    const answer = await spoken(gateway.port, head('/v1/complete', { ...closing(gateway.port), 'anthropic-version': '2023-06-01' })).ended
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
  })

  test('what stands beside it, such as a page, answers what is no path of its own', async () => {
    const { gateway } = await rig({
      gateway: {
        beside: ({ url }, response) => {
          if (url !== '/') return false
          response.end('page')
          return true
        },
      },
    })
    expect(await spoken(gateway.port, head('/', closing(gateway.port))).ended).toMatch(/page$/)
    expect(statusOf(await spoken(gateway.port, head('/other', closing(gateway.port))).ended)).toBe(404)
  })
})

describe('versions of HTTP', () => {
  test('HTTP/1.0 is answered, and its connection ends with the answer', async () => {
    const { gateway } = await rig()
    const asked = chat(gateway.port).replace('HTTP/1.1', 'HTTP/1.0')
    const answer = await spoken(gateway.port, asked).ended
    expect([statusOf(answer), answer.includes('hello')]).toEqual([200, true])
  })

  test('a stream over HTTP/1.0 ends with its connection', async () => {
    const { gateway } = await rig({ script: { 'openai.main/m1': { stream: [{ events: [{ text: 'a' }, { final: 'stop' }] }] } } })
    const answer = await spoken(gateway.port, chat(gateway.port, { stream: true }).replace('HTTP/1.1', 'HTTP/1.0')).ended
    expect(answer).not.toMatch(/transfer-encoding/i)
    expect(answer).toMatch(/data: \[DONE\]\n\n$/)
  })

  test('requests on one connection are answered in their order', async () => {
    const { gateway } = await rig()
    const { port } = gateway
    const answer = await spoken(port, chat(port) + head('/healthz', { host: `127.0.0.1:${port}` }) + head('/nothing', closing(port))).ended
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 404'])
  })
})

test('a connection that is kept and not used is ended after a while; one that waits for an answer is not', async () => {
  const { gateway } = await rig({
    gateway: { limits: { idleMs: 200, unreadMs: 200 } },
    script: { 'openai.main/m1': { call: [{ afterMs: 2_500, ok: 'late' }] } },
  })
  const { port } = gateway
  const [kept, waiting] = [spoken(port, head('/healthz', { host: `127.0.0.1:${port}` })), spoken(port, chat(port, {}, { connection: 'close' }))]
  await kept.until('"ok"')
  await kept.ended
  expect(waiting.text()).toBe('')
  expect(await waiting.ended).toContain('late')
})

describe('an address that cannot be had is told in one line', () => {
  const options = (host: string, port: number) => ({
    kernel: rigs[0]?.kernel ?? expect.fail(),
    settings: { host, port, keys: [], firstByteMs: 0 },
  })

  test('a port that is taken', async () => {
    await rig()
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const error: unknown = await startGateway(options('127.0.0.1', port)).catch((thrown: unknown) => thrown)
    await new Promise((resolve) => other.close(resolve))
    expect(error).toBeInstanceOf(ConfigError)
    expect((error as ConfigError).message).toBe(
      `gateway.port: 127.0.0.1:${port} is taken by another program (gateway_cannot_listen). Stop it, or choose another port; 0 takes any that is free.`,
    )
  })

  test('an address of nobody here', async () => {
    await rig()
    const keys = [{ id: 'ana', secret: new Secret('k-0123456789'), models: null, concurrency: 1, perDay: null }]
    const settings = { host: '192.0.2.7', port: 0, keys, firstByteMs: 0 }
    const error: unknown = await startGateway({ ...options('', 0), settings }).catch((thrown: unknown) => thrown)
    expect((error as ConfigError).problems).toEqual([expect.objectContaining({ code: 'gateway_cannot_listen', path: 'gateway.host' })])
  })
})

describe('closing', () => {
  const STREAM = { stream: [{ events: [{ text: 'a' }, { afterMs: 400, text: 'b' }, { final: 'stop' as const }] }] }
  const STALLED = { stream: [{ events: [{ text: 'a' }, { stall: true as const }] }], call: [{ pending: true as const }] }

  test('an answer under way is given whole, and its connection ends with it; whoever only waits is gone at once', async () => {
    const { gateway } = await rig({ script: { 'openai.main/m1': STREAM } })
    const { port } = gateway
    const idle = spoken(port)
    const kept = spoken(port, head('/healthz', { host: `127.0.0.1:${port}` }))
    await kept.until('"ok"')
    const busy = spoken(port, chat(port, { stream: true }))
    await busy.until('"content":"a"')
    const closed = gateway.close(60_000)
    expect([await idle.ended, (await kept.ended).split('"ok"}')[1]]).toEqual(['', ''])
    expect(busy.socket.destroyed).toBe(false)
    expect(await busy.ended).toContain('[DONE]')
    await closed
    await expect(fetch(`${gateway.address}/healthz`)).rejects.toThrow()
  })

  test('an answer that has not begun says that its connection ends', async () => {
    const { gateway } = await rig({ script: { 'openai.main/m1': { call: [{ afterMs: 300, ok: 'late' }] } } })
    const one = spoken(gateway.port, chat(gateway.port))
    await rigs[0]?.provider.requested(1)
    const closed = gateway.close(60_000)
    const answer = await one.ended
    expect([statusOf(answer), /\r\nconnection: close\r\n/i.test(answer), answer.includes('late')]).toEqual([200, true, true])
    await closed
  })

  test('a request that was arriving is told to come back, in its dialect', async () => {
    const { gateway, provider } = await rig()
    const { port } = gateway
    const [first = '', rest = ''] = [chat(port).slice(0, 30), chat(port).slice(30)]
    const late = spoken(port, first)
    // The gateway has its first bytes once it has answered somebody who came later.
    await spoken(port, head('/healthz', closing(port))).ended
    const closed = gateway.close(60_000)
    late.socket.write(rest)
    const answer = await late.ended
    expect([statusOf(answer), /\r\nretry-after: 1\r\n/.test(answer), /\r\nconnection: close\r\n/i.test(answer)]).toEqual([503, true, true])
    expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { code: 'stopping', type: 'server_error' } })
    await closed
    expect(provider.requests).toHaveLength(0)
  })

  test('health says so to who was arriving', async () => {
    const { gateway } = await rig()
    const { port } = gateway
    const late = spoken(port, head('/healthz', closing(port)).slice(0, 20))
    await spoken(port, head('/healthz', closing(port))).ended
    const closed = gateway.close(60_000)
    late.socket.write(head('/healthz', closing(port)).slice(20))
    const answer = await late.ended
    expect([statusOf(answer), answer.split('\r\n\r\n')[1]]).toEqual([503, '{"status":"draining"}'])
    await closed
  })

  test('after its grace what is left is cancelled: a stream ends with an error and without its end, a call with 503', async () => {
    const { gateway, provider } = await rig({ script: { 'openai.main/m1': STALLED } })
    const { port } = gateway
    const stream = spoken(port, chat(port, { stream: true }))
    await stream.until('"content":"a"')
    const call = spoken(port, chat(port))
    await provider.requested(2)
    await gateway.close(50)
    const [streamed, called] = [await stream.ended, await call.ended]
    expect([statusOf(streamed), /data: {"error":/.test(streamed), streamed.includes('[DONE]')]).toEqual([200, true, false])
    expect(statusOf(called)).toBe(503)
    await Promise.all(provider.requests.map(({ ended }) => ended))
    expect(provider.requests.map(({ abortedByClient }) => abortedByClient)).toEqual([true, true])
  })

  test('the real client raises where its stream was cancelled', async () => {
    const { gateway } = await rig({ script: { 'openai.main/m1': STALLED } })
    const client = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: 'none', maxRetries: 0 })
    const stream = await client.chat.completions.create({ model: '', messages: [{ role: 'user', content: 'hi' }], stream: true })
    let closed: Promise<void> | undefined
    const read = async () => {
      for await (const _ of stream) closed ??= gateway.close(0)
    }
    await expect(read()).rejects.toThrow()
    await closed
  })

  test('twice is once', async () => {
    const { gateway } = await rig()
    expect(gateway.close()).toBe(gateway.close())
    await gateway.close()
  })
})

describe('a client that leaves with several requests under way on one connection', () => {
  const PENDING = [{ pending: true }, { pending: true }] as const
  test.each([
    [true, { stream: PENDING }],
    [false, { call: PENDING }],
  ])('stream: %j – ends the turn of each, and each provider is let go (R30)', async (stream, queues) => {
    const kinds: (string | undefined)[] = []
    let over = (): void => {}
    const isOver = new Promise<void>((resolve) => {
      over = resolve
    })
    const { gateway, provider } = await rig({
      script: { 'openai.main/m1': queues },
      gateway: { onOver: ({ outcome }) => void (kinds.push(outcome?.kind) === 2 && over()) },
    })
    const client = spoken(gateway.port, chat(gateway.port, { stream }) + chat(gateway.port, { stream }))
    await vi.waitUntil(() => provider.requests.length === 2)
    client.socket.resetAndDestroy()
    await isOver
    expect(kinds).toEqual(['cancelled', 'cancelled'])
    expect(await Promise.all(provider.requests.map(({ ended }) => ended))).toEqual(['client_gone', 'client_gone'])
  })
})
