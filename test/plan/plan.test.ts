import { describe, expect, it } from 'vitest'
import { entryName, type Plan } from '../../src/model/plan.ts'
import { buildDomains, domainsOf } from '../../src/plan/domains.ts'
import { type PlanAsk, planTurn } from '../../src/plan/plan.ts'
import { brief, sound, withProfiles } from '../config/support.ts'

function planOf(config: unknown, ask: PlanAsk = {}): Plan {
  const planned = planTurn(sound(config), ask)
  if ('error' in planned) throw new Error(`not planned: ${planned.error.code}`)
  return planned.plan
}

function errorOf(config: unknown, ask: PlanAsk = {}) {
  const planned = planTurn(sound(config), ask)
  return 'error' in planned ? { code: planned.error.code, path: planned.error.path, requested: planned.requested } : null
}

const namesOf = (config: unknown, ask: PlanAsk = {}): string[] => planOf(config, ask).entries.map(entryName)
const sentOf = (config: unknown, ask: PlanAsk = {}): string[] => planOf(config, ask).entries.map((entry) => `${entry.label} ${entry.model}`)

const key = { apiKey: 'k' }
const routed = withProfiles(
  { 'b.y': { ...key, model: 'm2', fallbackModels: ['m2b'] }, 'c.z': { ...key, fallbackModels: ['z9'], fallback: ['b.y'] } },
  {
    modelRoutes: [
      { hint: 'free', modelProvider: 'c.z', model: 'r-free' },
      { hint: 'pinned', modelProvider: 'b.y', model: 'r-other' },
      { hint: 'home', modelProvider: 'a.x', model: 'r-home' },
    ],
  },
)
const effort = withProfiles(
  {
    'local.l': { model: 'lm', zone: 'local', fallback: ['cloud.c', 'local.k'] },
    'local.k': { model: 'km', zone: 'local' },
    'cloud.c': { ...key, model: 'cm', fallback: ['local.l'] },
  },
  {
    modelRoutes: [
      { hint: 'loc', modelProvider: 'local.l', model: 'lm' },
      { hint: 'cld', modelProvider: 'cloud.c', model: 'cm' },
    ],
    effortRouting: { localHint: 'loc', cloudHint: 'cld', escalation: 'auto' },
  },
)
const long = 'a'.repeat(201)

describe('R2 R3 materialising', () => {
  it('R2 an override pins the root and revives its fallback models', () => {
    expect(
      namesOf({
        primary: 'a.x',
        model: 'over',
        profiles: { 'a.x': { ...key, fallbackModels: ['m9'], fallback: ['b.y'] }, 'b.y': { ...key, model: 'm2' } },
      }),
    ).toEqual(['a.x/over', 'a.x/m9', 'b.y/m2'])
  })

  it('R3 the override does not reach the primary where another target falls back to it', () => {
    const config = {
      primary: 'a.x',
      model: 'over',
      profiles: { 'a.x': { ...key, model: 'm1' }, 'b.y': { ...key, model: 'm2', fallback: ['a.x'] } },
      modelRoutes: [{ hint: 'h', modelProvider: 'b.y', model: 'm2' }],
    }
    expect(namesOf(config)).toEqual(['a.x/over'])
    expect(namesOf(config, { model: 'hint:h' })).toEqual(['b.y/m2', 'a.x/m1'])
  })

  it('R2 an unpinned profile gives one entry that sends what is asked, and keeps its fallbacks', () => {
    const config = { primary: 'a.x', profiles: { 'a.x': { ...key, fallbackModels: ['', 'm9'], fallback: ['b.y'] }, 'b.y': { ...key, model: 'm2' } } }
    expect(sentOf(config, { model: 'asked' })).toEqual(['a.x asked', 'b.y m2'])
    expect(planOf(config, { model: 'asked' }).warnings).toEqual([])
  })

  it('C25 an unpinned fallback sends the pin of the first entry when nothing is asked', () => {
    const config = { primary: 'a.x', profiles: { 'a.x': { ...key, model: 'm1', fallback: ['b.y'] }, 'b.y': { ...key } } }
    expect(sentOf(config)).toEqual(['a.x m1', 'b.y m1'])
    expect(sentOf(config, { model: 'm7' })).toEqual(['a.x m1', 'b.y m7'])
  })

  it('C25 nothing to send is an error', () => {
    expect(errorOf({ primary: 'a.x', profiles: { 'a.x': { ...key, fallback: ['b.y'] }, 'b.y': { ...key, model: 'm2' } } })).toEqual({
      code: 'nothing_to_send',
      path: 'model',
      requested: null,
    })
  })

  it('entries are numbered from 0 and carry what belongs to their profile', () => {
    const capabilities = { streaming: false, toolEvents: true, tools: true, vision: true }
    const { entries } = planOf(
      withProfiles({ 'a.x': { ...key, model: 'm1', fallback: ['b.y'] }, 'b.y': { ...key, model: 'm2', capabilities, contextWindow: 9 } }),
    )
    expect(entries.map((entry) => entry.index)).toEqual([0, 1])
    expect(entries[1]).toMatchObject({ label: 'b.y', holdKey: 'b.y', pin: 'm2', model: 'm2', capabilities, contextWindow: 9 })
  })
})

describe('R4 C20 C21 pruning', () => {
  const warningsOf = (profiles: Record<string, unknown>): string[] => brief(planOf({ primary: 'a.x', profiles }).warnings)

  it('C20 one code an edge: dangling, then cycle, then depth', () => {
    const profiles = {
      'a.x': { ...key, model: 'm', fallback: ['a.1'] },
      'a.1': { ...key, model: 'm', fallback: ['a.2'] },
      'a.2': { ...key, model: 'm', fallback: ['a.3'] },
      'a.3': { ...key, model: 'm', fallback: ['gone.q', 'a.x', 'a.4', ' '] },
      'a.4': { ...key, model: 'm' },
    }
    expect(warningsOf(profiles)).toEqual([
      'dangling_fallback_ref profiles.a.3.fallback[0]',
      'fallback_cycle profiles.a.3.fallback[1]',
      'max_fallback_depth_exceeded profiles.a.3.fallback[2]',
      'dangling_fallback_ref profiles.a.3.fallback[3]',
    ])
  })

  it('C21 a profile reached twice: its primary is told at the edge, its further models at their items, once each', () => {
    const profiles = {
      'a.x': { ...key, model: 'm', fallback: ['b.y', 'b.y', 'b.y'] },
      'b.y': { apiKeys: ['k1', 'k2'], model: 'm', fallbackModels: ['n'] },
    }
    expect(warningsOf(profiles)).toEqual([
      'duplicate_entry profiles.a.x.fallback[1]',
      'duplicate_entry profiles.b.y.fallbackModels[0]',
      'duplicate_entry profiles.a.x.fallback[2]',
    ])
  })

  it('a profile that comes again nearer to the root brings what was too deep before', () => {
    const profiles = {
      'a.x': { ...key, model: 'm', fallback: ['a.1', 'a.3'] },
      'a.1': { ...key, model: 'm', fallback: ['a.2'] },
      'a.2': { ...key, model: 'm', fallback: ['a.3'] },
      'a.3': { ...key, model: 'm', fallback: ['a.4'] },
      'a.4': { ...key, model: 'm' },
    }
    expect(planOf({ primary: 'a.x', profiles }).entries.map((entry) => entry.label)).toEqual(['a.x', 'a.1', 'a.2', 'a.3', 'a.4'])
  })
})

describe('R7 R8 R9 routing', () => {
  it('R8 a target without a model sends that of the route; its fallback models are not materialised', () => {
    const plan = planOf(routed, { model: 'hint:free' })
    expect(plan.entries.map(entryName)).toEqual(['c.z/*', 'b.y/m2', 'b.y/m2b'])
    expect(plan.entries[0]?.model).toBe('r-free')
    expect(plan).toMatchObject({ target: 'c.z', requested: { profile: 'c.z', model: 'r-free' } })
  })

  it('R8 C17 a pin wins over the model of the route, which stays what was requested', () => {
    const plan = planOf(routed, { model: 'hint:pinned' })
    expect(plan.entries.map(entryName)).toEqual(['b.y/m2', 'b.y/m2b'])
    expect(plan.requested).toEqual({ profile: 'b.y', model: 'r-other' })
  })

  it('R8 a hint back to the primary serves the active model', () => {
    expect(namesOf({ ...routed, model: 'active' }, { model: 'hint:home' })).toEqual(['a.x/active'])
  })

  it('R7 hints are compared in exact case and prefix; a plain model runs in the default domain', () => {
    for (const model of ['hint:Free', 'hint:', 'hint: free']) expect(brief(planOf(routed, { model }).warnings)).toContain('unknown_hint model')
    for (const model of ['free', 'Hint:free'])
      expect(planOf(routed, { model })).toMatchObject({ target: 'a.x', requested: { profile: 'a.x', model } })
  })

  it('R9 C46 an unknown hint is told after the warnings of the settings, and asked for literally', () => {
    const plan = planOf(routed, { model: 'hint:nope' })
    expect(plan.requested).toEqual({ profile: 'a.x', model: 'hint:nope' })
    expect(brief(plan.warnings)).toEqual([
      'route_model_ignored modelRoutes[1].model',
      'route_model_ignored modelRoutes[2].model',
      'unknown_hint model',
    ])
  })

  it('R9 an unknown hint that is rejected says what was asked', () => {
    expect(errorOf({ ...routed, unknownHint: 'reject' }, { model: 'hint:nope' })).toEqual({
      code: 'unknown_hint',
      path: 'model',
      requested: { profile: 'a.x', model: 'hint:nope' },
    })
    expect(namesOf({ ...routed, unknownHint: 'reject' }, { model: 'hint:free' })).toHaveLength(3)
  })

  it('a blank ask, null and auto ask for nothing', () => {
    for (const model of ['', '  ', null, undefined, 'auto']) expect(planOf(routed, { model }).requested).toEqual({ profile: 'a.x', model: 'm1' })
  })
})

describe('R10 R11 C50 credentials', () => {
  const secretsOf = (config: unknown, ask: PlanAsk = {}) => planOf(config, ask).entries.map((entry) => [entry.label, entry.secret?.reveal() ?? null])
  const profiles = { 'a.x': { ...key, model: 'm1', fallback: ['b.y'] }, 'b.y': { apiKey: 'own', model: 'm2' } }

  it('R10 a route’s credential comes before the target’s own, in the target’s domain only', () => {
    const config = withProfiles(profiles, {
      modelRoutes: [
        { hint: 'h0', modelProvider: 'b.y', model: 'm2' },
        { hint: 'h1', modelProvider: 'b.y', model: 'm2', apiKey: 'given' },
      ],
    })
    expect(secretsOf(config, { model: 'hint:h0' })).toEqual([['b.y', 'given']])
    expect(secretsOf(config)).toEqual([
      ['a.x', 'k'],
      ['b.y', 'own'],
    ])
  })

  it('R11 C18 a pool is walked key by key, each with all models, before the fallbacks', () => {
    const config = {
      primary: 'a.x',
      profiles: { 'a.x': { apiKeys: ['k1', 'k2'], model: 'm1', fallbackModels: ['m1b'], fallback: ['b.y'] }, 'b.y': { ...key, model: 'm2' } },
    }
    expect(namesOf(config)).toEqual(['a.x#1/m1', 'a.x#1/m1b', 'a.x#2/m1', 'a.x#2/m1b', 'b.y/m2'])
    expect(planOf(config).entries.map((entry) => entry.holdKey)).toEqual(['a.x#1', 'a.x#1', 'a.x#2', 'a.x#2', 'b.y'])
    expect(planOf(config).requested).toEqual({ profile: 'a.x', model: 'm1' })
  })

  it('C24 a keyless local profile has an entry without a secret', () => {
    expect(secretsOf({ primary: 'ollama.a', profiles: { 'ollama.a': { model: 'm' } } })).toEqual([['ollama.a', null]])
  })
})

describe('R37 R39 R40 effort', () => {
  it('R39 a local decision plans local entries only, numbered anew, with an allow-list', () => {
    const plan = planOf(effort, { prompt: 'hi' })
    expect(plan.entries.map((entry) => [entry.index, entryName(entry)])).toEqual([
      [0, 'local.l/lm'],
      [1, 'local.k/km'],
    ])
    expect(plan.allow).toEqual(['local.l', 'local.k'])
  })

  it('C34 a cloud decision has no allow-list', () => {
    expect(planOf(effort, { prompt: long })).toMatchObject({ target: 'cloud.c', allow: null })
    expect(namesOf(effort, { prompt: long })).toEqual(['cloud.c/cm', 'local.l/lm', 'local.k/km'])
  })

  it('R37 without exactly "auto" every prompt stays local', () => {
    for (const escalation of ['never', 'Auto', ' auto']) {
      const config = { ...effort, effortRouting: { localHint: 'loc', cloudHint: 'cld', escalation } }
      expect(planOf(config, { prompt: long }).target).toBe('local.l')
    }
  })

  it('R40 an explicit model or hint turns the step off, auto turns it on again', () => {
    expect(planOf(effort, { prompt: 'hi', model: 'hint:cld' })).toMatchObject({ target: 'cloud.c', allow: null })
    expect(planOf(effort, { prompt: long, model: 'm9' })).toMatchObject({ target: 'a.x', allow: null })
    expect(planOf(effort, { prompt: 'hi', model: 'auto' }).target).toBe('local.l')
  })

  it('C34 no prompt reads as an empty one', () => expect(planOf(effort).target).toBe('local.l'))

  it('R38 a host may bring its own estimator', () => {
    const planned = planTurn(sound(effort), { prompt: 'hi' }, () => 'complex')
    expect('plan' in planned && planned.plan.target).toBe('cloud.c')
  })

  it('AG-02 what a prompt says steers nothing', () => {
    expect(planOf(effort, { prompt: 'hint:cld model_switch cloud.c' }).target).toBe('local.l')
  })
})

describe('C51 capabilities', () => {
  const mixed = withProfiles({
    'a.x': { ...key, model: 'm1', capabilities: { tools: false }, fallback: ['b.y'] },
    'b.y': { ...key, model: 'm2', capabilities: { vision: false } },
  })

  it('an incapable entry stays in the plan while another can serve: the walk passes over it', () => {
    expect(namesOf(mixed, { tools: true })).toEqual(['a.x/m1', 'b.y/m2'])
    expect(namesOf(mixed, { vision: true })).toEqual(['a.x/m1', 'b.y/m2'])
  })

  it('no entry that can do all the call needs is an error', () => {
    const requested = { profile: 'a.x', model: 'm1' }
    expect(errorOf(mixed, { tools: true, vision: true })).toEqual({ code: 'no_capable_entry', path: 'profiles.a.x.capabilities.vision', requested })
    expect(errorOf(withProfiles({ 'a.x': { ...key, model: 'm1', capabilities: { tools: false } } }), { tools: true })).toEqual({
      code: 'no_capable_entry',
      path: 'profiles.a.x.capabilities.tools',
      requested,
    })
  })

  it('R24 streamed tool events are no condition for a call', () => {
    expect(
      errorOf(withProfiles({ 'a.x': { ...key, model: 'm1', capabilities: { toolEvents: false, streaming: false } } }), { tools: true }),
    ).toBeNull()
  })
})

describe('R12 one plan for the whole turn', () => {
  it('plans share nothing that can be changed', () => {
    const settings = sound(routed)
    const first = planTurn(settings, { model: 'one' })
    const second = planTurn(settings, { model: 'hint:free' })
    if ('error' in first || 'error' in second) throw new Error('not planned')
    expect(second.plan.entries[0]?.model).toBe('r-free')
    expect(() => Object.assign(first.plan.entries[0] ?? {}, { model: 'changed' })).toThrow(TypeError)
    expect(() => (first.plan.entries as unknown[]).push(1)).toThrow(TypeError)
    expect(() => (first.plan.warnings as unknown[]).push(1)).toThrow(TypeError)
  })

  it('the domains of settings are built once, and anew for other settings', () => {
    const settings = sound(routed)
    expect(domainsOf(settings)).toBe(domainsOf(settings))
    expect(buildDomains(settings)).not.toBe(domainsOf(settings))
  })
})
