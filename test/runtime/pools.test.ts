import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LoopbackScript, ScriptedCallItem, ScriptedStreamItem } from '../../src/engines/loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { ConfigError } from '../../src/runtime/errors.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel, KernelConfig } from '../../src/runtime/kernel-door.ts'
import { type VirtualClock, virtualClock } from '../../src/simulate/virtual-clock.ts'

/**
 * R11: pools of credentials over real sockets. What was on the wire is read from the provider, and time is moved by hand, so that a hold ends
 * when the test says.
 */
const LIMITED: ScriptedCallItem & ScriptedStreamItem = { http: 429, headers: { 'retry-after': '60' } }
const OK: ScriptedCallItem = { ok: 'hi' }
const STREAMED: ScriptedStreamItem = { events: [{ text: 'hi' }, { final: 'stop' }] }

type ProfileInput = NonNullable<KernelConfig['profiles']>[string]

interface Pool {
  readonly kernel: Kernel
  readonly clock: VirtualClock
  readonly provider: LoopbackProvider
  /** Who was asked, in order: the entry whose credential was on the wire. */
  asked(): (string | null)[]
  turn(more?: { readonly stream?: boolean }): ReturnType<Kernel['turn']>['outcome']
}

interface PoolOptions {
  readonly script: LoopbackScript
  /** Value on the wire → whose it is. */
  readonly credentials: Readonly<Record<string, string>>
  readonly profile: ProfileInput
  readonly family?: string
  readonly more?: Partial<KernelConfig>
}

async function poolOf({ script, credentials, profile, family = 'openai', more = {} }: PoolOptions): Promise<Pool> {
  const provider = await startLoopbackProvider({ script, credentials })
  const clock = virtualClock()
  const kernel = createKernel(settingsOf(provider, profile, family, more), { clock, random: () => 0.5 })
  onTestFinished(async () => {
    await kernel.stop()
    await provider.close()
    expect(provider.problems).toEqual([])
  })
  return {
    kernel,
    clock,
    provider,
    asked: () => provider.requests.map(({ entry, mode }) => (mode === 'stream' ? `${entry} stream` : entry)),
    turn: ({ stream = false } = {}) => kernel.turn({ prompt: 'hello', sinks: stream ? ['event'] : [] }).outcome,
  }
}

function settingsOf(provider: LoopbackProvider, profile: ProfileInput, family: string, more: Partial<KernelConfig>): KernelConfig {
  const id = `${family}.p`
  return {
    primary: id,
    reliability: { jitter: 0, providerRetries: 1 },
    profiles: { [id]: { model: 'm', endpoint: provider.endpoint(id), ...profile } },
    ...more,
  }
}

function fileOf(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'relevo-pools-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'key')
  writeFileSync(path, text)
  return path
}

const TWO_KEYS = { credentials: { k1: 'p#1', k2: 'p#2' }, profile: { apiKeys: ['k1', 'k2'] } }

describe('R11 a pool of credentials', () => {
  it.each(['openai', 'anthropic', 'gemini', 'openrouter'])(
    '%s: keys from the environment, a file and the settings are each on the wire in their turn',
    async (family) => {
      vi.stubEnv('RELEVO_TEST_KEY', 'k1')
      onTestFinished(() => void vi.unstubAllEnvs())
      const { kernel, turn, asked } = await poolOf({
        script: { 'p#1/m': { call: [LIMITED] }, 'p#2/m': { call: [LIMITED] }, 'p#3/m': { call: [OK] } },
        credentials: { k1: 'p#1', k2: 'p#2', k3: 'p#3' },
        profile: { apiKeys: [{ env: 'RELEVO_TEST_KEY' }, { file: fileOf('k2\r\n') }, 'k3'] },
        family,
      })
      expect(await turn()).toMatchObject({ kind: 'ok', served: { profile: `${family}.p#3`, model: 'm' }, requested: { profile: `${family}.p` } })
      expect(asked()).toEqual(['p#1/m', 'p#2/m', 'p#3/m'])
      expect(kernel.holds()).toEqual([
        { key: `${family}.p#1`, untilAt: 60_000, reason: 'cooldown' },
        { key: `${family}.p#2`, untilAt: 60_000, reason: 'cooldown' },
      ])
      expect(kernel.ledger.rows().map(({ profile, outcome }) => [profile, outcome])).toEqual([
        [`${family}.p#1`, 'rate_limited'],
        [`${family}.p#2`, 'rate_limited'],
        [`${family}.p#3`, 'ok'],
      ])
    },
  )

  it('R26 a stream that one key is refused is recovered with the next, and the next stream begins there', async () => {
    const { turn, asked } = await poolOf({
      script: { 'p#1/m': { stream: [LIMITED, STREAMED] }, 'p#2/m': { call: [OK], stream: [STREAMED] } },
      ...TWO_KEYS,
    })
    expect((await turn({ stream: true })).served?.profile).toBe('openai.p#2')
    expect((await turn({ stream: true })).served?.profile).toBe('openai.p#2')
    expect(asked()).toEqual(['p#1/m stream', 'p#2/m', 'p#2/m stream'])
  })

  it('a key is used again when its own hold is over, whatever the others are held for', async () => {
    const later = { http: 429, headers: { 'retry-after': '600' } }
    const { kernel, clock, turn, asked } = await poolOf({
      script: { 'p#1/m': { call: [LIMITED, OK] }, 'p#2/m': { call: [OK, later] } },
      ...TWO_KEYS,
      more: { reliability: { jitter: 0, providerRetries: 0, onAllHeld: 'fail' } },
    })
    await turn()
    clock.moveTo(59_999)
    expect(await turn()).toMatchObject({ kind: 'all_held', retryAt: 60_000 })
    clock.moveTo(60_000)
    expect((await turn()).served?.profile).toBe('openai.p#1')
    expect(asked()).toEqual(['p#1/m', 'p#2/m', 'p#2/m', 'p#1/m'])
    expect(kernel.holds()).toEqual([{ key: 'openai.p#2', untilAt: 659_999, reason: 'cooldown' }])
  })

  it('R18 with all keys held nobody is asked, and the outcome says when the first is free', async () => {
    const { turn, asked } = await poolOf({
      script: { 'p#1/m': { call: [{ http: 429, headers: { 'retry-after': '90' } }] }, 'p#2/m': { call: [LIMITED] } },
      ...TWO_KEYS,
    })
    expect(await turn()).toMatchObject({ kind: 'all_held', retryAt: 60_000 })
    expect(await turn()).toMatchObject({ kind: 'all_held', retryAt: 60_000, attempts: [] })
    expect(asked()).toEqual(['p#1/m', 'p#2/m'])
  })

  it('R18 waits for the first key that comes back, where that is soon', async () => {
    const soon = { http: 429, headers: { 'retry-after': '20' } }
    const { clock, turn, asked } = await poolOf({ script: { 'p#1/m': { call: [soon, OK] }, 'p#2/m': { call: [LIMITED] } }, ...TWO_KEYS })
    const outcome = turn()
    while (clock.nextAt() !== 20_000 || asked().length < 2) await new Promise((resolve) => setImmediate(resolve))
    clock.moveTo(20_000)
    expect(await outcome).toMatchObject({ kind: 'ok', served: { profile: 'openai.p#1' } })
    expect(asked()).toEqual(['p#1/m', 'p#2/m', 'p#1/m'])
  })
})

describe('R11 a pool while many turns run', () => {
  it('those that found the first key limited share the second, and all go back when it is free', async () => {
    const many = 20
    const times = <Item>(item: Item): Item[] => Array.from({ length: many }, () => item)
    const { kernel, clock, turn, asked } = await poolOf({
      script: { 'p#1/m': { call: [...times(LIMITED), ...times(OK)] }, 'p#2/m': { call: [...times(OK), ...times(OK)] } },
      ...TWO_KEYS,
    })
    const wave = async (): Promise<unknown[]> =>
      (await Promise.all(times(null).map(() => turn()))).map(({ kind, served }) => `${kind} ${served?.profile}`)
    expect(await wave()).toEqual(times('ok openai.p#2'))
    expect(asked().sort()).toEqual([...times('p#1/m'), ...times('p#2/m')])
    expect(await wave()).toEqual(times('ok openai.p#2'))
    expect(asked().slice(2 * many)).toEqual(times('p#2/m'))
    clock.moveTo(60_000)
    expect(await wave()).toEqual(times('ok openai.p#1'))
    expect(kernel.holds()).toEqual([])
  })

  it('a turn that is being served by a key keeps it while another finds it limited', async () => {
    const { provider, turn, asked } = await poolOf({
      script: { 'p#1/m': { call: [{ ok: 'hi', afterMs: 100 }, LIMITED] }, 'p#2/m': { call: [OK, OK] } },
      ...TWO_KEYS,
    })
    const first = turn()
    await provider.requested(1)
    expect((await turn()).served?.profile).toBe('openai.p#2')
    expect((await turn()).served?.profile).toBe('openai.p#2')
    expect((await first).served?.profile).toBe('openai.p#1')
    expect(asked()).toEqual(['p#1/m', 'p#1/m', 'p#2/m', 'p#2/m'])
  })
})

describe('R11 R12 a pool that is changed while turns run', () => {
  const THREE = { k1: 'k1', k2: 'k2', k3: 'k3' }

  it('a turn goes on with the keys that it began with; the next one has those of the settings', async () => {
    const { kernel, provider, turn, asked } = await poolOf({
      script: { 'k1/m': { call: [{ http: 401, afterMs: 50 }] }, 'k2/m': { call: [OK] }, 'k3/m': { call: [OK] } },
      credentials: THREE,
      profile: { apiKeys: ['k1', 'k2'] },
    })
    const first = turn()
    await provider.requested(1)
    kernel.reload(settingsOf(provider, { apiKeys: ['k3'] }, 'openai', {}))
    expect((await first).served?.profile).toBe('openai.p#2')
    expect((await turn()).served?.profile).toBe('openai.p#1')
    expect(asked()).toEqual(['k1/m', 'k2/m', 'k3/m'])
  })

  it('the hold of a key stays with it, and a key that is added behind it is used', async () => {
    const { kernel, provider, turn, asked } = await poolOf({
      script: { 'k1/m': { call: [LIMITED] }, 'k2/m': { call: [LIMITED] }, 'k3/m': { call: [OK] } },
      credentials: THREE,
      profile: { apiKeys: ['k1', 'k2'] },
    })
    expect((await turn()).kind).toBe('all_held')
    kernel.reload(settingsOf(provider, { apiKeys: ['k1', 'k2', 'k3'] }, 'openai', {}))
    expect((await turn()).served?.profile).toBe('openai.p#3')
    expect(asked()).toEqual(['k1/m', 'k2/m', 'k3/m'])
  })

  it('a key file is read at the reload and not between; one that cannot be read refuses the reload whole', async () => {
    const path = fileOf('k1\n')
    const { kernel, provider, turn, asked } = await poolOf({
      script: { 'k1/m': { call: [OK] }, 'k2/m': { call: [OK, OK] } },
      credentials: THREE,
      profile: { apiKeys: [{ file: path }] },
    })
    const settings = settingsOf(provider, { apiKeys: [{ file: path }] }, 'openai', {})
    writeFileSync(path, '\nk2\n')
    await turn()
    kernel.reload(settings)
    await turn()
    rmSync(path)
    expect(() => kernel.reload({ ...settings, modelFallbackNotice: 'detailed' })).toThrow(ConfigError)
    await turn()
    expect(asked()).toEqual(['k1/m', 'k2/m', 'k2/m'])
  })
})
