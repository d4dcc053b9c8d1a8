import { Agent, RetryAgent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { guardedFetch } from '../../src/ai-sdk.ts'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import type { Engine } from '../../src/engines/contract.ts'
import { httpEngine } from '../../src/engines/http/engine.ts'
import { httpProtocol } from '../../src/engines/http/registry.ts'
import { createKernel } from '../../src/index.ts'
import { Secret } from '../../src/model/secret.ts'
import { PROVIDERS, providerOf } from '../engines/ai-sdk/subject.ts'
import { profileOf } from '../engines/http/request.ts'
import { attempt, failureOf, httpServer, type Loopback, served } from '../engines/http/server.ts'

const CANARY = 'sk-CANARY-0123456789'
const PROMPT = 'a prompt that is nobody else’s business'

const serve = (...[handle]: Parameters<typeof httpServer>) => served(httpServer(handle))

/** A provider that sends every caller on to another origin, and what came in there. */
async function redirecting(status: number): Promise<{ provider: Loopback; other: Loopback }> {
  const other = await serve((response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  const provider = await serve((response) => response.writeHead(status, { location: `${other.endpoint}/chat/completions` }).end())
  return { provider, other }
}

const protocol = (api: string) => httpProtocol(api) ?? expect.fail()
function agent(): Agent {
  const made = new Agent()
  onTestFinished(() => made.close())
  return made
}

/** Every way out of this house; an `x-api-key` is the header that a platform's own `fetch` carries along. */
const WAYS: readonly (readonly [string, string, () => Engine])[] = [
  ['connections of our own', 'anthropic-messages', () => httpEngine(protocol('anthropic-messages'))],
  ['a dispatcher of the host', 'anthropic-messages', () => httpEngine(protocol('anthropic-messages'), { dispatcher: new RetryAgent(agent()) })],
  ['a fetch of the host', 'anthropic-messages', () => httpEngine(protocol('anthropic-messages'), { fetch: globalThis.fetch })],
  ...Object.entries(PROVIDERS).map(([name, source]) => [`the AI SDK, ${name}`, 'openai-chat', () => fromAiSdk(source)] as const),
]

describe.each(WAYS)('SSRF-04 a redirect to another origin, over %s', (_way, api, engine) => {
  test.each([
    [301, 'stream'],
    [302, 'call'],
    [303, 'stream'],
    [307, 'stream'],
    [307, 'call'],
    [308, 'call'],
  ] as const)('%i to a %s: nothing arrives there, and the failure is of the protocol', async (status, mode) => {
    const { provider, other } = await redirecting(status)
    const secret = new Secret(CANARY)
    const events = await attempt(provider, { mode, secret, profile: profileOf({ api }), messages: [{ role: 'user', content: PROMPT }] }, engine())
    expect(failureOf(events)).toMatchObject({ kind: 'protocol', status })
    expect([provider.requests.length, other.connections()]).toEqual([1, 0])
    expect(JSON.stringify(events)).not.toContain(CANARY)
  })
})

test('SSRF-04 guardedFetch follows no redirect for a host either, and a page cannot see its status', async () => {
  const { provider, other } = await redirecting(307)
  const ask = (fetch: typeof globalThis.fetch) =>
    providerOf('@ai-sdk/anthropic', { endpoint: provider.endpoint, fetch }).doGenerate({
      prompt: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
    })
  await expect(ask(guardedFetch())).rejects.toMatchObject({ statusCode: 307 })
  expect(other.connections()).toBe(0)

  const hidden = Object.defineProperties(new Response(null), { type: { value: 'opaqueredirect' }, status: { value: 0 } })
  await expect(ask(guardedFetch({ fetch: async () => hidden }))).rejects.toMatchObject({ statusCode: 302 })
})

test('SSRF-04 the turn goes on to the next entry at once, whatever retries are left', async () => {
  const { provider, other } = await redirecting(307)
  const healthy = await serve((response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}'),
  )
  const profile = { model: 'm1', apiKey: CANARY, api: 'openai-chat' }
  const kernel = createKernel({
    primary: 'acme.main',
    profiles: {
      'acme.main': { ...profile, endpoint: provider.endpoint, fallback: ['acme.next'] },
      'acme.next': { ...profile, endpoint: healthy.endpoint },
    },
    reliability: { providerRetries: 5 },
  })
  const { kind, text, attempts } = await kernel.turn({ prompt: PROMPT }).outcome
  await kernel.stop()
  expect([kind, text, attempts.map((one) => one.result)]).toEqual(['ok', 'hi', ['protocol', 'ok']])
  expect([provider.requests.length, other.connections()]).toEqual([1, 0])
})
