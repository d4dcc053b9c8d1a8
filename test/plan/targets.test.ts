import { describe, expect, it } from 'vitest'
import { OWN_MODEL } from '../../src/model/cli.ts'
import { entryName, type Plan, type Target } from '../../src/model/plan.ts'
import type { Settings } from '../../src/model/settings.ts'
import { describeHints, describeProfiles } from '../../src/plan/listing.ts'
import { planTurn } from '../../src/plan/plan.ts'
import type { Buildable } from '../../src/plan/targets.ts'
import { brief, sound, withProfiles } from '../config/support.ts'

const key = { apiKey: 'k' }
/** `a.x` is the primary; `b.y` is routed to with a key of the route; nothing leads to the others. */
const config = withProfiles(
  {
    'b.y': { ...key, model: 'm2', fallbackModels: ['m2b'], fallback: ['c.z'] },
    'c.z': { apiKeys: ['k1', 'k2'], fallbackModels: ['z9'], fallback: ['a.x'] },
    'd.none': { model: 'm4' },
    'e.chain': { ...key, model: 'm5', fallback: ['d.none'] },
    'f.pool': { apiKeys: ['k1', { env: 'ABSENT' }], model: 'm6' },
    'g.loop': { ...key, model: 'm7', fallback: ['g.loop', 'a.x'], price: { cheap: { input: 1, output: 2 } } },
    'h.routed': { model: 'm8' },
    'i.chain': { ...key, model: 'm9', fallback: ['h.routed'] },
    'claude.main': {},
  },
  {
    modelRoutes: [
      { hint: 'why', modelProvider: 'b.y', model: 'm2', apiKey: 'k-route' },
      { hint: 'how', modelProvider: 'h.routed', model: 'm8', apiKey: 'k-routed' },
    ],
  },
)
const settings = sound(config)

function planOf(targets: readonly Target[], more: { settings?: Settings; buildable?: Buildable } = {}): Plan {
  const planned = planTurn(more.settings ?? settings, { targets }, undefined, more.buildable)
  if ('error' in planned) throw new Error(`not planned: ${planned.error.code} ${planned.error.path}`)
  return planned.plan
}

function errorOf(targets: readonly Target[], buildable?: Buildable): string | null {
  const planned = planTurn(settings, { targets }, undefined, buildable)
  return 'error' in planned ? `${planned.error.code} ${planned.error.path}` : null
}

const sent = (targets: readonly Target[]): string[] => planOf(targets).entries.map(({ label, model }) => `${label} ${model}`)

describe('R7 R8 one target is called as a route would lead to it', () => {
  it('with its own model, its fallback models, its pool and its chain', () => {
    expect(sent([{ profile: 'b.y' }])).toEqual(['b.y m2', 'b.y m2b', 'c.z#1 m2', 'c.z#2 m2', 'a.x m1'])
    const { target, requested, allow } = planOf([{ profile: 'b.y', model: null }])
    expect({ target, requested, allow }).toEqual({ target: 'b.y', requested: { profile: 'b.y', model: 'm2' }, allow: null })
  })

  it('R2 R3 a model is the override of that profile, and reaches nothing below it', () => {
    expect(sent([{ profile: 'b.y', model: 'mine' }])).toEqual(['b.y mine', 'b.y m2b', 'c.z#1 mine', 'c.z#2 mine', 'a.x m1'])
    expect(planOf([{ profile: 'b.y', model: 'mine' }]).entries.map(({ index, pin }) => `${index} ${pin}`)).toEqual([
      '0 mine',
      '1 m2b',
      '2 null',
      '3 null',
      '4 m1',
    ])
    expect(planOf([{ profile: 'b.y', model: 'mine' }]).requested).toEqual({ profile: 'b.y', model: 'mine' })
  })

  it('R2 an override revives the fallback models of a profile without a model, key by key', () => {
    expect(sent([{ profile: 'c.z', model: 'mine' }])).toEqual(['c.z#1 mine', 'c.z#1 z9', 'c.z#2 mine', 'c.z#2 z9', 'a.x m1'])
    expect(sent([{ profile: 'c.z', model: 'z9' }])).toEqual(['c.z#1 z9', 'c.z#2 z9', 'a.x m1'])
  })

  it('R10 the key of a route to it signs for it, as everywhere', () => {
    const secrets = planOf([{ profile: 'b.y' }]).entries.map(({ secret }) => secret?.reveal())
    expect(secrets).toEqual(['k-route', 'k-route', 'k1', 'k2', 'k-dummy'])
  })

  it('a model that says nothing is none', () => {
    expect(planOf([{ profile: 'b.y', model: '  ' }])).toEqual(planOf([{ profile: 'b.y' }]))
    expect(errorOf([{ profile: 'c.z', model: '' }])).toBe('nothing_to_send targets[0].model')
  })

  it('R2 the override of the settings is the own model of the primary, and of nobody else', () => {
    const overridden = sound({ ...config, model: 'over' })
    expect(planOf([{ profile: 'a.x' }], { settings: overridden }).requested.model).toBe('over')
    expect(planOf([{ profile: 'b.y' }], { settings: overridden }).requested.model).toBe('m2')
    expect(planOf([{ profile: 'a.x', model: 'm1' }], { settings: overridden }).entries[0]?.model).toBe('m1')
  })

  it('a coding-agent CLI chooses its own model', () => {
    expect(sent([{ profile: 'claude.main' }])).toEqual([`claude.main ${OWN_MODEL}`])
    expect(sent([{ profile: 'claude.main' }, { profile: 'a.x' }])).toEqual([`claude.main ${OWN_MODEL}`, 'a.x m1'])
  })
})

describe('several targets', () => {
  it('are tried in their order, each alone: no fallback model, no fallback', () => {
    expect(sent([{ profile: 'b.y' }, { profile: 'a.x', model: 'other' }, { profile: 'c.z', model: 'mine' }])).toEqual([
      'b.y m2',
      'a.x other',
      'c.z#1 mine',
      'c.z#2 mine',
    ])
  })

  it('R33 ask for the first', () => {
    const { target, requested, allow } = planOf([{ profile: 'b.y', model: 'mine' }, { profile: 'a.x' }])
    expect({ target, requested, allow }).toEqual({ target: 'b.y', requested: { profile: 'b.y', model: 'mine' }, allow: null })
  })

  it('are one where they come to the same, and nothing of its own follows that one', () => {
    expect(sent([{ profile: 'b.y' }, { profile: 'b.y', model: 'm2' }, { profile: 'b.y', model: 'm3' }])).toEqual(['b.y m2', 'b.y m3'])
    expect(sent([{ profile: 'b.y' }, { profile: 'b.y' }])).toEqual(['b.y m2'])
    expect(
      sent([
        { profile: 'b.y', model: 'm' },
        { profile: 'a.x', model: 'm' },
      ]),
    ).toEqual(['b.y m', 'a.x m'])
  })

  it('R10 R11 are signed for as any target is', () => {
    const secrets = planOf([{ profile: 'c.z', model: 'm' }, { profile: 'b.y' }]).entries.map(({ secret }) => secret?.reveal())
    expect(secrets).toEqual(['k1', 'k2', 'k-route'])
  })

  it('each need a model', () => {
    expect(errorOf([{ profile: 'a.x' }, { profile: 'c.z' }])).toBe('nothing_to_send targets[1].model')
  })
})

describe('R5 a profile that nothing leads to is checked when it is asked for', () => {
  it.each<[string, readonly Target[], string]>([
    ['is not configured', [{ profile: 'a.x' }, { profile: 'z.z' }], 'unknown_provider targets[1].profile'],
    ['is a family', [{ profile: 'a' }], 'unknown_provider targets[0].profile'],
    ['has no key', [{ profile: 'd.none' }], 'missing_credential targets[0].profile'],
    ['has no key, second of several', [{ profile: 'a.x' }, { profile: 'd.none' }], 'missing_credential targets[1].profile'],
    ['lacks a key of its pool', [{ profile: 'f.pool' }], 'missing_credential targets[0].profile'],
    ['falls back to one without a key', [{ profile: 'e.chain' }], 'missing_credential targets[0].profile'],
  ])('refused where it %s', (_, targets, error) => {
    expect(errorOf(targets)).toBe(error)
  })

  it('R10 the key of a route is one for its target, and none for who falls back to it', () => {
    expect(errorOf([{ profile: 'h.routed' }])).toBeNull()
    expect(errorOf([{ profile: 'h.routed' }, { profile: 'a.x' }])).toBeNull()
    expect(errorOf([{ profile: 'i.chain' }])).toBe('missing_credential targets[0].profile')
  })

  it('the chain of one of several is not looked at', () => {
    expect(sent([{ profile: 'e.chain' }, { profile: 'a.x' }])).toEqual(['e.chain m5', 'a.x m1'])
  })

  it('refused where no engine can be made for it', () => {
    const buildable: Buildable = ({ id }) =>
      id === 'g.loop' ? { code: 'unbuildable_profile', path: 'profiles.g.loop.api', message: 'no', remedy: 'yes' } : null
    expect(errorOf([{ profile: 'g.loop' }], buildable)).toBe('unbuildable_profile targets[0].profile')
    expect(errorOf([{ profile: 'a.x' }, { profile: 'g.loop' }], buildable)).toBe('unbuildable_profile targets[1].profile')
    expect(errorOf([{ profile: 'b.y' }], buildable)).toBeNull()
  })

  it('R4 what is pruned of its chain is told with the plan, and what the settings are warned about once', () => {
    expect(brief(planOf([{ profile: 'g.loop' }]).warnings)).toEqual(['fallback_cycle profiles.g.loop.fallback[0]'])
    expect(brief(planOf([{ profile: 'g.loop', model: 'mine' }]).warnings)).toEqual(['fallback_cycle profiles.g.loop.fallback[0]'])
    const warned = sound({ ...config, primary: 'g.loop' })
    expect(planOf([{ profile: 'g.loop' }], { settings: warned }).warnings).toHaveLength(1)
  })
})

describe('TEL-02 what only a caller names makes no name of an entry', () => {
  const namesOf = (targets: readonly Target[]): string[] => planOf(targets).entries.map(entryName)

  it('a model that the settings name stands there, any other is as good as unpinned', () => {
    expect(namesOf([{ profile: 'g.loop', model: 'typed' }])).toEqual(['g.loop/*', 'a.x/m1'])
    expect(namesOf([{ profile: 'g.loop', model: 'cheap' }])).toEqual(['g.loop/cheap', 'a.x/m1'])
    expect(
      namesOf([
        { profile: 'b.y', model: 'm2b' },
        { profile: 'b.y', model: 'm2' },
        { profile: 'b.y', model: 'typed' },
      ]),
    ).toEqual(['b.y/m2b', 'b.y/m2', 'b.y/*'])
    expect(namesOf([{ profile: 'claude.main' }])).toEqual(['claude.main/*'])
  })
})

describe("R40 a target is the caller's own choice", () => {
  it('turns the automatic step off', () => {
    const effort = sound({
      ...withProfiles({ 'ollama.l': { model: 'lm', fallback: ['a.x'] } }),
      modelRoutes: [
        { hint: 'loc', modelProvider: 'ollama.l', model: 'lm' },
        { hint: 'cld', modelProvider: 'a.x', model: 'm1' },
      ],
      effortRouting: { localHint: 'loc', cloudHint: 'cld', escalation: 'auto' },
    })
    const planned = planTurn(effort, { targets: [{ profile: 'ollama.l' }], prompt: 'hi' })
    expect(planned).toMatchObject({ plan: { target: 'ollama.l', allow: null } })
    expect('plan' in planned && planned.plan.entries.map(entryName)).toEqual(['ollama.l/lm', 'a.x/m1'])
  })
})

describe('what the settings offer', () => {
  it('profiles as they are configured, without key or address', () => {
    const listed = describeProfiles(sound({ ...config, model: 'over' }))
    expect(listed.find(({ id }) => id === 'a.x')).toMatchObject({ model: 'over', models: ['over', 'm1'], cli: false, zone: 'cloud', callable: true })
    expect(listed.find(({ id }) => id === 'b.y')).toEqual({
      id: 'b.y',
      family: 'b',
      api: null,
      cli: false,
      model: 'm2',
      fallbackModels: ['m2b'],
      models: ['m2', 'm2b'],
      zone: 'cloud',
      callable: true,
    })
    expect(listed.find(({ id }) => id === 'g.loop')?.models).toEqual(['m7', 'cheap'])
    expect(listed.find(({ id }) => id === 'claude.main')).toMatchObject({ cli: true, api: null, model: null, models: [] })
    expect(listed.filter(({ callable }) => !callable).map(({ id }) => id)).toEqual(['d.none', 'e.chain', 'f.pool', 'i.chain'])
    expect(JSON.stringify(listed)).not.toMatch(/k-|"k\d?"/)
  })

  it('R8 hints with what they send: the pin of their profile, else the model of the route', () => {
    const routed = sound({
      ...config,
      modelRoutes: [
        { hint: 'pinned', modelProvider: 'b.y', model: 'ignored' },
        { hint: 'free', modelProvider: 'c.z', model: 'r' },
      ],
    })
    expect(describeHints(routed)).toEqual([
      { hint: 'pinned', profile: 'b.y', model: 'm2' },
      { hint: 'free', profile: 'c.z', model: 'r' },
    ])
    expect(describeProfiles(routed).find(({ id }) => id === 'c.z')?.models).toEqual(['z9', 'r'])
  })
})
