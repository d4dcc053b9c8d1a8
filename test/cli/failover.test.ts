import { describe, expect, it, onTestFinished } from 'vitest'
import type { Kernel, KernelConfig, Outcome, TurnEvent } from '../../src/index.ts'
import { type LoopbackProvider, type LoopbackScript, startLoopbackProvider } from '../../src/testing.ts'
import { isAlive, PROGRAMS, Stage } from './stage.ts'

/** A chain of real processes, and of processes and HTTP services: who serves, what is told, and whom the next turn goes around. */

const HOUR_MS = 3_600_000
const resetAt = (): number => Math.floor((Date.now() + HOUR_MS) / 60_000) * 60_000

interface Played {
  readonly outcome: Outcome
  readonly events: readonly TurnEvent[]
}

async function play(kernel: Kernel, request: { readonly model?: string; readonly sinks?: readonly ('event' | 'draft')[] } = {}): Promise<Played> {
  const events: TurnEvent[] = []
  const turn = kernel.turn({ prompt: 'say hello', sinks: ['event'], ...request })
  turn.events$.subscribe((event) => events.push(event))
  return { outcome: await turn.outcome, events }
}

const attemptsOf = ({ outcome }: Played): string[] => outcome.attempts.map(({ entry, mode, result }) => `${entry} ${mode}:${result}`)
const factsOf = <Type extends TurnEvent['type']>({ events }: Played, type: Type): Extract<TurnEvent, { type: Type }>[] =>
  events.filter((event): event is Extract<TurnEvent, { type: Type }> => event.type === type)

async function provider(script: LoopbackScript): Promise<LoopbackProvider> {
  const server = await startLoopbackProvider({ script })
  onTestFinished(() => server.close())
  return server
}

const http = (server: LoopbackProvider, id: string, more: object = {}): NonNullable<KernelConfig['profiles']> => ({
  [id]: { api: 'openai-chat', endpoint: server.endpoint(id), apiKey: 'key-of-a-test', model: 'm1', ...more },
})

describe('from one CLI to another', () => {
  it('T6 claude is limited, codex serves, and until the reset the next turn goes around claude', async () => {
    const at = resetAt()
    const stage = await Stage.of({
      claude: [{ limit: { resetAt: at } }, { text: 'must not be asked' }],
      codex: [{ text: 'first' }, { text: 'second' }],
    })
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['codex.y'] }, 'codex.y': {} } })
    const limited = await play(kernel)
    expect(attemptsOf(limited)).toEqual(['claude.x/* stream:rate_limited', 'codex.y/default call:ok'])
    expect(limited.outcome).toMatchObject({ kind: 'ok', text: 'first', recoveredFrom: 'stream_error', served: { profile: 'codex.y' } })
    // A change of family is always told (R35).
    expect(limited.outcome.notice).toBe('Another model or provider answered.')
    expect(factsOf(limited, 'notice').map(({ text }) => text)).toEqual([limited.outcome.notice])
    const hold = { key: 'claude.x', reason: 'limit', untilAt: at }
    expect(factsOf(limited, 'hold.set').map((fact) => fact.hold)).toEqual([hold])
    expect(kernel.holds()).toEqual([hold])

    const next = await play(kernel)
    expect(attemptsOf(next)).toEqual(['codex.y/default stream:ok'])
    expect(next.outcome.text).toBe('second')
    expect(await stage.calls('claude')).toHaveLength(1)
    // Whoever knows better lifts it.
    expect(kernel.clearHold('claude.x')).toBe(true)
    expect(attemptsOf(await play(kernel))).toEqual(['claude.x/* stream:ok'])
  })

  it('T6 a limit of one model holds that model; another one of the same account serves', async () => {
    const at = resetAt()
    const stage = await Stage.of({ 'claude:opus': [{ limit: { resetAt: at, scope: 'seven_day_opus' } }], 'claude:sonnet': [{ text: 'sonnet' }] })
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { model: 'opus', fallbackModels: ['sonnet'] } } })
    const played = await play(kernel)
    expect(attemptsOf(played)).toEqual(['claude.x/opus stream:rate_limited', 'claude.x/sonnet call:ok'])
    expect(kernel.holds()).toEqual([{ key: 'claude.x/opus', reason: 'limit', untilAt: at }])
    expect(kernel.plan().entries.map(({ model, skip }) => [model, skip])).toEqual([
      ['opus', 'held'],
      ['sonnet', null],
    ])
    expect(attemptsOf(await play(kernel))).toEqual(['claude.x/sonnet stream:ok'])
  })

  it('T6 a limit of the account takes out every model of it', async () => {
    const at = resetAt()
    const stage = await Stage.of({ 'claude:opus': [{ limit: { resetAt: at } }], claude: [{ text: 'must not be asked' }], codex: [{ text: 'codex' }] })
    const kernel = stage.kernel({
      primary: 'claude.x',
      profiles: { 'claude.x': { model: 'opus', fallbackModels: ['sonnet'], fallback: ['codex.y'] }, 'codex.y': {} },
    })
    expect(attemptsOf(await play(kernel))).toEqual(['claude.x/opus stream:rate_limited', 'codex.y/default call:ok'])
    expect(await stage.calls('claude')).toHaveLength(1)
  })

  it('everybody limited: nobody is asked again before the earliest reset, which is told', async () => {
    const at = resetAt()
    const stage = await Stage.of({ claude: [{ limit: { resetAt: at + HOUR_MS } }], codex: [{ limit: { resetAt: at } }] })
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['codex.y'] }, 'codex.y': {} } })
    expect((await play(kernel)).outcome).toMatchObject({ kind: 'all_held', retryAt: at })
    const again = await play(kernel)
    expect(again.outcome).toMatchObject({ kind: 'all_held', retryAt: at, attempts: [] })
    expect([...(await stage.calls('claude')), ...(await stage.calls('codex'))]).toHaveLength(2)
  })

  it('G14 a reset that has passed holds for a minute, so that nobody asks in a loop', async () => {
    const stage = await Stage.of({ claude: [{ limit: { resetAt: Date.now() - HOUR_MS } }] })
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': {} } })
    const { outcome } = await play(kernel)
    const [hold] = kernel.holds()
    expect(hold).toMatchObject({ key: 'claude.x', reason: 'limit' })
    expect(hold?.untilAt).toBeGreaterThanOrEqual(outcome.startedAt + 60_000)
    expect(hold?.untilAt).toBeLessThanOrEqual(outcome.endedAt + 60_000)
  })

  it('T15 a limit whose reset is near is waited out, and the same program serves', async () => {
    const stage = await Stage.of({ agy: [{ limit: { resetInMs: 1_000 } }, { text: 'back' }] }, ['agy'])
    const kernel = stage.kernel({ primary: 'agy.x', profiles: { 'agy.x': {} } })
    const played = await play(kernel)
    expect(attemptsOf(played)).toEqual(['agy.x/* stream:rate_limited', 'agy.x/* call:ok'])
    expect(factsOf(played, 'wait.started')).toMatchObject([{ why: 'hold', key: 'agy.x' }])
    const [first, second] = played.outcome.attempts
    const [set] = factsOf(played, 'hold.set')
    expect(second?.startedAt).toBeGreaterThanOrEqual(set?.hold.untilAt ?? Number.POSITIVE_INFINITY)
    expect(set?.hold.untilAt).toBeGreaterThan(first?.endedAt ?? 0)
  })

  it('T10 a program that is not installed is in no plan, and said once', async () => {
    const stage = await Stage.of({ codex: [{ text: 'codex' }] }, ['codex'])
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['codex.y', 'agy.z'] }, 'codex.y': {}, 'agy.z': {} } })
    expect(kernel.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['cli_not_installed', 'profiles.claude.x'],
      ['cli_not_installed', 'profiles.agy.z'],
    ])
    expect(attemptsOf(await play(kernel))).toEqual(['codex.y/default stream:ok'])
  })
})

describe('between a CLI and an HTTP service', () => {
  it('a limited CLI is followed by the service, and the next turn begins there', async () => {
    const server = await provider({
      'openai.y/m1': { call: [{ ok: 'from the service' }], stream: [{ events: [{ text: 'again' }, { final: 'stop' }] }] },
    })
    const stage = await Stage.of({ claude: [{ limit: { resetAt: resetAt() } }] }, ['claude'])
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['openai.y'] }, ...http(server, 'openai.y') } })
    const played = await play(kernel)
    expect(attemptsOf(played)).toEqual(['claude.x/* stream:rate_limited', 'openai.y/m1 call:ok'])
    expect(played.outcome.text).toBe('from the service')
    expect(attemptsOf(await play(kernel))).toEqual(['openai.y/m1 stream:ok'])
    expect(server.problems).toEqual([])
  })

  it('a service that is down is followed by a CLI', async () => {
    const server = await provider({ 'openai.y/m1': { stream: [{ http: 503 }], call: [{ http: 503 }] } })
    const stage = await Stage.of({ agy: [{ text: 'from the program' }] }, ['agy'])
    const kernel = stage.kernel({ primary: 'openai.y', profiles: { ...http(server, 'openai.y', { fallback: ['agy.x'] }), 'agy.x': {} } })
    const played = await play(kernel)
    expect(attemptsOf(played)).toEqual(['openai.y/m1 stream:server_error', 'agy.x/default call:ok'])
    expect(played.outcome).toMatchObject({ text: 'from the program', served: { profile: 'agy.x', model: 'default' } })
  })

  it('R28 after text has been shown nobody else is asked; R27 with a draft the next one is', async () => {
    const stage = await Stage.of({ claude: [{ text: 'one two three four', cut: true }], codex: [{ text: 'the whole' }] })
    const kernel = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['codex.y'] }, 'codex.y': {} } })
    const shown = await play(kernel)
    expect(shown.outcome).toMatchObject({ kind: 'interrupted', partialText: 'one two three four' })
    expect(await stage.calls('codex')).toHaveLength(0)
    const drafted = await play(kernel, { sinks: ['draft'] })
    expect(drafted.outcome).toMatchObject({ kind: 'ok', text: 'the whole' })
  })

  it('R1 a key reaches the program of its profile, and nothing of the host does that is on no list', async () => {
    const stage = await Stage.of({ claude: [{ auth: true }], codex: [{ text: 'served' }] })
    const config = { primary: 'claude.x', profiles: { 'claude.x': { apiKey: 'key-of-a-test', fallback: ['codex.y'] }, 'codex.y': {} } }
    const kernel = stage.kernel(config, { OPENAI_BASE_URL: 'http://127.0.0.1:1', TOKEN_OF_THE_HOST: 'x', NODE_OPTIONS: '--no-warnings' })
    expect((await play(kernel)).outcome.text).toBe('served')
    const seen = async (name: 'claude' | 'codex') => new Set((await stage.calls(name)).flatMap(({ environment }) => environment))
    const [claude, codex] = [await seen('claude'), await seen('codex')]
    expect([claude.has('ANTHROPIC_API_KEY'), codex.has('ANTHROPIC_API_KEY')]).toEqual([true, false])
    expect([claude.has('OPENAI_BASE_URL'), codex.has('OPENAI_BASE_URL')]).toEqual([false, true])
    for (const names of [claude, codex])
      expect([names.has('TOKEN_OF_THE_HOST'), names.has('NODE_OPTIONS'), names.has('PATH')]).toEqual([false, false, true])
  })

  it('C51 a turn with tools never reaches a CLI', async () => {
    const stage = await Stage.of({ claude: [{ text: 'must not be asked' }] })
    const server = await provider({ 'openai.y/m1': { stream: [{ events: [{ text: 'mine' }, { final: 'stop' }] }] } })
    const tools = [{ name: 'look', parameters: { type: 'object' } }]
    const chain = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': { fallback: ['openai.y'] }, ...http(server, 'openai.y') } })
    const served = await chain.turn({ prompt: 'hi', tools, sinks: ['event'] }).outcome
    expect(served.attempts.map(({ entry }) => entry)).toEqual(['openai.y/m1'])
    const alone = stage.kernel({ primary: 'claude.x', profiles: { 'claude.x': {} } })
    expect((await alone.turn({ prompt: 'hi', tools, sinks: ['event'] }).outcome).error).toMatchObject({ code: 'no_capable_entry' })
    expect(await stage.calls('claude')).toHaveLength(0)
  })
})

describe('a chain leaves nobody behind', () => {
  it('each program that was left for the next one is gone', async () => {
    const stage = await Stage.of({
      codex: [{ network: 'down', afterMs: 5, grandchild: true }],
      gemini: [{ limit: { resetInMs: HOUR_MS }, grandchild: true }],
      claude: [{ crash: { exit: 1 }, grandchild: true }],
      agy: [{ text: 'last', grandchild: true }],
    })
    const kernel = stage.kernel({
      primary: 'codex.x',
      profiles: { 'codex.x': { fallback: ['gemini-cli.x', 'claude.x', 'agy.x'] }, 'gemini-cli.x': {}, 'claude.x': {}, 'agy.x': {} },
    })
    const played = await play(kernel)
    expect(attemptsOf(played).map((attempt) => attempt.split(' ')[1])).toEqual(['stream:network', 'call:rate_limited', 'call:unknown', 'call:ok'])
    await stage.gone()
    const calls = (await Promise.all(PROGRAMS.map(({ name }) => stage.calls(name)))).flat()
    expect(calls.map(({ grandchild }) => grandchild === null || isAlive(grandchild))).toEqual([false, false, false, false])
    expect(await stage.survivors()).toEqual([])
  })
})
