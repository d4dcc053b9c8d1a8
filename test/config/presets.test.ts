import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAMILIES, usualEndpoint } from '../../src/config/families.ts'
import { HTTP_APIS } from '../../src/engines/http/registry.ts'
import { CHAT_DIALECTS, chatDialectOf } from '../../src/model/dialect.ts'
import { ConfigError } from '../../src/runtime/errors.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { httpServer, type Loopback } from '../engines/http/server.ts'
import { Console, folderOf } from '../faces/console.ts'
import { sound } from './support.ts'

/** What a key and a model alone lead to: each hosted family is called for real, at its own path on a server of this machine. */
const hosted = [...FAMILIES].filter(([, family]) => !family.keyless).map(([name]) => name)
const idOf = (family: string) => ({ azure: 'azure.my-resource', bedrock: 'bedrock.us-east-1' })[family] ?? `${family}.main`

const chat = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 9 }
const newer = { messages: chat.messages, max_completion_tokens: 9 }
const bearer = { authorization: 'Bearer k-dummy' }
const completions = { stream: '/chat/completions', call: '/chat/completions' }
const below = (base: string, { stream, call } = completions) => ({ stream: base + stream, call: base + call })

interface Expected {
  readonly paths: { readonly stream: string; readonly call: string }
  readonly headers: Readonly<Record<string, string>>
  /** Of a call; a stream says the same and what is its own. */
  readonly body: Readonly<Record<string, unknown>>
  readonly streamed: Readonly<Record<string, unknown>>
}
const streaming = { stream: true, stream_options: { include_usage: true } }
const unasked = { stream: true }

const EXPECTED: Readonly<Record<string, Expected>> = {
  openai: { paths: below('/v1'), headers: bearer, body: { model: 'm/1', ...newer }, streamed: streaming },
  openrouter: { paths: below('/api/v1'), headers: bearer, body: { model: 'm/1', ...chat }, streamed: streaming },
  groq: { paths: below('/openai/v1'), headers: bearer, body: { model: 'm/1', ...newer }, streamed: unasked },
  mistral: { paths: below('/v1'), headers: bearer, body: { model: 'm/1', ...chat }, streamed: unasked },
  deepseek: { paths: below(''), headers: bearer, body: { model: 'm/1', ...chat }, streamed: streaming },
  xai: { paths: below('/v1'), headers: bearer, body: { model: 'm/1', ...newer }, streamed: streaming },
  zai: { paths: below('/api/paas/v4'), headers: bearer, body: { model: 'm/1', ...chat }, streamed: unasked },
  azure: { paths: below('/openai/v1'), headers: { 'api-key': 'k-dummy' }, body: { model: 'm/1', ...newer }, streamed: streaming },
  anthropic: {
    paths: below('/v1', { stream: '/messages', call: '/messages' }),
    headers: { 'x-api-key': 'k-dummy', 'anthropic-version': '2023-06-01' },
    body: { model: 'm/1', max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
    streamed: unasked,
  },
  gemini: {
    paths: below('/v1beta/models/m%2F1', { stream: ':streamGenerateContent?alt=sse', call: ':generateContent' }),
    headers: { 'x-goog-api-key': 'k-dummy' },
    body: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], generationConfig: { maxOutputTokens: 9 } },
    streamed: {},
  },
  bedrock: {
    paths: below('/model/m%2F1', { stream: '/converse-stream', call: '/converse' }),
    headers: bearer,
    body: { messages: [{ role: 'user', content: [{ text: 'hello' }] }], inferenceConfig: { maxTokens: 9 } },
    streamed: {},
  },
}

let server: Loopback
beforeAll(async () => {
  server = await httpServer((response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{}'))
})
afterAll(() => server.close())

describe('the presets of the hosted families', () => {
  it('all stand in the table of this test', () => expect(Object.keys(EXPECTED).sort()).toEqual([...hosted].sort()))

  it.each(hosted)('%s resolves to a protocol and a dialect that are known, at an address of https', (family) => {
    const id = idOf(family)
    const profile = sound({ primary: id, profiles: { [id]: { model: 'm', apiKey: 'k' } } }).profiles.get(id)
    expect(HTTP_APIS).toContain(profile?.api)
    expect(profile).toMatchObject({ zone: 'cloud', endpoint: usualEndpoint(id) })
    expect(new URL(profile?.endpoint ?? '').protocol).toBe('https:')
    if (profile?.api === 'openai-chat') expect(chatDialectOf(profile)).toBe(family)
  })

  it.each(hosted)('%s writes its path, headers and body', async (family) => {
    const id = idOf(family)
    const preset = new URL(usualEndpoint(id) ?? '')
    const endpoint = `${new URL(server.endpoint).origin}${preset.pathname.replace(/\/$/, '')}`
    const kernel = createKernel({ primary: id, profiles: { [id]: { model: 'm/1', apiKey: 'k-dummy', endpoint } } })
    const from = server.requests.length
    await kernel.turn({ messages: [{ role: 'user', content: 'hello' }], options: { maxTokens: 9 }, sinks: ['event'] }).outcome
    await kernel.stop()
    const [streamed, called] = server.requests.slice(from)
    const { paths, headers, body, streamed: more } = EXPECTED[family] as Expected
    expect([streamed?.url, called?.url]).toEqual([paths.stream, paths.call])
    for (const request of [streamed, called])
      expect(request).toMatchObject({ method: 'POST', headers: { ...headers, 'content-type': 'application/json' } })
    expect(JSON.parse(streamed?.body ?? '')).toEqual({ ...body, ...more })
    expect(JSON.parse(called?.body ?? '')).toEqual(body)
  })
})

describe('what is no name is told with the names that are', () => {
  const problemsOf = (id: string, profile: Record<string, unknown>) => {
    try {
      void createKernel({ primary: id, profiles: { [id]: { model: 'm', apiKey: 'k', ...profile } } }).stop()
      return []
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return error.problems.map(({ path, message, remedy }) => ({ path, message, remedy }))
    }
  }
  const known = `Set \`api\` to one of: ${HTTP_APIS.join(', ')}.`
  const named = (after: string) => `Name the profile after ${after}, or set \`endpoint\` to the address of the provider.`

  it.each([
    ['a.x', { api: 'openai', endpoint: 'http://127.0.0.1:9' }, 'api', 'Profile `a.x` cannot be built: the protocol openai is unknown.', known],
    ['a.x', { endpoint: 'http://127.0.0.1:9' }, 'api', 'Profile `a.x` cannot be built: the family a has no protocol of its own.', known],
    [
      'a.x',
      { api: 'gemnii', endpoint: 'http://127.0.0.1:9' },
      'api',
      'Profile `a.x` cannot be built: the protocol gemnii is unknown.',
      `\`gemini\` may be meant. ${known}`,
    ],
    [
      'antropic.x',
      {},
      'api',
      'Profile `antropic.x` cannot be built: the family antropic has no protocol of its own.',
      `The family \`anthropic\` may be meant. ${known}`,
    ],
    ['a.x', { api: 'gemini' }, 'endpoint', 'Profile `a.x` cannot be built: it has no endpoint.', 'Set `endpoint` to the address of the provider.'],
    [
      'groq.x',
      { dialect: 'groqq' },
      'dialect',
      '`profiles.groq.x.dialect` is no dialect of openai-chat.',
      `\`groq\` may be meant. Write one of: ${CHAT_DIALECTS.join(', ')}.`,
    ],
    ['gemini.x', { dialect: 'groq' }, 'dialect', '`profiles.gemini.x.dialect` is set, but gemini has no dialects.', 'Remove it.'],
    [
      'azure.a.b',
      {},
      'endpoint',
      'Profile `azure.a.b` cannot be built: it has no endpoint, and its alias is not the name of a resource.',
      named('the name of a resource, such as `azure.my-resource`'),
    ],
    [
      'bedrock.prod',
      {},
      'endpoint',
      'Profile `bedrock.prod` cannot be built: it has no endpoint, and its alias is not a region.',
      named('a region, such as `bedrock.eu-west-1`'),
    ],
  ])('createKernel and relevo check: %s with %j', async (id, profile, field, message, remedy) => {
    const path = `profiles.${id}.${field}`
    expect(problemsOf(id, profile)).toEqual([{ path, message, remedy }])
    const settings = { primary: id, profiles: { [id]: { model: 'm', apiKey: 'env:KEY', ...profile } } }
    const shell = new Console({ cwd: folderOf({ 'relevo.json': JSON.stringify(settings) }), env: { KEY: 'k' } })
    expect(await shell.run('check')).toBe(2)
    for (const words of [path, message, remedy]) expect(shell.out).toContain(words)
  })
})
