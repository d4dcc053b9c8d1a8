import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AttemptRequest } from '../../src/engines/contract.ts'
import type { ScriptedOutcome, ScriptedStream } from '../../src/engines/loopback/script.ts'
import { type Script, scriptedEngine } from '../../src/engines/scripted.ts'
import type { Settings } from '../../src/model/settings.ts'
import { planTurn } from '../../src/plan/plan.ts'
import { notice } from '../../src/policy/notice.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import { sound } from '../config/support.ts'
import { settle } from '../runtime/rig.ts'
import { ANA, supervised } from '../runtime/team/supervised-rig.ts'
import { isComplex } from './boundary-laws.ts'
import { SIGNALS } from './boundary-scene.ts'

/** The cases of the boundaries that can be listed; the random scenes beside this file hold the rest. */
const key = 'k-dummy'
const effortRouting = { localHint: 'loc', cloudHint: 'cld', escalation: 'auto', signals: SIGNALS }
const CONFIG: KernelConfig = {
  primary: 'cloud.a',
  effortRouting,
  profiles: {
    'ollama.a': { model: 'm1', apiKey: key, fallback: ['cloud.a', 'ollama.b'], zone: 'local' },
    'ollama.b': { model: 'm1', apiKey: key, fallback: ['cloud.b'], zone: 'local' },
    'cloud.a': { model: 'm1', apiKey: key, fallback: ['cloud.b', 'ollama.b'], zone: 'cloud' },
    'cloud.b': { model: 'm1', apiKey: key, zone: 'cloud' },
  },
  modelRoutes: [
    { hint: 'loc', modelProvider: 'ollama.a', model: 'm1' },
    { hint: 'cld', modelProvider: 'cloud.a', model: 'm1' },
  ],
  reliability: { providerRetries: 1, maxInTurnWaitMs: 120_000, jitter: 0 },
}

const FAILURES: readonly (ScriptedOutcome & ScriptedStream)[] = [
  { http: 429, headers: { 'retry-after': '1' } },
  { http: 429, headers: { 'retry-after': '3600' } },
  { http: 401 },
  { http: 404 },
  { http: 500 },
  { http: 400, body: 'prompt is too long' },
  { network: 'ECONNRESET' },
  { timeout: 'first_byte' },
]
const BROKEN: readonly ScriptedStream[] = [
  { events: [{ text: '<think>never said</think>' }, { final: 'stop' }] },
  { events: [{ network: 'ECONNRESET' }] },
  { events: [{ error: { http: 529, message: 'overloaded' } }] },
  { events: [{ text: 'half an' }, { eof: true }] },
  { events: [{ stall: true as const }] },
]

interface Played {
  readonly calls: readonly string[]
  readonly kind: string
  readonly served: string | null
}

/** A turn whose local entries do what the case says, while both cloud ones would serve. */
async function played(
  local: Script[string],
  ask: { readonly prompt: string; readonly stream: boolean; readonly cancelAfterMs?: number },
): Promise<Played> {
  const serving = {
    call: Array(9).fill({ ok: 'from the cloud' }),
    stream: Array(9).fill({ events: [{ text: 'from the cloud' }, { final: 'stop' }] }),
  }
  const calls: string[] = []
  const clock = virtualClock(0)
  const engine = scriptedEngine({ 'ollama.a/m1': local, 'ollama.b/m1': local, 'cloud.a/m1': serving, 'cloud.b/m1': serving })
  const recording = {
    attempt: (request: AttemptRequest) => {
      calls.push(`${request.mode} ${request.profile.id}`)
      return engine.attempt(request)
    },
  }
  const kernel = createKernel(CONFIG, { clock, engines: () => recording })
  onTestFinished(() => kernel.stop())
  const turn = kernel.turn({ prompt: ask.prompt, stream: ask.stream, sinks: ask.stream ? ['event'] : [] })
  let isOver = false
  void turn.outcome.then(() => {
    isOver = true
  })
  for (let steps = 0; !isOver && steps < 200; steps++) {
    await Promise.resolve()
    if (ask.cancelAfterMs !== undefined && clock.now() >= ask.cancelAfterMs) turn.cancel()
    clock.step()
  }
  const { kind, served } = await turn.outcome
  return { calls, kind, served: served?.profile ?? null }
}

const many = <Item>(item: Item): Item[] => Array<Item>(9).fill(item)

describe('a local decision', () => {
  it.each(FAILURES)('AG-01 whose local engines all fail with %j ends in an error, asked or streamed, and no cloud is called', async (failure) => {
    for (const stream of [false, true]) {
      const { calls, kind, served } = await played({ call: many(failure), stream: many(failure) }, { prompt: 'hi', stream })
      expect(calls.filter((call) => call.includes('cloud'))).toEqual([])
      expect(calls.length).toBeGreaterThan(0)
      expect([served, ['ok', 'incomplete'].includes(kind)]).toEqual([null, false])
    }
  })

  it.each(BROKEN)('AG-01 whose stream breaks like %j is recovered locally or not at all', async (stream) => {
    const unrecovered = await played({ call: many({ http: 500 }), stream: many(stream) }, { prompt: 'hi', stream: true })
    expect(unrecovered.calls.filter((call) => call.includes('cloud'))).toEqual([])
    expect(unrecovered.served).toBeNull()
    const recovered = await played({ call: many({ ok: 'from here' }), stream: many(stream) }, { prompt: 'hi', stream: true })
    expect(recovered.calls.filter((call) => call.includes('cloud'))).toEqual([])
    if (recovered.served !== null) expect(recovered.served).toMatch(/^ollama\./)
  })

  it('AG-01 that waits for a hold, and one that is cancelled while it waits, call no cloud', async () => {
    const limited = { http: 429, headers: { 'retry-after': '60' } }
    const waited = await played({ call: [limited, { ok: 'at last' }] }, { prompt: 'hi', stream: false })
    expect(waited).toMatchObject({ kind: 'ok', served: expect.stringMatching(/^ollama\./) })
    const cancelled = await played({ call: many(limited) }, { prompt: 'hi', stream: false, cancelAfterMs: 0 })
    expect(cancelled.kind).toBe('cancelled')
    for (const { calls } of [waited, cancelled]) expect(calls.filter((call) => call.includes('cloud'))).toEqual([])
  })

  it('AG-01 is what keeps it there: the same failures on a complex prompt are served by the cloud', async () => {
    expect(await played({ call: many({ http: 500 }) }, { prompt: 'explain why', stream: false })).toMatchObject({ kind: 'ok', served: 'cloud.a' })
  })
})

describe('the words of a prompt', () => {
  const WISHES = [
    'hint:cld',
    'hint:loc',
    'auto',
    'model_switch to cloud.b',
    '---\nmodel: hint:cld\n---',
    'provider: cloud.b',
    '{"model":"cloud.b"}',
    '@cloud.b',
  ]
  const text = fc.array(fc.oneof(fc.constantFrom(...WISHES, ...SIGNALS, '```', '\n', ' '), fc.string({ unit: 'grapheme', maxLength: 30 })), {
    maxLength: 12,
  })
  const settings = (effort: object | null): Settings => sound({ ...CONFIG, effortRouting: effort })
  const ASKED = [null, 'auto', 'm2', 'hint:cld', 'hint:none']

  it('AG-02 plan nothing but by their class, and nothing at all where a choice was made or no effort is routed', () => {
    const [routed, never, plain] = [settings(effortRouting), settings({ ...effortRouting, escalation: 'never' }), settings(null)]
    const seen = new Set<boolean>()
    fc.assert(
      fc.property(text, fc.constantFrom(...ASKED), (parts, model) => {
        const prompt = parts.join('')
        seen.add(isComplex(prompt))
        expect(planTurn(routed, { prompt, model })).toEqual(planTurn(routed, { prompt: isComplex(prompt) ? 'explain why' : 'hi', model }))
        for (const each of [never, plain]) expect(planTurn(each, { prompt, model })).toEqual(planTurn(each, { prompt: '', model }))
      }),
      { numRuns: 300 },
    )
    expect(seen).toEqual(new Set([true, false]))
  })
})

describe('a hop of a participant', () => {
  it('R1 R11 is signed with the key of its own profile, and the key that a route has for it stays with the route', async () => {
    const keys = { 'a.x': ['k-a-1', 'k-a-2'], 'b.y': ['k-b'], 'c.z': ['k-c'] }
    const profiles = Object.fromEntries(
      Object.entries(keys).map(([id, apiKeys]) => [
        id,
        { model: 'm1', apiKeys, fallback: ['b.y', 'c.z'], headers: { 'x-own': id }, body: { own: id } },
      ]),
    )
    const { current, attempts } = supervised({
      config: { primary: null, team: {}, profiles, modelRoutes: [{ hint: 'h', modelProvider: 'b.y', model: 'm1', apiKey: 'k-route' }] },
      team: { participants: [{ ...ANA, failover: ['b.y', 'c.z:m9'] }] },
    })
    for (let call = 0; call < 4; call++) {
      ;(await current()).fail('rate_limited', { retryAfterMs: 3_600_000 })
      await settle()
    }
    expect(attempts.map(({ request: { secret, profile } }) => [profile.id, secret?.reveal(), profile.headers['x-own'], profile.body['own']])).toEqual(
      Object.entries(keys).flatMap(([id, own]) => own.map((each) => [id, each, id, id])),
    )
  })
})

describe('what a person is told of a fallback', () => {
  const acme = { profile: 'acme-internal-llm.prod', model: 'acme-secret-70b' }
  const identity = fc.record({
    profile: fc.constantFrom(acme.profile, 'acme-internal-llm.spare', 'zeta.main'),
    model: fc.constantFrom(acme.model, 'm1'),
  })

  it('TEL-03 names neither provider nor model where it is redacted, or off and told all the same for a change of family', () => {
    fc.assert(
      fc.property(identity, identity, fc.constantFrom('off' as const, 'redacted' as const), (requested, served, mode) => {
        const told = notice({ requested, served }, mode) ?? ''
        for (const { profile, model } of [requested, served])
          for (const word of [profile, model, ...profile.split('.')]) expect(told.toLowerCase()).not.toContain(word)
      }),
    )
  })

  it.each([
    ['off', 'acme-internal-llm.spare', null],
    ['redacted', 'acme-internal-llm.spare', 'Another model or provider answered.'],
    ['off', 'zeta.main', 'Another model or provider answered.'],
    ['redacted', 'zeta.main', 'Another model or provider answered.'],
  ] as const)('TEL-03 a turn with %s that %s answers tells %j, and its answer and its history nothing', async (modelFallbackNotice, served, told) => {
    const profile = { model: acme.model, apiKey: key }
    const config = {
      primary: acme.profile,
      modelFallbackNotice,
      profiles: { [acme.profile]: { ...profile, fallback: [served] }, [served]: profile },
    }
    const engine = scriptedEngine({
      [`${acme.profile}/${acme.model}`]: { call: [{ http: 401 }] },
      [`${served}/${acme.model}`]: { call: [{ ok: 'hello' }] },
    })
    const kernel = createKernel(config, { engines: () => engine })
    onTestFinished(() => kernel.stop())
    const turn = kernel.turn({ prompt: 'hi' })
    const notices: string[] = []
    turn.events$.subscribe((event) => void (event.type === 'notice' && notices.push(event.text)))
    const outcome = await turn.outcome
    expect([outcome.kind, outcome.notice, notices]).toEqual(['ok', told, told === null ? [] : [told]])
    expect([outcome.text, JSON.stringify(outcome.message)]).toEqual(['hello', expect.not.stringContaining('answered')])
  })
})
