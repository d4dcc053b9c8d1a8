import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import type { Engine } from '../../src/engines/contract.ts'
import { HTTP_APIS, resolveHttpEngine } from '../../src/engines/http/registry.ts'
import { ConfigError, createKernel, type KernelConfig, TurnExhaustedError } from '../../src/index.ts'
import { Secret } from '../../src/model/secret.ts'
import { systemSecrets } from '../../src/runtime/system-secrets.ts'
import { PROVIDERS } from '../engines/ai-sdk/subject.ts'
import { profileOf } from '../engines/http/request.ts'
import { attempt, failureOf, httpServer, served } from '../engines/http/server.ts'

const CANARY = 'sk-CANARY'

const serve = (...[handle]: Parameters<typeof httpServer>) => served(httpServer(handle))

/** What a person or a log may come to see of an error, its causes included. */
function printed(error: unknown): string {
  const seen: unknown[] = []
  for (let at = error; at instanceof Error && !seen.includes(at); at = at.cause) seen.push(at, at.message, at.stack)
  return `${inspect(seen, { depth: null, showHidden: true })}${JSON.stringify(error, Object.getOwnPropertyNames(error))}`
}

function thrownBy(make: () => unknown): unknown {
  try {
    make()
  } catch (error) {
    return error
  }
  return expect.fail('nothing was thrown')
}

/** Every way out that puts a key into a header. */
const ENGINES: readonly (readonly [string, string, () => Engine])[] = [
  ...HTTP_APIS.map((api) => [api, api, () => resolveHttpEngine()(profileOf({ api })) ?? expect.fail()] as const),
  ['openai-chat over a fetch', 'openai-chat', () => resolveHttpEngine({ fetch: globalThis.fetch })(profileOf()) ?? expect.fail()],
  ...Object.entries(PROVIDERS).map(([name, source]) => [name, 'openai-chat', () => fromAiSdk(source)] as const),
]

describe('SEC-02 a key that no header may carry', () => {
  const KEY = `${CANARY}\u0000x`
  const settings = (key: object): KernelConfig => ({ primary: 'openai.main', profiles: { 'openai.main': { model: 'm1', ...key } } })

  test.each<[string, KernelConfig]>([
    ['as it is', settings({ apiKey: KEY })],
    ['in a variable', settings({ apiKey: { env: 'RELEVO_KEY' } })],
    ['in a pool', settings({ apiKeys: ['k-other', KEY] })],
    ['in a header', settings({ apiKey: 'k', headers: { 'x-key': KEY } })],
    ['of a route', { ...settings({ apiKey: 'k' }), modelRoutes: [{ hint: 'h', modelProvider: 'openai.main', model: 'm', apiKey: KEY }] }],
  ])('%s: the settings are refused by the name of the field, and nothing that is thrown has the value', (_where, config) => {
    const secrets = { env: () => KEY, file: () => undefined }
    const thrown = thrownBy(() => createKernel(config, { secrets }))
    expect(thrown).toBeInstanceOf(ConfigError)
    expect((thrown as Error).message).toMatch(/apiKey|headers\.x-key/)
    expect(printed(thrown)).not.toContain(CANARY)
  })

  test.each(ENGINES)('%s: a key that comes some other way is never sent, and its platform’s error is not told', async (_name, api, engine) => {
    const server = await serve((response) => response.end('{}'))
    const events = await attempt(server, { secret: new Secret(KEY), profile: profileOf({ api }) }, engine())
    expect(['invalid_request', 'unknown']).toContain(failureOf(events)?.kind)
    expect(JSON.stringify(events)).not.toContain(CANARY)
    expect(server.requests).toEqual([])
  })
})

describe('SEC-03 a provider that echoes the key', () => {
  const KEY = 'sk-CANARY-0123456789'
  const body = (filler: number) => JSON.stringify({ error: { message: `${'m'.repeat(filler)} Incorrect API key provided: ${KEY}`, code: KEY } })

  test.each(ENGINES)('%s: the failure has not got it, cut at 500 characters or not', async (_name, api, engine) => {
    for (const mode of ['stream', 'call'] as const) {
      for (const filler of [0, 470, 2000]) {
        const server = await serve((response) => response.writeHead(401, { 'content-type': 'application/json' }).end(body(filler)))
        const events = await attempt(server, { mode, secret: new Secret(KEY), profile: profileOf({ api }) }, engine())
        expect(failureOf(events)?.kind).toBe('auth')
        expect(failureOf(events)?.message.length).toBeLessThanOrEqual(500)
        expect(JSON.stringify(events)).not.toMatch(/CANARY/i)
      }
    }
  })

  test('nor has the error of the turn, its outcome, its ledger, its log, its notices or what is inspected', async () => {
    const server = await serve((response) =>
      response.writeHead(401, { 'content-type': 'application/json' }).end(`Incorrect API key provided: ${KEY}`),
    )
    const told: unknown[] = []
    const log = (...line: unknown[]) => void told.push(line)
    const profile = { model: 'm1', apiKey: KEY, api: 'openai-chat', endpoint: server.endpoint }
    const kernel = createKernel(
      {
        primary: 'acme.main',
        profiles: { 'acme.main': { ...profile, fallback: ['acme.next'] }, 'acme.next': profile },
        modelFallbackNotice: 'detailed',
      },
      { logger: { debug: log, info: log, warn: log, error: log }, inspect: (event) => void told.push(inspect(event, { depth: 6 })) },
    )
    const turn = kernel.turn({ prompt: 'hi', sinks: { event: (event) => void told.push(event), draft: (text) => void told.push(text) } })
    const thrown = await turn.text.then(
      () => expect.fail('the turn was served'),
      (error: unknown) => error,
    )
    told.push(await turn.outcome, kernel.ledger.rows())
    await kernel.stop()
    expect(thrown).toBeInstanceOf(TurnExhaustedError)
    expect(server.requests.length).toBeGreaterThanOrEqual(2)
    expect(printed(thrown)).not.toMatch(/CANARY/i)
    const all = inspect(told, { depth: null, maxArrayLength: null, maxStringLength: null })
    expect(all).toContain('Incorrect API key provided')
    expect(all).not.toMatch(/CANARY/i)
  })
})

describe('SEC-07 a key from a file', () => {
  function keyFile(content: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'relevo-key-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'key')
    writeFileSync(path, content)
    return path
  }
  const settings = (path: string): KernelConfig => ({ primary: 'openai.main', profiles: { 'openai.main': { model: 'm1', apiKey: { file: path } } } })

  test.each(['sk-1\n', 'sk-1\r\n', '\uFEFFsk-1\n', '  sk-1  '])('%j is trimmed as it is loaded, with a warning', async (content) => {
    const kernel = createKernel(settings(keyFile(content)))
    onTestFinished(() => kernel.stop())
    expect(kernel.warnings.map(({ code, path }) => [code, path])).toEqual([['credential_trimmed', 'profiles.openai.main.apiKey']])
    const server = await serve((response) => response.writeHead(401).end())
    const sent = createKernel({
      ...settings(keyFile(content)),
      profiles: { 'openai.main': { model: 'm1', apiKey: { file: keyFile(content) }, endpoint: server.endpoint } },
    })
    await sent.turn({ prompt: 'hi' }).outcome
    await sent.stop()
    expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-1')
  })

  test('one that needs no trimming has no warning', async () => {
    const kernel = createKernel(settings(keyFile('sk-1')))
    expect(kernel.warnings).toEqual([])
    await kernel.stop()
  })

  test.each([`${CANARY}\n2`, `${CANARY}\r\nx-evil: 1\r\n`, `${CANARY}\u0000\n`, `${CANARY}\u001b[31m`])(
    '%j is refused for what is inside, without its value',
    (content) => {
      const thrown = thrownBy(() => createKernel(settings(keyFile(content))))
      expect(thrown).toBeInstanceOf(ConfigError)
      expect((thrown as Error).message).toContain('profiles.openai.main.apiKey')
      expect(printed(thrown)).not.toContain(CANARY)
    },
  )

  test('a file that cannot be read is an absent key', () => {
    expect(systemSecrets().file(join(tmpdir(), 'relevo-no-such-key'))).toBeUndefined()
  })
})
