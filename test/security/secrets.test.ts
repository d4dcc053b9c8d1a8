import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import { of } from 'rxjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AnyActorRef } from 'xstate'
import { checkConfig } from '../../src/config/check.ts'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import { resolveCliEngine } from '../../src/engines/cli/cli-engines.ts'
import { resolveHttpEngine } from '../../src/engines/http/registry.ts'
import { LOOPBACK_PROTOCOLS } from '../../src/engines/loopback/voices.ts'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { Secret } from '../../src/model/secret.ts'
import type { Profile } from '../../src/model/settings.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { CHARTS } from '../machines/edges.ts'
import { settle } from '../runtime/rig.ts'
import { ANA, supervised } from '../runtime/team/supervised-rig.ts'
import { canary, Witness } from './canary-rig.ts'
import { reachedFrom } from './reached.ts'

const PROFILE = {
  model: 'm1',
  endpoint: `https://provider.example/v1?key=${encodeURIComponent(canary('query'))}`,
  apiKeys: [canary('first of a pool'), canary('second of a pool')],
  headers: { 'x-gateway': `Bearer ${canary('header')}`, 'anthropic-beta': 'context-1m-2025-08-07' },
  body: { metadata: { auth: canary('body') } },
}

const CONFIG: KernelConfig = {
  primary: 'a.x',
  profiles: {
    'a.x': { ...PROFILE, api: 'openai-chat' },
    'claude.y': { apiKey: canary('apiKey'), cli: { env: { GATEWAY: canary('variable') }, args: ['--token', canary('argument')] } },
  },
  modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1', apiKey: canary('route') }],
}

const ANSWER: readonly ProviderEvent[] = [
  { type: 'text', text: 'Yes.' },
  { type: 'final', finish: 'stop', terminated: true },
]

const NO_SECRETS = { env: () => undefined, file: () => undefined }

/** What a console writes of a value. */
function logged(value: unknown, how: 'log' | 'dir' = 'log'): string {
  const stdout = new PassThrough()
  new Console({ stdout, inspectOptions: { depth: 12, showHidden: true } })[how](value)
  return String(stdout.read())
}

describe('SEC-06 a secret', () => {
  const secret = new Secret(canary('apiKey'))
  const error = Object.assign(new Error('refused'), { secret })

  test.each<[string, (secret: Secret) => unknown]>([
    ['in a template', (each) => `${each}`],
    ['in a sum', (each) => `key: ${each}`],
    ['in JSON', (each) => JSON.stringify({ each, list: [each] })],
    ['in a console', (each) => logged({ each, map: new Map([[each, each]]), set: new Set([each]) })],
    ['in a listing of a console', (each) => logged({ each, list: [each] }, 'dir')],
    ['in what a debugger shows', (each) => inspect(each, { showHidden: true, customInspect: false, getters: true, depth: null })],
    ['in a format', (each) => format('%s %o %O %j', each, each, each, each)],
    ['in a clone', (each) => inspect(structuredClone({ each }))],
    ['in bytes', (each) => serialize({ each })],
    ['in a copy', (each) => ({ ...each })],
    ['in its fields', (each) => Reflect.ownKeys(each).map((key) => [key, Reflect.get(each, key)])],
    ['in an error', () => `${inspect(error, { showHidden: true })} ${JSON.stringify(error)} ${error.stack}`],
  ])('%s shows nothing of its value', (_, shown) => {
    const witness = new Witness()
    witness.take('shown', shown(secret))
    expect(witness.leaks).toEqual([])
    expect(secret.reveal()).toBe(canary('apiKey'))
  })

  test('says what it is', () => {
    expect([`${secret}`, JSON.stringify({ secret }), inspect(secret), format('%s %o', secret, secret)]).toEqual([
      '[redacted]',
      '{"secret":"[redacted]"}',
      '[redacted]',
      '[redacted] [redacted]',
    ])
  })
})

describe('SEC-06 printed, as JSON and in a template', () => {
  const { settings } = checkConfig(CONFIG, { secrets: NO_SECRETS })
  const profile = (id: string): Profile => settings?.profiles.get(id) as Profile

  test('settings and their profiles show nothing of a key, a header, an address or what a program is given', () => {
    const witness = new Witness()
    for (const each of [settings, [...(settings?.profiles.values() ?? [])], profile('a.x'), profile('claude.y'), settings?.modelRoutes]) {
      witness.takePrints('settings', each)
      witness.take('settings', logged(each))
    }
    expect(settings).not.toBeNull()
    expect(witness.leaks).toEqual([])
    expect(JSON.parse(JSON.stringify(profile('a.x')))).toMatchObject({
      id: 'a.x',
      endpoint: 'https://provider.example/v1?key=[redacted]',
      headers: { 'x-gateway': '[redacted]', 'anthropic-beta': 'context-1m-2025-08-07' },
      credentials: [
        { number: 1, secret: '[redacted]' },
        { number: 2, secret: '[redacted]' },
      ],
    })
  })

  test('a clone of them has no credential', () => {
    const keys = structuredClone(profile('a.x')).credentials
    const witness = new Witness()
    witness.take('clone', [keys, structuredClone(settings?.modelRoutes)])
    expect(keys).toHaveLength(2)
    expect(witness.leaks).toEqual([])
  })

  test('what signs a request is still there for it', () => {
    expect(profile('a.x').headers['x-gateway']).toBe(`Bearer ${canary('header')}`)
    expect({ ...profile('a.x') }.endpoint).toBe(PROFILE.endpoint)
  })

  test('a kernel, its plan and its turns show nothing of them', async () => {
    const kernel = createKernel(CONFIG, { secrets: NO_SECRETS, engines: () => ({ attempt: () => of(...ANSWER) }) })
    onTestFinished(() => kernel.stop())
    const turn = kernel.turn({ prompt: 'hi' })
    expect((await turn.outcome).kind).toBe('ok')
    const witness = new Witness()
    for (const each of [kernel, kernel.plan(), turn]) {
      witness.takePrints('kernel', each)
      witness.take('kernel', logged(each))
    }
    expect(witness.leaks).toEqual([])
  })

  test('no engine holds one: they come with each attempt', async () => {
    const http = resolveHttpEngine()
    const programs = resolveCliEngine({ clock: systemClock(), environment: {}, runs: null })
    onTestFinished(async () => void (await Promise.all([http.close(), programs.close()])))
    const engines = [
      ...LOOPBACK_PROTOCOLS.map((api) => http({ ...profile('a.x'), api })),
      programs(profile('claude.y')),
      fromAiSdk(() => {
        throw new Error('never asked')
      }),
      scriptedEngine({}),
    ]
    const witness = new Witness()
    for (const each of [...engines, http, programs]) {
      witness.take('engine', each)
      witness.take('engine', logged(each))
    }
    expect(engines).not.toContain(undefined)
    expect(witness.leaks).toEqual([])
  })
})

/** What carries or addresses a request, wherever it stands. */
function carriersIn(root: unknown): string[] {
  const objects = reachedFrom(root).filter((value) => typeof value === 'object' && value !== null)
  return objects.flatMap((value) => {
    const { headers, endpoint, body, cli, secret, credentials } = value as Readonly<Record<string, unknown>>
    const found = { headers, endpoint, body, cli, secret, credentials }
    const carried = Object.entries(found).filter(([, field]) => !(field === undefined || field === null || Object.keys(field).length === 0))
    return value instanceof Secret ? ['a Secret'] : carried.map(([name]) => name)
  })
}

test('SEC-05 no chart knows a secret: neither its input, its context, its events and facts, nor what is persisted of it', async () => {
  const charts = new Set<string>()
  const witness = new Witness()
  const carriers = new Set<string>()
  const take = (where: string, value: unknown): void => {
    witness.takeFields(where, value)
    for (const carrier of carriersIn(value)) carriers.add(`${where}: ${carrier}`)
  }
  const { team, answer, current, pass, kernel, attempts } = supervised({
    config: {
      primary: 'a.x',
      team: {},
      profiles: { 'a.x': { ...PROFILE, api: 'openai-chat' }, 'b.y': { model: 'm2', apiKey: canary('apiKey'), headers: PROFILE.headers } },
      reliability: { jitter: 0, providerRetries: 1 },
    },
    team: { participants: [{ ...ANA, failover: ['b.y'] }] },
    ports: {
      inspect: (event) => {
        const actor = event.actorRef as AnyActorRef & { logic: { id?: string } }
        if (event.type === '@xstate.actor') {
          charts.add(actor.logic.id ?? '')
          actor.on('*', (fact) => take('fact', fact))
          take('input', (actor as { options?: { input?: unknown } }).options?.input)
        }
        if ('event' in event) take('event', event.event)
        if ('action' in event) take('action', event.action)
        if (event.type === '@xstate.snapshot') take('persisted', actor.getPersistedSnapshot())
      },
    },
  })
  ;(await current()).fail('server_error', { message: canary('first of a pool') })
  await pass(2_000)
  ;(await current()).fail('rate_limited', { retryAfterMs: 60_000, message: canary('first of a pool') })
  await settle()
  await answer('Done.\nplay: wait 5')
  await pass(1_000)
  await team.stop({ immediate: true })
  const turn = kernel.turn({ prompt: 'hi', sinks: ['event'] })
  ;(await current())
    .opened()
    .text('Begun.')
    .fail('network', { message: canary('header') })
  expect((await turn.outcome).kind).toBe('interrupted')
  await kernel.stop()
  expect(attempts.length).toBeGreaterThan(2)
  expect([...charts].sort()).toEqual(CHARTS.map(({ id }) => id).sort())
  expect([...witness.heard.keys()].sort()).toEqual(['action', 'event', 'fact', 'input', 'persisted'])
  expect(witness.leaks).toEqual([])
  expect([...carriers]).toEqual([])
})
