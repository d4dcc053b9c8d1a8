import { describe, expect, test } from 'vitest'
import { guardedFetch } from '../../src/ai-sdk.ts'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import type { AttemptRequest, Engine } from '../../src/engines/contract.ts'
import { HTTP_APIS, resolveHttpEngine } from '../../src/engines/http/registry.ts'
import { ConfigError, createKernel, type TurnRequest } from '../../src/index.ts'
import type { EndpointPolicy } from '../../src/model/address.ts'
import { Secret } from '../../src/model/secret.ts'
import { PROVIDERS } from '../engines/ai-sdk/subject.ts'
import { profileOf, requestOf } from '../engines/http/request.ts'
import { attempt, failureOf, httpServer, type Loopback, run, served } from '../engines/http/server.ts'

const CANARY = 'sk-CANARY-0123456789'

const serve = () => served(httpServer((response) => response.writeHead(400, { 'content-type': 'application/json' }).end('{}')))

const ENGINES: readonly (readonly [string, string, () => Engine])[] = [
  ...HTTP_APIS.map((api) => [api, api, () => resolveHttpEngine()(profileOf({ api })) ?? expect.fail()] as const),
  ...Object.entries(PROVIDERS).map(([name, source]) => [name, 'openai-chat', () => fromAiSdk(source)] as const),
]

/** Every name under which some product lets a request choose its address. */
const FIELDS = [
  'api_base',
  'base_url',
  'baseURL',
  'baseUrl',
  'endpoint',
  'url',
  'host',
  'Host',
  'x-relevo-host',
  'proxy',
  'redirect',
  'origin',
  'dispatcher',
  'fetch',
]

/** All of a request that a caller may fill in, full of addresses of an attacker. */
function aimedAt(attacker: string): Pick<AttemptRequest, 'messages' | 'options' | 'tools' | 'model'> {
  const fields = { ...Object.fromEntries(FIELDS.map((name) => [name, attacker])), headers: { host: attacker, 'x-relevo-host': attacker } }
  const providerOptions = { openai: fields, 'openai.test': fields }
  return {
    model: attacker,
    messages: [
      { role: 'system', content: attacker, providerOptions },
      {
        role: 'user',
        content: [
          { type: 'text', text: attacker },
          { type: 'image', mediaType: 'image/png', url: `${attacker}/a.png` },
        ],
        providerOptions,
      },
      { role: 'user', content: attacker, providerOptions },
    ],
    tools: [{ name: 'look', description: attacker, parameters: { $ref: attacker, $schema: attacker } }],
    options: { providerOptions, stop: [attacker], responseSchema: { name: 'x', schema: { $ref: attacker } } },
  }
}

describe('SSRF-01 no field of a request picks an address', () => {
  test.each(ENGINES)('%s: nothing is connected to but the endpoint of the profile, and the key goes nowhere else', async (_name, api, engine) => {
    for (const mode of ['stream', 'call'] as const) {
      const [provider, attacker] = [await serve(), await serve()]
      const ask = aimedAt(attacker.endpoint)
      const parts: readonly Partial<AttemptRequest>[] = [
        ask,
        { ...ask, messages: ask.messages.slice(2), options: { providerOptions: ask.options.providerOptions ?? {} } },
      ]
      for (const more of parts) await attempt(provider, { mode, secret: new Secret(CANARY), profile: profileOf({ api }), ...more }, engine())
      expect(attacker.connections()).toBe(0)
      expect(provider.requests.length).toBeGreaterThan(0)
      for (const { headers, url } of provider.requests) {
        expect(`http://${headers.host}/v1`).toBe(provider.endpoint)
        expect(url.startsWith('/')).toBe(true)
        expect(headers['x-relevo-host']).toBeUndefined()
      }
    }
  })

  test.each(FIELDS)('a turn with a field %s is refused, by its name, and nobody is asked', async (field) => {
    const provider = await serve()
    const attacker = await serve()
    const kernel = createKernel({ primary: 'openai.a', profiles: { 'openai.a': { model: 'm1', apiKey: CANARY, endpoint: provider.endpoint } } })
    for (const request of [
      { prompt: 'hi', [field]: attacker.endpoint },
      { prompt: 'hi', options: { [field]: attacker.endpoint } },
    ]) {
      expect(() => kernel.turn(request as TurnRequest)).toThrow(ConfigError)
      expect(() => kernel.turn(request as TurnRequest)).toThrow(field)
    }
    await kernel.stop()
    expect([provider.connections(), attacker.connections()]).toEqual([0, 0])
  })
})

describe('HDR-01 a name that breaks a line', () => {
  const EVIL = 'm1\r\nx-evil: 1\r\n\r\nGET /evil HTTP/1.1\r\nx-evil: 2'

  test.each(ENGINES)('%s: of a model it stays inside the address or the body', async (_name, api, engine) => {
    const provider = await serve()
    await attempt(provider, { model: EVIL, secret: new Secret(CANARY), profile: profileOf({ api }) }, engine())
    expect(provider.requests).toHaveLength(1)
    const [{ headers, url, body }] = provider.requests as [Loopback['requests'][number]]
    expect(Object.keys(headers)).not.toContain('x-evil')
    expect(decodeURIComponent(url).includes(EVIL) || (JSON.parse(body) as { model: string }).model === EVIL).toBe(true)
  })

  test('of anything that the settings put on the wire it is refused as they are read, and nothing is sent', async () => {
    const provider = await serve()
    const settings = (more: object, top: object = {}) => ({
      primary: 'openai.a',
      profiles: { 'openai.a': { model: 'm1', apiKey: CANARY, endpoint: provider.endpoint, ...more } },
      ...top,
    })
    const refused = (config: ReturnType<typeof settings>, field: string) => {
      expect(() => createKernel(config)).toThrow(ConfigError)
      expect(() => createKernel(config)).toThrow(field)
      expect(() => createKernel(config)).not.toThrow('evil')
    }
    refused(settings({ headers: { 'x-team': 'v\r\nx-evil: 1' } }), 'headers.x-team')
    refused(settings({ model: EVIL }), 'openai.a.model')
    refused(settings({ fallbackModels: [EVIL] }), 'fallbackModels[0]')
    refused(settings({ endpoint: `${provider.endpoint}\r\nx-evil: 1` }), 'openai.a.endpoint')
    refused(settings({ apiKey: EVIL }), 'openai.a.apiKey')
    refused(settings({}, { model: EVIL }), '`model`')
    refused(settings({}, { modelRoutes: [{ hint: 'h', modelProvider: 'openai.a', model: EVIL }] }), 'modelRoutes[0].model')
    refused(settings({}, { modelRoutes: [{ hint: EVIL, modelProvider: 'openai.a', model: 'm1' }] }), 'modelRoutes[0].hint')
    expect(provider.connections()).toBe(0)
  })
})

describe('SSRF-02 a model of the AI SDK', () => {
  const engine = fromAiSdk(PROVIDERS['@ai-sdk/openai'] ?? expect.fail(), { fetch: async () => expect.fail('a request was sent') })
  const end = (endpoint: string, endpointPolicy: EndpointPolicy) => {
    const { events, done } = run(engine, requestOf({ mode: 'call', secret: new Secret(CANARY), profile: profileOf({ endpoint, endpointPolicy }) }))
    return done.then(() => failureOf(events))
  }

  test.each(['http://169.254.169.254/v1', 'http://[::ffff:169.254.169.254]/v1', 'http://metadata.google.internal/v1'])(
    'asks nothing of %s',
    async (endpoint) => {
      expect(await end(endpoint, 'local-allowed')).toMatchObject({ kind: 'invalid_request', code: 'ERR_RELEVO_ADDRESS' })
      await expect(guardedFetch({ fetch: async () => expect.fail('a request was sent') })(endpoint)).rejects.toMatchObject({
        code: 'ERR_RELEVO_ADDRESS',
      })
    },
  )

  test.each(['http://127.0.0.1:9/v1', 'http://localhost.:9/v1', 'http://10.0.0.7/v1'])(
    'asks nothing of %s where endpoints are public-only',
    async (endpoint) => {
      expect(await end(endpoint, 'public-only')).toMatchObject({ kind: 'invalid_request', code: 'ERR_RELEVO_ADDRESS' })
    },
  )
})
