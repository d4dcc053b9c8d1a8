import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { checkConfig } from '../../src/config/check.ts'
import type { SecretSource } from '../../src/config/credential.ts'
import { literalCredentials } from '../../src/config/literal-credential.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { Console, folderOf } from '../faces/console.ts'
import { canary, Witness } from './canary-rig.ts'

const KEY = canary('apiKey')

/** What may be written wrongly where a secret stands, or right beside it. */
const PROFILES: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a key of two lines', { apiKey: `${KEY}\n${KEY}` }],
  ['a key of another type', { apiKey: { key: KEY } }],
  ['a key in a list', { apiKey: [KEY] }],
  ['a key beside a pool', { apiKey: KEY, apiKeys: [KEY, ''] }],
  ['a pool that is none', { apiKeys: KEY }],
  ['a pool with a key of two lines', { apiKeys: [KEY, `${KEY}\u0007${KEY}`] }],
  ['a key under another name', { apikey: KEY, token: KEY, headers: { a: KEY } }],
  ['a variable that holds no key', { apiKey: 'env:BROKEN' }],
  ['a file that holds no key', { apiKey: { file: 'broken' } }],
  ['a header that the engine sets', { headers: { authorization: `Bearer ${KEY}` } }],
  ['a header without a name', { headers: { 'no name': KEY } }],
  ['a header of two lines', { headers: { 'x-key': `${KEY}\r\n${KEY}` } }],
  ['headers that are a text', { headers: KEY }],
  ['no address', { endpoint: KEY }],
  ['an address of another kind', { endpoint: `ftp://provider.example/?key=${KEY}` }],
  ['an address with a password', { endpoint: `https://user:${KEY}@provider.example/v1` }],
  ['an address of metadata', { endpoint: `http://169.254.169.254/?key=${KEY}` }],
  ['a body that is no JSON', { body: { token: () => KEY, other: new Map([[KEY, KEY]]) } }],
  ['a body that is a text', { body: KEY }],
  ['variables of a program on a service', { cli: { env: { KEY } } }],
]
const PROGRAMS: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['a variable without a name', { cli: { env: { 'NO NAME': KEY } } }],
  ['a variable that no program can be given', { cli: { env: { KEY: `${KEY}\0${KEY}` } } }],
  ['arguments that are a text', { cli: { args: `--key ${KEY}` } }],
  ['an argument that no program can be given', { cli: { args: [`${KEY}\0`] } }],
  ['an address on a program', { endpoint: `https://provider.example/?key=${KEY}`, headers: { 'x-key': KEY }, body: { key: KEY } }],
]

function thrownBy(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const BROKEN: SecretSource = { env: () => `${KEY}\n${KEY}`, file: () => `${KEY}\u0000${KEY}` }

describe('settings that are wrong', () => {
  test.each([
    ...PROFILES.map(([what, profile]) => [what, { primary: 'a.x', profiles: { 'a.x': { api: 'openai-chat', model: 'm1', ...profile } } }] as const),
    ...PROGRAMS.map(([what, profile]) => [what, { primary: 'codex.x', profiles: { 'codex.x': { model: 'm1', ...profile } } }] as const),
    [
      'a route with a key of two lines',
      { primary: 'a.x', profiles: {}, modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm', apiKey: `${KEY}\n${KEY}` }] },
    ],
    ['nothing but a key', KEY],
    ['a key in place of profiles', { primary: 'a.x', profiles: KEY }],
    ['a key in place of a profile', { primary: 'a.x', profiles: { 'a.x': KEY } }],
  ] as readonly (readonly [string, unknown])[])('SEC-01 SEC-06 %s: it is refused without being repeated', (_, written) => {
    const witness = new Witness()
    const { errors, warnings } = checkConfig(written, { secrets: BROKEN })
    witness.take('diagnostics', [errors, warnings, literalCredentials(written)])
    witness.take(
      'thrown',
      thrownBy(() => createKernel(written as never, { secrets: BROKEN })),
    )
    expect(witness.leaks).toEqual([])
  })
})

/** A provider that answers with all that it was sent. */
async function echo(status: number): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => {
      body += chunk
    })
    request.on('end', () => {
      const said = `${request.headers['authorization']} ${request.headers['x-gateway']} ${request.url} ${JSON.stringify(request.headers)} ${body}`
      response.writeHead(status, { 'content-type': 'application/json', 'x-said': encodeURIComponent(said) })
      response.end(JSON.stringify({ error: { message: said, type: said, code: request.headers['authorization'] } }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const settingsOf = (endpoint: string): string => `primary: a.x
modelFallbackNotice: detailed
ledger: { jsonl: ledger.jsonl }
reliability: { providerRetries: 0 }
profiles:
  a.x:
    api: openai-chat
    model: m1
    endpoint: "${endpoint}?key=${encodeURIComponent(canary('query'))}"
    apiKey: "${KEY}"
    headers: { x-gateway: "Bearer ${canary('header')}" }
    body: { metadata: { token: "${canary('body')}" } }
    fallback: [b.y, claude.z]
  b.y: { api: openai-chat, model: m2, endpoint: "${endpoint}", apiKeys: ["env:KEY", { file: key.txt }] }
  claude.z: { cli: { env: { GATEWAY: "${canary('variable')}" }, args: ["--token=${canary('argument')}"] } }
modelRoutes: [{ hint: h, modelProvider: a.x, model: m1, apiKey: "${canary('route')}" }]
`

const COMMANDS: readonly string[] = [
  'check',
  'check --json',
  'plan',
  'plan --json --model hint:h',
  'turn hi --log-level debug',
  'turn hi --json --model hint:h --log-level debug',
  'ledger',
  'ledger --json',
  'nonsense',
]

describe('a command', () => {
  test('SEC-01 SEC-03 SEC-06 prints nothing of a secret: checked, planned, run on a provider that repeats it, and looked up afterwards', async () => {
    const cwd = folderOf({ 'relevo.yaml': settingsOf(await echo(401)), 'key.txt': `${canary('file')}\n` })
    const witness = new Witness()
    let printed = ''
    for (const command of COMMANDS) {
      const shell = new Console({ cwd, env: { KEY: canary('env'), PATH: '/nowhere' } })
      await shell.run(...command.split(' '))
      witness.take(command, shell.both)
      printed += shell.both
    }
    expect(witness.leaks).toEqual([])
    expect(printed).toContain('[redacted]')
    expect(printed).toContain('attempt.failed')
  })

  test.each([
    ['YAML without an end', 'relevo.yaml', `primary: a.x\nprofiles:\n  a.x: { apiKey: "${KEY}\n`],
    ['YAML with a key twice', 'relevo.yaml', `primary: a.x\nprofiles: { a.x: { apiKey: ${KEY}, apiKey: ${KEY} } }\n`],
    ['YAML with a tab', 'relevo.yaml', `primary: a.x\nprofiles:\n\ta.x: { apiKey: ${KEY} }\n`],
    ['YAML with an unknown anchor', 'relevo.yaml', `primary: a.x\nprofiles: { a.x: { apiKey: *${KEY} } }\n`],
    ['YAML with a tag of its own', 'relevo.yaml', `primary: a.x\nprofiles: { a.x: { apiKey: !${KEY} ${KEY} } }\n`],
    ['JSON without an end', 'relevo.json', `{"primary":"a.x","profiles":{"a.x":{"apiKey":"${KEY}"`],
    ['JSON with a bare word', 'relevo.json', `{"primary":"a.x","profiles":{"a.x":{"apiKey":${KEY}}}}`],
    ['JSON with a trailing comma', 'relevo.json', `{"apiKey":"${KEY}",}`],
    ['a key alone', 'relevo.yaml', `${KEY}\n`],
    ['a list of keys', 'relevo.yaml', `- ${KEY}\n`],
  ])('SEC-01 SEC-06 reads settings that are none, and repeats no line of them: %s', async (_, name, text) => {
    const witness = new Witness()
    for (const command of ['check', 'turn hi']) {
      const shell = new Console({ cwd: folderOf({ [name]: text }) })
      expect(await shell.run(...command.split(' '))).toBe(2)
      witness.take(command, shell.both)
      expect(shell.both).toContain(name)
    }
    expect(witness.leaks).toEqual([])
  })
})
