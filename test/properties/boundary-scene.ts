import fc from 'fast-check'
import { type CallItem, callItem, type StreamItem, streamItem } from '../../src/simulate/arbitrary-items.ts'

/**
 * Scenes in which everything that could cross a boundary happens: two settings in which nothing of any profile is alike, turns of one call and
 * of several, choices, switches, reloads in mid-turn, cancels, holds that are lifted, and providers that fail in every way.
 */
export interface SceneProfile {
  readonly model?: string
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly zone?: 'local' | 'cloud'
  readonly endpoint?: string
  readonly apiKey?: string
  readonly apiKeys?: readonly string[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
  readonly capabilities: { readonly streaming: boolean; readonly tools: boolean }
}

export interface SceneSettings {
  readonly primary: string
  readonly model: string | null
  readonly profiles: Readonly<Record<string, SceneProfile>>
  readonly modelRoutes: readonly { readonly hint: string; readonly modelProvider: string; readonly model: string; readonly apiKey?: string }[]
  readonly reliability: Readonly<Record<string, unknown>>
  readonly effortRouting: { readonly localHint: string; readonly cloudHint: string; readonly escalation: string; readonly signals: string[] } | null
}

export type SceneStep =
  | { readonly do: 'turn'; readonly model: string | null; readonly scope: string | null; readonly ask: SceneAsk }
  | { readonly do: 'open'; readonly model: string | null; readonly scope: string | null; readonly ask: SceneAsk }
  | { readonly do: 'call' | 'cancel'; readonly nth: number; readonly ask: SceneAsk }
  | { readonly do: 'switch'; readonly nth: number; readonly profile: string }
  | { readonly do: 'choose'; readonly scope: string; readonly model: string | null }
  | { readonly do: 'reload'; readonly version: number }
  | { readonly do: 'lift' }
  | { readonly do: 'pass'; readonly ms: number }

export interface SceneAsk {
  /** Place in the prompts of the scene. */
  readonly prompt: number
  readonly stream: boolean
  readonly sinks: readonly ('event' | 'draft')[]
  readonly tools: boolean
}

export interface Scene {
  /** What the kernel begins with, and what it is reloaded with. */
  readonly settings: readonly [SceneSettings, SceneSettings]
  readonly calls: readonly CallItem[]
  readonly streams: readonly StreamItem[]
  readonly steps: readonly SceneStep[]
}

export const SIGNALS = ['explain', 'why']
const IDS = ['a.x', 'ollama.box', 'b.y', 'a.w', 'c.z']
const HINTS = ['loc', 'cld', 'own']
export const SCOPES = ['session', 'channel']

/** Said by the settings of this version of this profile, and by nobody else. */
export const own = (id: string, version: number): string => `${id}@${version}`
export const keyOf = (id: string, version: number, number: number): string => `key-of-${own(id, version)}-${number}`
export const routeKeyOf = (route: number, version: number): string => `key-of-route-${route}@${version}`

function profile(id: string, index: number, version: number): fc.Arbitrary<SceneProfile> {
  return fc
    .record({
      model: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined, freq: 4 }),
      fallbackModels: fc.subarray(['m3'], { maxLength: 1 }),
      fallback: fc.oneof(
        { weight: 3, arbitrary: fc.subarray(IDS.slice(index + 1, index + 3)) },
        { weight: 1, arbitrary: fc.subarray(IDS, { maxLength: 2 }) },
      ),
      zone: fc.constantFrom('local' as const, 'cloud' as const, 'cloud' as const, undefined),
      endpoint: fc.constantFrom(`https://${id}.example/v${version}`, `http://127.0.0.1:1/${id}/v${version}`),
      pool: fc.integer({ min: 0, max: 3 }),
      capabilities: fc.record({ streaming: fc.constantFrom(true, true, true, false), tools: fc.constantFrom(true, true, true, false) }),
    })
    .map(({ model, zone, pool, ...rest }) => ({
      ...rest,
      ...(model === undefined ? {} : { model }),
      ...(zone === undefined ? {} : { zone }),
      headers: { 'x-own': own(id, version) },
      body: { own: own(id, version) },
      ...(pool === 0 ? { apiKeys: [1, 2].map((number) => keyOf(id, version, number)) } : { apiKey: keyOf(id, version, 0) }),
    }))
}

/** `version` tells the two settings of a scene apart in everything that they hold. */
function settingsOf(version: number): fc.Arbitrary<SceneSettings> {
  return fc
    .record({
      primary: fc.constantFrom(...IDS),
      model: fc.constantFrom(null, null, 'm2'),
      profiles: fc.tuple(...IDS.map((id, index) => profile(id, index, version))),
      targets: fc.tuple(...HINTS.map(() => fc.constantFrom(...IDS))),
      routeKeys: fc.tuple(...HINTS.map(() => fc.boolean())),
      escalation: fc.constantFrom(null, 'auto', 'auto', 'never'),
      reliability: fc.record({
        providerRetries: fc.integer({ min: 0, max: 2 }),
        providerBackoffMs: fc.constantFrom(0, 500),
        maxInTurnWaitMs: fc.constantFrom(30_000, 0),
        onAllHeld: fc.constantFrom('wait' as const, 'fail' as const),
        onRefusal: fc.constantFrom('stop' as const, 'advance' as const),
      }),
    })
    .map(({ profiles, targets, routeKeys, escalation, reliability, ...rest }) => ({
      ...rest,
      // The target of the local hint is local, or the settings could not be used at all (R39).
      profiles: Object.fromEntries(
        IDS.map((id, index) => [id, { ...profiles[index], ...(id === targets[0] ? { zone: 'local' as const } : {}) }]),
      ) as SceneSettings['profiles'],
      modelRoutes: HINTS.map((hint, index) => ({
        hint,
        modelProvider: targets[index] ?? 'a.x',
        model: 'm1',
        ...(routeKeys[index] === true ? { apiKey: routeKeyOf(index, version) } : {}),
      })),
      reliability: { ...reliability, jitter: 0 },
      effortRouting: escalation === null ? null : { localHint: 'loc', cloudHint: 'cld', escalation, signals: SIGNALS },
    }))
}

/** `prompts`: how many there are to choose from. */
function step(prompts: number): fc.Arbitrary<SceneStep> {
  const ask = fc.record({
    prompt: fc.nat(prompts - 1),
    stream: fc.constantFrom(true, true, true, false),
    sinks: fc.constantFrom<SceneAsk['sinks'][]>(['event'], ['event'], ['draft'], ['event', 'draft'], []),
    tools: fc.constantFrom(false, false, true),
  })
  const model = fc.constantFrom(null, null, null, 'auto', 'm1', 'plain', 'hint:none', ...HINTS.map((hint) => `hint:${hint}`))
  const scope = fc.constantFrom(null, null, ...SCOPES)
  const nth = fc.nat(3)
  return fc.oneof<fc.WeightedArbitrary<SceneStep>[]>(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('turn' as const), model, scope, ask }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('open' as const), model, scope, ask }) },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('call' as const), nth, ask }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), nth, ask }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('switch' as const), nth, profile: fc.constantFrom(...IDS) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('choose' as const), scope: fc.constantFrom(...SCOPES), model }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reload' as const), version: fc.nat(1) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('lift' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(0, 500, 5_000, 300_000) }) },
  )
}

export function sceneArbitrary(prompts: number): fc.Arbitrary<Scene> {
  return fc.record({
    settings: fc.tuple(settingsOf(0), settingsOf(1)),
    calls: fc.array(callItem(fc), { minLength: 1, maxLength: 8 }),
    streams: fc.array(streamItem(fc), { minLength: 1, maxLength: 8 }),
    steps: fc.array(step(prompts), { minLength: 2, maxLength: 14 }),
  })
}
