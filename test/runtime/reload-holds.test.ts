import { describe, expect, it } from 'vitest'
import type { KernelConfig } from '../../src/runtime/kernel-door.ts'
import { type Rig, rig, settle, watch } from './rig.ts'

/** R11 R12: a hold says something of a credential, and nothing of one that is put in its place. */
type Keys = { readonly apiKey: string } | { readonly apiKeys: readonly string[] }

function config(keys: Keys, more: Partial<KernelConfig> = {}): KernelConfig {
  const written = 'apiKeys' in keys ? { apiKeys: [...keys.apiKeys] } : keys
  return {
    primary: 'a.x',
    profiles: { 'a.x': { model: 'm', ...written } },
    reliability: { jitter: 0, providerRetries: 0, onAllHeld: 'fail' },
    ...more,
  }
}

/** A kernel whose first keys were limited for an hour, one after the other. */
async function limited(keys: Keys, count: number): Promise<Rig> {
  const made = rig({ config: config(keys) })
  watch(made.kernel)
  for (let n = 0; n < count; n++) {
    await settle()
    made.last().fail('rate_limited', { retryAfterMs: 3_600_000 })
  }
  await settle()
  return made
}

/** The keys of the holds, and the entry that a turn is sent to; null when nobody is asked. */
async function reloaded(keys: Keys, count: number, next: KernelConfig): Promise<{ held: string[]; asked: string | null }> {
  const { kernel, attempts } = await limited(keys, count)
  const before = attempts.length
  kernel.reload(next)
  const held = kernel.holds().map(({ key }) => key)
  watch(kernel)
  await settle()
  const asked = attempts[before]?.request
  return { held, asked: asked === undefined ? null : (asked.secret?.reveal() ?? null) }
}

describe('R11 R12 the hold of a credential, after a reload', () => {
  const PAIR: Keys = { apiKeys: ['k1', 'k2'] }
  it.each<[string, Keys, number, Keys, { held: string[]; asked: string | null }]>([
    ['stays where nothing changed', PAIR, 1, PAIR, { held: ['a.x#1'], asked: 'k2' }],
    ['stays with a key that another is put behind', PAIR, 2, { apiKeys: ['k1', 'k2', 'k3'] }, { held: ['a.x#1', 'a.x#2'], asked: 'k3' }],
    ['ends for the key that moves up', PAIR, 1, { apiKeys: ['k2'] }, { held: [], asked: 'k2' }],
    ['ends for the key that is exchanged, and for no other', PAIR, 2, { apiKeys: ['k9', 'k2'] }, { held: ['a.x#2'], asked: 'k9' }],
    ['ends for an only key that is exchanged', { apiKey: 'k1' }, 1, { apiKey: 'k9' }, { held: [], asked: 'k9' }],
    ['moves with an only key that becomes one of a pool', { apiKey: 'k1' }, 1, { apiKeys: ['k1', 'k2'] }, { held: ['a.x#1'], asked: 'k2' }],
    ['moves with a key that another is put before', PAIR, 2, { apiKeys: ['k9', 'k1', 'k2'] }, { held: ['a.x#2', 'a.x#3'], asked: 'k9' }],
    ['moves with keys that change places', PAIR, 1, { apiKeys: ['k2', 'k1'] }, { held: ['a.x#2'], asked: 'k2' }],
    ['moves up with a key when the one before it is taken out', PAIR, 2, { apiKeys: ['k2'] }, { held: ['a.x#1'], asked: null }],
  ])('%s', async (_what, before, count, next, expected) => {
    expect(await reloaded(before, count, config(next))).toEqual(expected)
  })

  it('ends where a route brings its own key, which is called in the place of the one that was limited', async () => {
    const modelRoutes = [{ hint: 'h', modelProvider: 'a.x', model: 'm', apiKey: 'k9' }]
    expect(await reloaded({ apiKey: 'k1' }, 1, config({ apiKey: 'k1' }, { modelRoutes }))).toEqual({ held: [], asked: 'k9' })
  })

  it.each<[string, Keys, Keys, { held: string[]; asked: string | null }]>([
    ['is none of the key that was put in its place', { apiKey: 'k1' }, { apiKey: 'k9' }, { held: [], asked: 'k9' }],
    ['is that of its key in its new place', { apiKey: 'k1' }, { apiKeys: ['k9', 'k1'] }, { held: ['a.x#2'], asked: 'k9' }],
  ])('that a turn of before it brings %s', async (_what, before, next, expected) => {
    const { kernel, attempts, last } = rig({ config: config(before) })
    const turn = kernel.turn({ prompt: 'p', stream: false })
    await settle()
    kernel.reload(config(next))
    last().fail('rate_limited', { retryAfterMs: 3_600_000 })
    expect(await turn.outcome).toMatchObject({ kind: 'all_held', retryAt: 3_600_000 })
    const held = kernel.holds().map(({ key }) => key)
    watch(kernel)
    await settle()
    expect({ held, asked: attempts[1]?.request.secret?.reveal() ?? null }).toEqual(expected)
  })
})
