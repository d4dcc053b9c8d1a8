import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import type { KernelConfig } from '../../src/index.ts'
import { httpServer, served } from '../engines/http/server.ts'
import { type Rig, startRig } from '../faces/gateway/rig.ts'
import { chat, head, spoken, statusOf } from '../faces/gateway/wire.ts'
import { scenario } from '../properties/arbitraries.ts'
import { play } from '../properties/play.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const PROFILES = [
  { id: 'openai.main', api: 'openai-chat', model: 'm1' },
  { id: 'openai.next', api: 'openai-chat', model: 'm2' },
  { id: 'anthropic.main', api: 'anthropic-messages', model: 'm3' },
] as const
const RESPONSES = { id: 'openai.responses', api: 'openai-responses', model: 'm4' } as const
const MANY = { call: Array.from({ length: 20 }, () => ({ ok: 'hello' })), stream: [] }
const SCRIPT = { 'openai.main/m1': MANY, 'openai.main/*': MANY, 'openai.next/m2': MANY, 'anthropic.main/m3': MANY, 'openai.next/m9': MANY }
const ROUTES = [{ hint: 'fast', modelProvider: 'openai.next', model: 'm2' }]

async function rig(keys: NonNullable<KernelConfig['gateway']>['keys'], over: Partial<Parameters<typeof startRig>[0]> = {}): Promise<Rig> {
  const { config, ...rest } = over
  const made = await startRig({ profiles: PROFILES, script: SCRIPT, ...rest, config: { modelRoutes: ROUTES, ...config, gateway: { keys } } })
  rigs.push(made)
  return made
}

async function asked(port: number, key: string, body: object): Promise<{ status: number; body: string; text: string }> {
  const text = await spoken(port, chat(port, body, { authorization: `Bearer ${key}`, connection: 'close' })).ended
  return { status: statusOf(text), body: text.split('\r\n\r\n')[1] ?? '', text }
}

async function read(port: number, key: string, path: string): Promise<{ status: number; body: string }> {
  const text = await spoken(port, head(path, { host: `127.0.0.1:${port}`, authorization: `Bearer ${key}`, connection: 'close' })).ended
  return { status: statusOf(text), body: text.split('\r\n\r\n').slice(1).join('\r\n\r\n') }
}

describe('GW-03 a key asks for what is in its list, and sees that', () => {
  const KEYS = [
    { id: 'all', key: 'k-all' },
    { id: 'main', key: 'k-main', models: ['openai.main'] },
    { id: 'next', key: 'k-next', models: ['openai.next', 'hint:fast'] },
    { id: 'one', key: 'k-one', models: ['openai.next/m2', 'm1'] },
    { id: 'nothing', key: 'k-nothing', models: [] },
    { id: 'gone', key: 'k-gone', models: ['hint:gone', 'openai.gone', 'openai.gone/m1', 'gpt-4.1'] },
  ]
  const cases: readonly [key: string, body: object, status: number][] = [
    ['all', { model: 'hint:fast' }, 200],
    ['main', {}, 200],
    ['main', { model: '' }, 200],
    ['main', { model: 'auto' }, 200],
    ['main', { model: 'm1' }, 200],
    ['main', { model: 'openai.main' }, 200],
    ['main', { model: 'openai.main/m1' }, 200],
    ['main', { model: 'openai.next' }, 404],
    ['main', { model: 'openai.next/m2' }, 404],
    ['main', { model: 'hint:fast' }, 404],
    ['main', { models: ['openai.main', 'openai.next'] }, 404],
    ['main', { models: ['m1'] }, 200],
    ['main', { models: ['m2'] }, 404],
    ['next', {}, 404],
    ['next', { model: 'm1' }, 404],
    ['next', { model: 'hint:fast' }, 200],
    ['next', { models: ['hint:fast', 'openai.next/m9'] }, 200],
    ['next', { model: 'openai.main', models: ['hint:fast'] }, 404],
    ['one', {}, 200],
    ['one', { model: 'm1' }, 200],
    ['one', { model: 'openai.main/m1' }, 404],
    ['one', { model: 'openai.next/m2' }, 200],
    ['one', { model: 'openai.next/m9' }, 404],
    // A hint that no route has would be asked of the default domain, which is not in its list.
    ['gone', { model: 'hint:gone' }, 404],
    ['gone', { models: ['hint:gone'] }, 404],
    // So would a profile that is no more; the pin of the default domain would answer for it.
    ['gone', { model: 'openai.gone' }, 404],
    ['gone', { model: 'openai.gone/m1' }, 404],
    // A plain name of a model is asked of the default domain, as it stands there.
    ['gone', { model: 'gpt-4.1' }, 200],
    ['nothing', {}, 404],
    ['nothing', { model: 'openai.main' }, 404],
  ]
  test.each(cases)('%s asks %j: %i', async (key, body, status) => {
    const { gateway, provider, kernel } = await rig(KEYS)
    const answer = await asked(gateway.port, `k-${key}`, body)
    expect(answer.status, answer.body).toBe(status)
    expect(kernel.ledger.rows().map(({ caller }) => caller)).toEqual(status === 200 ? [key] : [])
    if (status === 404) expect([JSON.parse(answer.body).error.code, provider.requests.length]).toEqual(['model_not_found', 0])
  })

  test('what it may not ask for is answered as what does not exist', async () => {
    const { gateway } = await rig(KEYS)
    for (const [there, absent] of [
      ['openai.next', 'openai.noon'],
      ['hint:fast', 'hint:none'],
      ['openai.next/m2', 'openai.noon/m2'],
    ] as const) {
      const [one, other] = [await asked(gateway.port, 'k-main', { model: there }), await asked(gateway.port, 'k-nothing', { model: absent })]
      expect([one.status, one.body.replaceAll(there, absent)]).toEqual([other.status, other.body])
      const listed = await asked(gateway.port, 'k-main', { models: [there] })
      const unlisted = await asked(gateway.port, 'k-main', { models: [absent] })
      expect([listed.status, listed.body.replaceAll(there, absent)]).toEqual([unlisted.status, unlisted.body])
    }
  })

  test('it is listed what it may ask for, by either protocol', async () => {
    const { gateway } = await rig(KEYS)
    const baseURL = `${gateway.address}/v1`
    const listed = async (apiKey: string) => (await new OpenAI({ baseURL, apiKey }).models.list()).data.map(({ id }) => id)
    expect(await listed('k-all')).toEqual([
      'hint:fast',
      ...['openai.main', 'openai.main/m1', 'openai.next', 'openai.next/m2', 'anthropic.main', 'anthropic.main/m3'],
      'm1',
    ])
    expect(await listed('k-next')).toEqual(['hint:fast', 'openai.next', 'openai.next/m2'])
    expect(await listed('k-one')).toEqual(['openai.next/m2', 'm1'])
    expect(await listed('k-nothing')).toEqual([])
    const anthropic = new Anthropic({ baseURL: gateway.address, apiKey: 'k-next' })
    const page = await anthropic.models.list()
    expect(page.data.map(({ id, type }) => [id, type])).toEqual(['hint:fast', 'openai.next', 'openai.next/m2'].map((id) => [id, 'model']))
    expect((await anthropic.models.retrieve('openai.next/m2')).id).toBe('openai.next/m2')
    await expect(anthropic.models.retrieve('openai.main')).rejects.toMatchObject({ status: 404 })
    await expect(new OpenAI({ baseURL, apiKey: 'k-next', maxRetries: 0 }).models.retrieve('openai.main/m1')).rejects.toMatchObject({ status: 404 })
  })

  test('the figures of all are for keys that may ask for everything', async () => {
    const { gateway } = await rig(KEYS)
    await asked(gateway.port, 'k-next', { model: 'hint:fast' })
    expect((await read(gateway.port, 'k-main', '/metrics')).status).toBe(403)
    const figures = await read(gateway.port, 'k-all', '/metrics')
    expect([figures.status, figures.body.includes('relevo_turns_total{outcome="ok"} 1')]).toEqual([200, true])
  })
})

describe('GW-06 no key costs more than it may', () => {
  test('requests at once: the one too many is told to come back, and room is made by the one that ends', async () => {
    const { gateway, provider } = await rig([{ id: 'ana', key: 'k-ana', concurrency: 1 }], {
      script: { 'openai.main/m1': { call: [{ afterMs: 200, ok: 'slow' }, { ok: 'next' }] } },
    })
    const slow = asked(gateway.port, 'k-ana', {})
    await provider.requested(1)
    const refused = await asked(gateway.port, 'k-ana', {})
    expect([refused.status, /\r\nretry-after: 1\r\n/.test(refused.text)]).toEqual([429, true])
    expect((await slow).status).toBe(200)
    expect((await asked(gateway.port, 'k-ana', {})).status).toBe(200)
  })

  test('a request that comes to nothing makes room, too', async () => {
    const { gateway } = await rig([{ id: 'ana', key: 'k-ana', concurrency: 1 }])
    const { port } = gateway
    const own = { host: `127.0.0.1:${port}`, authorization: 'Bearer k-ana' }
    for (const bad of [{ messages: 1 }, { messages: [] }, { model: 'a\u0000b' }]) expect((await asked(port, 'k-ana', bad)).status).toBe(400)
    const left = spoken(port, `${head('/v1/chat/completions', { ...own, 'content-length': '100' }, 'POST')}{`)
    await read(port, 'k-ana', '/healthz')
    left.socket.destroy()
    await left.ended
    // Whoever leaves is noticed before whoever comes next.
    await read(port, 'k-ana', '/healthz')
    expect((await asked(port, 'k-ana', {})).status).toBe(200)
  })

  test('USD a day: 429 until midnight of the zone, and another key is not touched', async () => {
    const keys = [
      { id: 'ana', key: 'k-ana', perDay: 1 },
      { id: 'ben', key: 'k-ben', perDay: 1 },
      { id: 'cai', key: 'k-cai', perDay: 1 },
    ]
    const dear = { call: Array.from({ length: 3 }, () => ({ ok: 'hello', usage: { input: 600_000, output: 0 } })) }
    const { gateway } = await rig(keys, {
      profiles: [{ ...PROFILES[0], price: { input: 1, output: 1 } }, PROFILES[1]],
      script: { 'openai.main/m1': dear },
      gateway: { now: () => Date.UTC(2026, 2, 1, 22), budgets: () => ({ zone: 'UTC', unknownPrice: 'exceeds' }), earlier: new Map([['cai', 1e12]]) },
    })
    const statuses: number[] = []
    for (const key of ['k-ana', 'k-ana', 'k-ana', 'k-ben', 'k-cai']) statuses.push((await asked(gateway.port, key, {})).status)
    expect(statuses).toEqual([200, 200, 429, 200, 429])
    const refused = await asked(gateway.port, 'k-ana', {})
    expect([/\r\nretry-after: 7200\r\n/.test(refused.text), JSON.parse(refused.body).error.code]).toEqual([true, 'insufficient_quota'])
  })

  test('property: the attempts of a turn are no more than its plan and the retries allow', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (written) => {
        const played = await play(written)
        for (const [turn, { attempts }] of played.outcomes) {
          const entries = played.moments.flatMap((moment) =>
            moment.type === 'event' && moment.turn === turn && moment.event.type === 'turn.started' ? moment.event.entries : [],
          ).length
          expect(attempts.length).toBeLessThanOrEqual(mostAttempts(entries, written.config.reliability.providerRetries))
        }
      }),
      { numRuns: 150 },
    )
  })
})

/** What a plan of so many entries can come to: each as often as it may be asked, and once more where the one stream there was broke off. */
function mostAttempts(entries: number, retries: number): number {
  return entries === 0 ? 0 : Math.max(entries * (retries + 1), (entries - 1) * (retries + 1) + 2)
}

describe('HDR-03, SSRF-01 what a client sends beside its body reaches no provider, and chooses none', () => {
  const hostile = {
    'x-api-key': 'sk-client-secret',
    cookie: 'session=sk-client-secret',
    'proxy-authorization': 'Basic sk-client-secret',
    forwarded: 'for=10.0.0.1;host=attacker.test',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-host': 'attacker.test',
    'x-relevo-host': 'http://attacker.test',
    'x-portkey-custom-host': 'http://attacker.test',
    'openai-organization': 'org-client',
    'anthropic-dangerous-direct-browser-access': 'true',
    'metadata-flavor': 'Google',
    'anthropic-beta': 'tools-2024-04-04, context-1m-2025-08-07',
    'anthropic-version': '2099-01-01',
    'user-agent': 'evil/1',
  }

  test.each([
    ['/v1/chat/completions', 'openai.main', null],
    ['/v1/messages', 'anthropic.main', 'tools-2024-04-04,context-1m-2025-08-07'],
    ['/v1/messages', 'openai.main', null],
    ['/v1/chat/completions', 'anthropic.main', null],
    ['/v1/responses', 'openai.responses', null],
    ['/v1/responses', 'anthropic.main', null],
    ['/v1/messages', 'openai.responses', null],
  ])('%s at %s: of the headers goes on: %s', async (path, model, beta) => {
    const { gateway, provider } = await rig([{ id: 'ana', key: 'sk-client-key' }], {
      profiles: [...PROFILES, RESPONSES],
      script: { ...SCRIPT, 'openai.responses/m4': MANY },
    })
    const prompt = path === '/v1/responses' ? { input: 'hi' } : { max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] }
    const json = JSON.stringify({ model, ...prompt })
    const own = {
      host: `127.0.0.1:${gateway.port}`,
      authorization: 'Bearer sk-client-key',
      'content-length': String(json.length),
      connection: 'close',
    }
    const answer = await spoken(gateway.port, head(path, { ...hostile, ...own }, 'POST') + json).ended
    expect(statusOf(answer), answer).toBe(200)
    const [request] = provider.requests
    const sent = JSON.stringify(request?.headers)
    for (const word of ['sk-client', 'attacker', '10.0.0.1', 'org-client', 'browser-access', 'Google', '2099', 'evil'])
      expect(sent).not.toContain(word)
    // An allow-list: whatever else a client says is not there, by name.
    const signed = ['anthropic-beta', 'anthropic-version', 'user-agent', 'x-api-key', 'authorization']
    for (const name of Object.keys(hostile)) if (!signed.includes(name)) expect(request?.headers).not.toHaveProperty(name)
    expect(request?.headers['anthropic-beta'] ?? null).toBe(beta)
  })

  test.each([['a b'], ['x'.repeat(200)], ['a,"b"'], [Array.from({ length: 33 }, (_, n) => `b${n}`).join(',')]])(
    'anthropic-beta: %s is none: 400',
    async (value) => {
      const { gateway, provider } = await rig([])
      const json = JSON.stringify({ model: 'anthropic.main', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] })
      const own = { host: `127.0.0.1:${gateway.port}`, 'anthropic-beta': value, 'content-length': String(json.length), connection: 'close' }
      const answer = await spoken(gateway.port, head('/v1/messages', own, 'POST') + json).ended
      expect([statusOf(answer), answer.includes('anthropic-beta'), provider.requests.length]).toEqual([400, true, 0])
    },
  )

  const places = ['api_base', 'base_url', 'baseURL', 'endpoint', 'url', 'host', 'api_key', 'apiKey', 'extra_headers', 'provider', 'metadata']
  test.each(['/v1/chat/completions', '/v1/messages', '/v1/responses'])('%s: no field of a body leads elsewhere', async (path) => {
    let reached = 0
    const attacker = await served(
      httpServer((response) => {
        reached++
        response.end('{}')
      }),
    )
    const { gateway, provider } = await rig([], { script: { 'openai.main/m1': MANY } })
    const told = JSON.stringify({ role: 'user', content: 'hi' })
    for (const field of places) {
      const value = field === 'metadata' || field === 'extra_headers' ? { host: attacker.endpoint } : attacker.endpoint
      const body = { [field]: value, max_tokens: 5, ...(path === '/v1/responses' ? { input: 'hi' } : { messages: [JSON.parse(told)] }) }
      const json = JSON.stringify(body)
      const own = { host: `127.0.0.1:${gateway.port}`, 'content-length': String(json.length), connection: 'close' }
      const answer = await spoken(gateway.port, head(path, own, 'POST') + json).ended
      expect([200, 400], `${field}: ${answer}`).toContain(statusOf(answer))
    }
    expect(reached).toBe(0)
    expect(new Set(provider.requests.map(({ entry }) => entry))).toEqual(new Set(['openai.main/m1']))
  })
})
