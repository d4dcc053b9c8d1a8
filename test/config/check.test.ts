import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../src/model/plan.ts'
import { brief, check, sound, withProfiles } from './support.ts'

const chain = { 'a.x': { model: 'm1', apiKey: 'k', fallback: ['b.y'] } }

/** [what, config, errors as `code path`] */
const fatal: readonly (readonly [string, unknown, readonly string[]])[] = [
  ['no object', 'primary: a.x', ['invalid_setting settings']],
  ['no object but a list', [], ['invalid_setting settings']],
  ['nothing at all', {}, ['unknown_primary primary']],
  ['a blank primary', withProfiles({}, { primary: ' ' }), ['unknown_primary primary']],
  ['a primary that is not configured', withProfiles({}, { primary: 'a.z' }), ['unknown_primary primary']],
  ['a primary of another type', withProfiles({}, { primary: 5 }), ['invalid_setting primary']],
  ['an unknown setting at the top', withProfiles({}, { retries: 3 }), ['unknown_setting retries']],
  ['a value that was taken for a name is not repeated', withProfiles({}, { 'apiKey:sk-CANARY': null }), ['unknown_setting apiKey']],
  ['an unknown setting in a section', withProfiles({}, { reliability: { providerRetrys: 1 } }), ['unknown_setting reliability.providerRetrys']],
  ['an unknown setting in a profile', withProfiles({ 'b.y': { fallbacks: [] } }), ['unknown_setting profiles.b.y.fallbacks']],
  [
    'an unknown setting in a route',
    withProfiles({}, { modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1', provider: 'a.x' }] }),
    ['unknown_setting modelRoutes[0].provider'],
  ],
  ['a mistyped number', withProfiles({}, { reliability: { providerRetries: 'two' } }), ['invalid_setting reliability.providerRetries']],
  ['a negative number', withProfiles({}, { reliability: { providerRetries: -1 } }), ['invalid_setting reliability.providerRetries']],
  ['a fraction where a whole number belongs', withProfiles({}, { reliability: { maxBackoffMs: 1.5 } }), ['invalid_setting reliability.maxBackoffMs']],
  [
    'an infinite wait',
    withProfiles({}, { reliability: { maxInTurnWaitMs: Number.POSITIVE_INFINITY } }),
    ['invalid_setting reliability.maxInTurnWaitMs'],
  ],
  ['a word outside its list', withProfiles({}, { unknownHint: 'warn' }), ['invalid_setting unknownHint']],
  ['a list that is a text', withProfiles({ 'b.y': { fallback: 'a.x' } }), ['invalid_setting profiles.b.y.fallback']],
  ['an item of another type', withProfiles({ 'b.y': { fallbackModels: ['m', 7] } }), ['invalid_setting profiles.b.y.fallbackModels[1]']],
  ['a profile that is a text', withProfiles({ 'b.y': 'gpt' }, { primary: 'b.y' }), ['invalid_setting profiles.b.y']],
  ['profiles that are a list', { primary: 'a.x', profiles: [] }, ['invalid_setting profiles']],
  ['a route that is a text', withProfiles({}, { modelRoutes: ['fast'] }), ['invalid_setting modelRoutes[0]']],
  ['a key that is a number', { primary: 'a.x', profiles: { 'a.x': { apiKey: 12 } } }, ['invalid_setting profiles.a.x.apiKey']],
  ['a key under an unknown form', { primary: 'a.x', profiles: { 'a.x': { apiKey: { evn: 'KEY' } } } }, ['invalid_setting profiles.a.x.apiKey']],
  ['a pool that is a text', { primary: 'a.x', profiles: { 'a.x': { apiKeys: 'k1' } } }, ['invalid_setting profiles.a.x.apiKeys']],
  ['a price without its output rate', withProfiles({ 'b.y': { price: { m: { input: 1 } } } }), ['invalid_setting profiles.b.y.price.m.output']],
  ['an end marker that is blank', withProfiles({}, { endMarkers: [''] }), ['invalid_setting endMarkers[0]']],
  ['a profile id without a family', withProfiles({ solo: {} }), ['invalid_setting profiles.solo']],
  ['a profile id with a number sign', withProfiles({ 'b.y#1': {} }), ['invalid_setting profiles.b.y#1']],
  ['both forms of a credential', withProfiles({ 'b.y': { apiKey: 'k1', apiKeys: ['k2'] } }), ['conflicting_credential profiles.b.y.apiKeys']],
  ['a primary without a credential (C24)', { primary: 'a.x', profiles: { 'a.x': { model: 'm1' } } }, ['missing_credential profiles.a.x.apiKey']],
  ['a blank credential', { primary: 'a.x', profiles: { 'a.x': { apiKey: ' ' } } }, ['missing_credential profiles.a.x.apiKey']],
  ['a fallback without a credential', withProfiles({ ...chain, 'b.y': { model: 'm2' } }), ['missing_credential profiles.b.y.apiKey']],
  ['an empty pool', { primary: 'a.x', profiles: { 'a.x': { apiKeys: [] } } }, ['missing_credential profiles.a.x.apiKey']],
  ['a pool of blanks', { primary: 'a.x', profiles: { 'a.x': { apiKeys: ['', ' '] } } }, ['missing_credential profiles.a.x.apiKey']],
  ['a pool with a blank in it', { primary: 'a.x', profiles: { 'a.x': { apiKeys: ['k1', ' '] } } }, ['missing_credential profiles.a.x.apiKeys[1]']],
  ['a variable that is not set', { primary: 'a.x', profiles: { 'a.x': { apiKey: { env: 'NO_KEY' } } } }, ['missing_credential profiles.a.x.apiKey']],
  ['a file that is not there', { primary: 'a.x', profiles: { 'a.x': { apiKey: { file: '/no/key' } } } }, ['missing_credential profiles.a.x.apiKey']],
  [
    'a route whose own key is not set',
    withProfiles({}, { modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1', apiKey: 'env:NO_KEY' }] }),
    ['missing_credential modelRoutes[0].apiKey'],
  ],
  [
    'a route without anything',
    withProfiles({}, { modelRoutes: [{}] }),
    ['required_field_empty modelRoutes[0].hint', 'required_field_empty modelRoutes[0].modelProvider', 'required_field_empty modelRoutes[0].model'],
  ],
  [
    'a route to a bare family',
    withProfiles({}, { modelRoutes: [{ hint: 'h', modelProvider: 'a', model: 'm' }] }),
    ['unknown_provider modelRoutes[0].modelProvider'],
  ],
  [
    'a third route with the first hint',
    withProfiles({}, { modelRoutes: ['h', 'g', 'h'].map((hint) => ({ hint, modelProvider: 'a.x', model: 'm1' })) }),
    ['duplicate_hint modelRoutes[2].hint'],
  ],
  [
    'effort hints that no route has (C34)',
    withProfiles({}, { effortRouting: { localHint: 'loc', cloudHint: 'cld' } }),
    ['unknown_effort_hint effortRouting.localHint', 'unknown_effort_hint effortRouting.cloudHint'],
  ],
  [
    'effort routing without its hints',
    withProfiles({}, { effortRouting: {} }),
    ['unknown_effort_hint effortRouting.localHint', 'unknown_effort_hint effortRouting.cloudHint'],
  ],
  [
    'a local hint that leads to the cloud only (C35)',
    withProfiles({}, { modelRoutes: [{ hint: 'h', modelProvider: 'a.x', model: 'm1' }], effortRouting: { localHint: 'h', cloudHint: 'h' } }),
    ['no_allowed_entry effortRouting.localHint'],
  ],
]

describe('R5 what is fatal', () => {
  it.each(fatal)('%s', (_what, config, expected) => {
    const { settings, errors } = check(config)
    expect(brief(errors)).toEqual(expected)
    expect(settings).toBeNull()
  })

  it('every fault is told at once, those of the schema first', () => {
    const { errors } = check({
      primary: 'a.nope',
      profiles: { 'a.x': { apiKey: 'k1', apiKeys: ['k2'], fallback: ['b.y'], colour: 'red' }, 'b.y': { zone: 'moon' } },
      modelRoutes: [{ hint: '', modelProvider: 'a.x', model: 'm' }],
      reliability: { jitter: 2, providerRetrys: 1 },
    })
    expect(brief(errors)).toEqual([
      'unknown_setting profiles.a.x.colour',
      'invalid_setting profiles.b.y.zone',
      'invalid_setting reliability.jitter',
      'unknown_setting reliability.providerRetrys',
      'conflicting_credential profiles.a.x.apiKeys',
      'unknown_primary primary',
      'required_field_empty modelRoutes[0].hint',
      'missing_credential profiles.b.y.apiKey',
    ])
  })

  it('each error says what, where and what to do, on one line each', () => {
    for (const [, config] of fatal) {
      for (const { message, remedy, path } of check(config).errors) {
        for (const text of [message, remedy]) expect(text).toMatch(/^[^\n]{8,}\.$/)
        expect(path).not.toBe('')
      }
    }
  })

  it('what must be written is said in words', () => {
    const texts = (config: unknown): string[] => check(config).errors.map(({ message, remedy }) => `${message} ${remedy}`)
    expect(texts(withProfiles({}, { reliability: { jitter: 2, providerRetries: '1' }, unknownHint: 'no', endMarkers: [''] }))).toEqual([
      '`reliability.providerRetries` must be of type number. Correct it: write integer of at least 0, or nothing for 2.',
      '`reliability.jitter` must be at most 1. Correct it: write number from 0 to 1, or nothing for 0.2.',
      '`unknownHint` must be one of "forward", "reject". Correct it: write "forward" | "reject", or nothing for "forward".',
      '`endMarkers[0]` must not be empty. Correct it: write list of string, or nothing for ["<eom>","<|eom|>"].',
    ])
    expect(texts(withProfiles({ 'b.y': { price: { m: { input: -1 } }, contextWindow: 0 } }))).toEqual([
      '`profiles.b.y.contextWindow` must be over 0. Correct it: write integer over 0 | null, or nothing for null.',
      '`profiles.b.y.price.m.input` must be at least 0. Correct it: write number of at least 0.',
      '`profiles.b.y.price.m.output` is missing. Add it: write number of at least 0.',
    ])
  })

  it('a mistyped name is answered with the one it is near to', () => {
    const remedyOf = (config: unknown): string | undefined => check(config).errors[0]?.remedy
    expect(remedyOf(withProfiles({}, { reliability: { providerRetrys: 1 } }))).toBe('Write `providerRetries`, or remove it.')
    expect(remedyOf(withProfiles({ 'b.y': { apikey: 'k' } }))).toBe('Write `apiKey`, or remove it.')
    expect(remedyOf(withProfiles({}, { retries: 1 }))).toContain('known here: primary, model, profiles')
  })

  it('FTL-14 FTL-15 what is never built needs neither a credential nor an engine', () => {
    const asked: string[] = []
    const { errors } = check(
      {
        primary: 'a.p0',
        profiles: {
          'a.p0': { model: 'm', apiKey: 'k', fallback: ['a.p1'] },
          'a.p1': { model: 'm', apiKey: 'k', fallback: ['a.p2'] },
          'a.p2': { model: 'm', apiKey: 'k', fallback: ['a.p3'] },
          'a.p3': { model: 'm', apiKey: 'k', fallback: ['a.p4'] },
          'a.p4': { model: 'm' },
          'b.lone': { model: 'm', apiKey: { env: 'NO_KEY' } },
        },
      },
      {},
      (profile) => {
        asked.push(profile.id)
        return null
      },
    )
    expect(errors).toEqual([])
    expect(asked).toEqual(['a.p0', 'a.p1', 'a.p2', 'a.p3'])
  })

  it('a profile that cannot be built is fatal where it is built', () => {
    const fault: Diagnostic = { code: 'unbuildable_profile', path: 'profiles.b.y.api', message: 'No.', remedy: 'Yes.' }
    const build = (config: unknown) => check(config, {}, (profile) => (profile.id === 'b.y' ? fault : null)).errors
    expect(build(withProfiles({ ...chain, 'b.y': { model: 'm2', apiKey: 'k' } }))).toEqual([fault])
    expect(build(withProfiles({ 'b.y': { model: 'm2', apiKey: 'k' } }))).toEqual([])
  })

  it('R10 a route gives its target a credential, but no fallback elsewhere', () => {
    const route = { hint: 'h', modelProvider: 'b.y', model: 'm2', apiKey: 'k1' }
    expect(check(withProfiles({ 'b.y': { model: 'm2' } }, { modelRoutes: [route] })).errors).toEqual([])
    expect(brief(check(withProfiles({ ...chain, 'b.y': { model: 'm2' } }, { modelRoutes: [route] })).errors)).toEqual([
      'missing_credential profiles.b.y.apiKey',
    ])
  })
})

describe('R4 C19 C46 warnings', () => {
  const warningsOf = (config: unknown): string[] => brief(check(config).warnings)

  it('C19 come from the domains built: the primary, then the targets in the order of the routes', () => {
    const profiles = {
      'b.y': { model: 'm2', apiKey: 'k', fallback: ['gone.b'] },
      'c.z': { model: 'm3', apiKey: 'k', fallback: ['gone.c'] },
      'd.w': { model: 'm4', apiKey: 'k', fallback: ['gone.d'] },
    }
    const modelRoutes = ['c.z', 'b.y', 'c.z'].map((modelProvider, index) => ({
      hint: `h${index}`,
      modelProvider,
      model: modelProvider === 'b.y' ? 'm2' : 'm3',
    }))
    expect(warningsOf(withProfiles(profiles, { modelRoutes }))).toEqual([
      'dangling_fallback_ref profiles.c.z.fallback[0]',
      'dangling_fallback_ref profiles.b.y.fallback[0]',
    ])
  })

  it('a fault that two domains meet is told once', () => {
    const profiles = { ...chain, 'b.y': { model: 'm2', apiKey: 'k', fallback: ['gone.q'] } }
    const modelRoutes = [{ hint: 'h', modelProvider: 'b.y', model: 'm2' }]
    expect(warningsOf(withProfiles(profiles, { modelRoutes }))).toEqual(['dangling_fallback_ref profiles.b.y.fallback[0]'])
  })

  it('C46 graph first, then credentials of routes, then models of routes', () => {
    const profiles = { 'a.x': { model: 'm1', apiKey: 'k', fallback: ['gone.q'] }, 'b.y': { model: 'm2', apiKey: 'k' } }
    const modelRoutes = [
      { hint: 'h0', modelProvider: 'b.y', model: 'other', apiKey: 'k0' },
      { hint: 'h1', modelProvider: 'b.y', model: 'm2', apiKey: 'k1' },
      { hint: 'h2', modelProvider: 'b.y', model: 'm2', apiKey: 'k0' },
    ]
    expect(warningsOf(withProfiles(profiles, { modelRoutes }))).toEqual([
      'dangling_fallback_ref profiles.a.x.fallback[0]',
      'conflicting_credential modelRoutes[1].apiKey',
      'route_model_ignored modelRoutes[0].model',
    ])
  })

  it('C50 the first route that gives a credential counts, a blank one gives none', () => {
    const modelRoutes = [
      { hint: 'h0', modelProvider: 'a.x', model: 'm1' },
      { hint: 'h1', modelProvider: 'a.x', model: 'm1', apiKey: ' ' },
      { hint: 'h2', modelProvider: 'a.x', model: 'm1', apiKey: 'k2' },
      { hint: 'h3', modelProvider: 'a.x', model: 'm1', apiKey: 'k3' },
    ]
    const { settings, warnings } = check(withProfiles({}, { modelRoutes }))
    expect(brief(warnings)).toEqual(['conflicting_credential modelRoutes[3].apiKey'])
    expect(settings?.modelRoutes.map((route) => route.secret?.reveal() ?? null)).toEqual([null, null, 'k2', 'k3'])
  })
})

describe('settings with their defaults', () => {
  it('what is not written has its default', () => {
    const settings = sound(withProfiles({}))
    expect({ ...settings, profiles: null }).toMatchObject({
      primary: 'a.x',
      model: null,
      modelRoutes: [],
      reliability: {
        providerRetries: 2,
        providerBackoffMs: 500,
        maxBackoffMs: 10_000,
        maxInTurnWaitMs: 30_000,
        defaultCooldownMs: 10_000,
        onAllHeld: 'wait',
        onRefusal: 'stop',
        jitter: 0.2,
      },
      effortRouting: null,
      unknownHint: 'forward',
      modelFallbackNotice: 'off',
      ledger: { jsonl: null, sqlite: null },
      endMarkers: ['<eom>', '<|eom|>'],
    })
    expect(settings.profiles.get('a.x')).toMatchObject({
      id: 'a.x',
      family: 'a',
      api: null,
      endpoint: null,
      headers: {},
      fallbackModels: [],
      fallback: [],
      capabilities: { streaming: true, toolEvents: true, tools: true, vision: true },
      zone: 'cloud',
      contextWindow: null,
      price: {},
      timeouts: { connectMs: 10_000, firstByteMs: null, firstOutputMs: null, idleMs: 90_000, totalMs: null },
      completion: 'strict',
    })
  })

  it('a part of a section keeps the rest of its defaults', () => {
    const settings = sound(withProfiles({ 'b.y': { timeouts: { idleMs: null }, capabilities: { vision: false } } }, { reliability: { jitter: 0 } }))
    expect(settings.profiles.get('b.y')?.timeouts).toMatchObject({ connectMs: 10_000, idleMs: null })
    expect(settings.profiles.get('b.y')?.capabilities).toEqual({ streaming: true, toolEvents: true, tools: true, vision: false })
    expect(settings.reliability).toMatchObject({ jitter: 0, providerRetries: 2 })
  })

  it('C50 a blank model is none, on the override and on a profile', () => {
    const settings = sound(withProfiles({ 'b.y': { model: '' } }, { model: ' \t' }))
    expect(settings.model).toBeNull()
    expect(settings.profiles.get('b.y')?.model).toBeNull()
  })

  it('R34 a price keeps whether a cached rate was given', () => {
    const settings = sound(withProfiles({ 'b.y': { price: { m: { input: 1, output: 2 }, n: { input: 1, output: 2, cachedInput: 0 } } } }))
    expect(settings.profiles.get('b.y')?.price).toEqual({ m: { input: 1, output: 2 }, n: { input: 1, output: 2, cachedInput: 0 } })
  })

  it('the input is left as it was', () => {
    const config = withProfiles({ 'b.y': { fallbackModels: ['m', 7], wrong: 1 } }, { reliability: { jitter: 'x' } })
    const before = structuredClone(config)
    check(config)
    expect(config).toEqual(before)
  })
})
