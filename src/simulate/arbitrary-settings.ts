import type FastCheck from 'fast-check'
import { type FastCheckModule, LONGEST_MS, mostly } from './arbitrary-items.ts'

export interface GeneratedProfile {
  readonly model?: string
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly apiKey?: string
  readonly apiKeys?: readonly string[]
  readonly zone: 'local' | 'cloud'
  readonly contextWindow: number | null
  readonly capabilities: { readonly streaming: boolean; readonly toolEvents: boolean; readonly tools: boolean; readonly vision: boolean }
  readonly price: Readonly<Record<string, { input: number; output: number; cachedInput: number | null }>>
  readonly timeouts: { readonly firstByteMs: number | null; readonly idleMs: number; readonly totalMs: number }
}

/** Settings as an operator writes them; a type and not an interface, so that they are a record, as `config` of a scenario is. */
export type GeneratedSettings = {
  readonly primary: string
  readonly model: string | null
  readonly profiles: Readonly<Record<string, GeneratedProfile>>
  readonly modelRoutes: readonly { readonly hint: string; readonly modelProvider: string; readonly model: string }[]
  readonly reliability: {
    readonly providerRetries: number
    readonly providerBackoffMs: number
    readonly maxBackoffMs: number
    readonly maxInTurnWaitMs: number
    readonly defaultCooldownMs: number
    readonly onAllHeld: 'wait' | 'fail'
    readonly onRefusal: 'stop' | 'advance'
  }
  readonly budgets: {
    readonly perTurn: number | null
    readonly perRun: number | null
    readonly perDay: number | null
    readonly perProfile: number | Readonly<Record<string, number>> | null
    readonly unknownPrice: 'exceeds' | 'ignored'
  } | null
  readonly effortRouting: { readonly localHint: string; readonly cloudHint: string; readonly escalation: string } | null
}

const IDS = ['a.x', 'b.y', 'c.z', 'a.w', 'd.v'] as const
const PRICES = [{}, { m1: { input: 1, output: 2, cachedInput: 0.5 }, m2: { input: 3, output: 5, cachedInput: null } }]

function profile(fc: FastCheckModule, ids: readonly string[], index: number): FastCheck.Arbitrary<GeneratedProfile> {
  return fc
    .record({
      model: fc.option(fc.constantFrom('m1', 'm2'), { nil: undefined, freq: 5 }),
      fallbackModels: fc.subarray(['m3', 'm1'], { maxLength: 1 }),
      fallback: fc.oneof(
        { weight: 2, arbitrary: fc.constant(ids.slice(index + 1, index + 2)) },
        { weight: 1, arbitrary: fc.subarray([...ids], { maxLength: Math.min(3, ids.length) }) },
      ),
      pool: fc.integer({ min: 0, max: 7 }),
      zone: fc.constantFrom('local' as const, 'cloud' as const),
      contextWindow: fc.constantFrom(null, 1_000, 8_000),
      capabilities: fc.record({ streaming: mostly(fc), toolEvents: mostly(fc), tools: mostly(fc), vision: fc.constant(true) }),
      price: fc.constantFrom<GeneratedProfile['price'][]>(...PRICES),
      timeouts: fc.record({
        firstByteMs: fc.constantFrom(null, 5_000),
        idleMs: fc.constantFrom(90_000, 2_000),
        totalMs: fc.constantFrom(LONGEST_MS, 20_000),
      }),
    })
    .map(({ model, pool, ...rest }) => ({
      ...rest,
      ...(model === undefined ? {} : { model }),
      ...(pool === 7 ? { apiKeys: ['k1', 'k2'] } : { apiKey: 'k' }),
    }))
}

function reliability(fc: FastCheckModule): FastCheck.Arbitrary<GeneratedSettings['reliability']> {
  return fc.record({
    providerRetries: fc.integer({ min: 0, max: 3 }),
    providerBackoffMs: fc.constantFrom(0, 500, 4_000),
    maxBackoffMs: fc.constantFrom(10_000, 1_000, 50),
    maxInTurnWaitMs: fc.constantFrom(30_000, 400, 120_000, 0),
    defaultCooldownMs: fc.constantFrom(10_000, 0, 60_000),
    onAllHeld: fc.constantFrom('wait' as const, 'wait' as const, 'fail' as const),
    onRefusal: fc.constantFrom('stop' as const, 'advance' as const),
  })
}

/** Bounds that a few of the generated answers use up. */
function budgets(fc: FastCheckModule, ids: readonly string[]): FastCheck.Arbitrary<GeneratedSettings['budgets']> {
  const usd = fc.constantFrom(null, null, 0, 0.000_1, 0.001)
  const bounds = fc.record({
    perTurn: usd,
    perRun: usd,
    perDay: usd,
    perProfile: fc.oneof(
      usd,
      fc.constantFrom(...ids).chain((id) => fc.constantFrom({ [id]: 0 }, { [id]: 0.000_5 })),
    ),
    unknownPrice: fc.constantFrom('exceeds' as const, 'ignored' as const, 'ignored' as const),
  })
  return fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: bounds })
}

/** Settings that a kernel accepts: a graph of up to five profiles, cycles and pools of credentials included, with a local and a cloud route. */
export function settingsArbitrary(fc: FastCheckModule): FastCheck.Arbitrary<GeneratedSettings> {
  return fc.integer({ min: 1, max: IDS.length }).chain((count) => {
    const ids = IDS.slice(0, count)
    return fc
      .record({
        model: fc.option(fc.constant('m2'), { nil: null, freq: 1 }),
        profiles: fc.tuple(...ids.map((_, index) => profile(fc, ids, index))),
        local: fc.nat(count - 1),
        cloud: fc.nat(count - 1),
        effort: fc.option(fc.constantFrom('auto', 'never'), { nil: null, freq: 1 }),
        reliability: reliability(fc),
        budgets: budgets(fc, ids),
      })
      .map(({ model, profiles, local, cloud, effort, reliability: rules, budgets: bounds }) => ({
        primary: 'a.x',
        model,
        // The target of the local hint is local, or the settings could not be used at all (R39).
        profiles: Object.fromEntries(
          ids.map((id, index) => [id, { ...profiles[index], ...(index === local ? { zone: 'local' as const } : {}) }]),
        ) as GeneratedSettings['profiles'],
        modelRoutes: [
          { hint: 'loc', modelProvider: ids[local] ?? 'a.x', model: 'm2' },
          { hint: 'cld', modelProvider: ids[cloud] ?? 'a.x', model: 'm1' },
        ],
        reliability: rules,
        budgets: bounds,
        effortRouting: effort === null ? null : { localHint: 'loc', cloudHint: 'cld', escalation: effort },
      }))
  })
}
