import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { startGateway } from '../../../src/faces/gateway/gateway.ts'
import type { Kernel, Logger } from '../../../src/index.ts'
import { type Rig, startRig } from './rig.ts'
import { chat, head, spoken, statusOf } from './wire.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const MAIN = { id: 'openai.main', api: 'openai-chat', model: 'm1' } as const
const NEXT = { id: 'anthropic.next', api: 'anthropic-messages', model: 'm2' } as const

async function rig(over: Partial<Parameters<typeof startRig>[0]> = {}): Promise<Rig> {
  const made = await startRig({ profiles: [MAIN, NEXT], script: { 'openai.main/m1': { call: [{ ok: 'hello' }] } }, ...over })
  rigs.push(made)
  return made
}

/** A logger that keeps its lines. */
function lines(): { kept: string[]; logger: Logger } {
  const kept: string[] = []
  const write = (level: string) => (fields: object, message: string) => {
    const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value]))
    kept.push(`${level} ${message} ${JSON.stringify(plain)}`)
  }
  return { kept, logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } }
}

async function figures({ gateway }: Rig): Promise<string> {
  return spoken(gateway.port, head('/metrics', { host: `127.0.0.1:${gateway.port}`, connection: 'close' })).ended
}

async function ask(port: number, body: object = {}, headers: Record<string, string> = {}): Promise<string> {
  return spoken(port, chat(port, body, { ...headers, connection: 'close' })).ended
}

describe('how long a call may take', () => {
  test.each(['', '0', '-1', '1.5', '1e3', 'soon', '86400001', '99999999999'])('x-relevo-timeout-ms: %j is none: 400', async (value) => {
    const { gateway, provider } = await rig()
    const answer = await ask(gateway.port, {}, { 'x-relevo-timeout-ms': value })
    expect([statusOf(answer), answer.includes('"param":"x-relevo-timeout-ms"'), provider.requests.length]).toEqual([400, true, 0])
  })

  test('an answer that is not whole by then is ended: 504, and its provider is let go', async () => {
    const { gateway, provider } = await rig({ script: { 'openai.main/m1': { call: [{ pending: true }] } } })
    const answer = await ask(gateway.port, {}, { 'x-relevo-timeout-ms': '1000' })
    expect([statusOf(answer), JSON.parse(answer.split('\r\n\r\n')[1] ?? '').error.type]).toEqual([504, 'timeout_error'])
    expect(await provider.requests[0]?.ended).toBe('client_gone')
  })

  test('a stream is held to it where nothing bounds its first byte', async () => {
    const events = [{ text: 'a' }, { afterMs: 1_500, text: 'b' }, { final: 'stop' as const }]
    const { gateway } = await rig({ config: { gateway: { firstByteMs: 0 } }, script: { 'openai.main/m1': { stream: [{ events }] } } })
    const answer = await ask(gateway.port, { stream: true }, { 'x-relevo-timeout-ms': '500' })
    expect([statusOf(answer), answer.includes('timeout_error'), answer.includes('[DONE]')]).toEqual([200, true, false])
  })

  test('gateway.firstByteMs ends what nobody begins to answer, streamed or not, and no stream that has begun', async () => {
    const events = [{ text: 'a' }, { afterMs: 1_500, text: 'b' }, { final: 'stop' as const }]
    const { gateway } = await rig({
      config: { gateway: { firstByteMs: 750 } },
      script: { 'openai.main/m1': { call: [{ pending: true }], stream: [{ pending: true }, { events }] } },
    })
    for (const stream of [false, true]) {
      const answer = await ask(gateway.port, { stream })
      expect([statusOf(answer), answer.includes('No answer began within 750 ms.')]).toEqual([504, true])
    }
    expect(await ask(gateway.port, { stream: true })).toContain('[DONE]')
  })

  test('what SDKs say of their own patience ends nothing: they leave', async () => {
    const { gateway } = await rig({ script: { 'openai.main/m1': { call: [{ afterMs: 1_200, ok: 'late' }] } } })
    expect(await ask(gateway.port, {}, { 'x-stainless-timeout': '1' })).toContain('late')
  })
})

describe('figures', () => {
  test('requests, turns, attempts, fallbacks, tokens, cost and holds', async () => {
    const made = await rig({
      profiles: [MAIN, { ...NEXT, price: { input: 1, output: 2 } }],
      script: {
        'openai.main/m1': { call: [{ http: 429, headers: { 'retry-after': '60' } }] },
        'anthropic.next/m2': { call: [{ ok: 'hello', usage: { input: 1_000_000, output: 500_000 } }] },
      },
    })
    await ask(made.gateway.port)
    await ask(made.gateway.port, { messages: 1 })
    await spoken(made.gateway.port, head('/nothing', { host: `127.0.0.1:${made.gateway.port}`, connection: 'close' })).ended
    const text = await figures(made)
    expect(text).toContain('content-type: text/plain; version=0.0.4')
    for (const line of [
      'relevo_gateway_requests_total{dialect="openai-chat",status="200"} 1',
      'relevo_gateway_requests_total{dialect="openai-chat",status="400"} 1',
      'relevo_gateway_requests_total{dialect="none",status="404"} 1',
      'relevo_gateway_streams 0',
      'relevo_gateway_request_seconds_count{dialect="openai-chat"} 1',
      'relevo_gateway_first_byte_seconds_count{dialect="openai-chat"} 1',
      'relevo_turns_total{outcome="ok"} 1',
      'relevo_attempts_total{profile="openai.main",result="rate_limited"} 1',
      'relevo_attempts_total{profile="anthropic.next",result="ok"} 1',
      'relevo_fallbacks_total{from="openai.main",to="anthropic.next",reason="rate_limited"} 1',
      'relevo_tokens_total{profile="anthropic.next",kind="input"} 1000000',
      'relevo_tokens_total{profile="anthropic.next",kind="output"} 500000',
      'relevo_cost_usd_total{profile="anthropic.next"} 2',
      'relevo_holds{reason="cooldown"} 1',
    ])
      expect(text).toContain(`${line}\n`)
  })

  test('streams under way, and none of them afterwards', async () => {
    const made = await rig({ script: { 'openai.main/m1': { stream: [{ events: [{ text: 'a' }, { stall: true }] }] } } })
    const one = spoken(made.gateway.port, chat(made.gateway.port, { stream: true }))
    await one.until('"content":"a"')
    expect(await figures(made)).toContain('relevo_gateway_streams 1\n')
    one.socket.destroy()
    await (await made.provider.requested(1)).ended
    const text = await figures(made)
    expect(text).toContain('relevo_gateway_streams 0\n')
    expect(text).toContain('relevo_gateway_requests_total{dialect="openai-chat",status="499"} 1\n')
  })

  test('TEL-02 what clients write stands in no figure, and two gateways share none', async () => {
    const made = await rig({ script: { 'openai.main/m1': { call: [] } } })
    const other = await rig()
    for (let at = 0; at < 20; at++) {
      await ask(made.gateway.port, { model: `canary-${at}`, messages: [{ role: 'user', content: 'canary-prompt' }] })
      await spoken(made.gateway.port, head(`/v1/models/canary-${at}`, { host: `127.0.0.1:${made.gateway.port}`, connection: 'close' })).ended
      await spoken(made.gateway.port, head(`/canary-${at}`, { host: `127.0.0.1:${made.gateway.port}`, connection: 'close' }, 'BREW')).ended
    }
    expect(await figures(made)).not.toMatch(/canary|BREW/)
    expect(await figures(other)).not.toContain('relevo_turns_total{')
  })
})

describe('log lines', () => {
  test('an answer is one line, with whose key it came with and without a word of it', async () => {
    const { kept, logger } = lines()
    const { gateway } = await rig({ config: { gateway: { keys: [{ id: 'ana', key: 'k-canary' }] } }, gateway: { logger } })
    await ask(gateway.port, { messages: [{ role: 'user', content: 'canary' }] }, { authorization: 'Bearer k-canary' })
    expect(kept.map((line) => line.replace(/"ms":\d+/, '"ms":0'))).toEqual([
      'info gateway.answered {"path":"openai-chat","status":200,"outcome":"ok","caller":"ana","ms":0}',
    ])
  })

  test('there is no 500 without one that says why, and its client is told nothing of that', async () => {
    const { kept, logger } = lines()
    const { kernel: own, provider } = await rig()
    const broken = {
      ...kernelOf(own),
      turn() {
        throw new Error('canary: /home/ana/secret.ts')
      },
    } as Kernel
    const settings = { host: '127.0.0.1', port: 0, keys: [], firstByteMs: 0 }
    const gateway = await startGateway({ kernel: broken, settings, logger })
    const answer = await ask(gateway.port)
    await gateway.close(0)
    expect([statusOf(answer), answer.includes('canary'), answer.includes('    at ')]).toEqual([500, false, false])
    expect(kept.filter((line) => !line.startsWith('debug'))).toEqual([
      'error gateway.fault {"err":"canary: /home/ana/secret.ts","path":"openai-chat"}',
    ])
    expect(provider.requests).toHaveLength(0)
  })

  test.each([
    ['goes away', (socket: Socket) => void socket.end()],
    ['is cut off', (socket: Socket) => void socket.resetAndDestroy()],
    ['goes on with what is no body', (socket: Socket) => void socket.write('zz\r\n')],
  ])('who %s in the middle of a request is no fault of ours', async (_what, leave) => {
    const { kept, logger } = lines()
    const made = await rig({ gateway: { logger } })
    const { port } = made.gateway
    const own = { host: `127.0.0.1:${port}`, 'transfer-encoding': 'chunked', expect: '100-continue' }
    const client = spoken(port, head('/v1/chat/completions', own, 'POST'))
    await client.until('100 Continue')
    client.socket.write('5\r\n{"mod\r\n')
    leave(client.socket)
    await client.ended
    await vi.waitUntil(async () => (await figures(made)).includes('relevo_gateway_requests_total{'))
    expect(await figures(made)).toContain('relevo_gateway_requests_total{dialect="openai-chat",status="499"} 1\n')
    expect(kept).toEqual([])
  })

  test('who is refused is a line of no weight', async () => {
    const { kept, logger } = lines()
    const { gateway } = await rig({ config: { gateway: { keys: ['k-canary-key'] } }, gateway: { logger } })
    await ask(gateway.port, {}, { authorization: 'Bearer canary-wrong' })
    expect(kept).toEqual(['debug gateway.refused {"path":"openai-chat","status":401,"code":"invalid_api_key"}'])
  })
})

/** The methods of a kernel as fields, so that one can be put in the place of another. */
function kernelOf(kernel: Kernel): Kernel {
  return {
    ...kernel,
    holds$: kernel.holds$,
    profiles: () => kernel.profiles(),
    hints: () => kernel.hints(),
    plan: (query) => kernel.plan(query),
  } as Kernel
}
