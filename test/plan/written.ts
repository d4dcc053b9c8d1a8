import fc from 'fast-check'
import { checkConfig } from '../../src/config/check.ts'
import type { Settings } from '../../src/model/settings.ts'

/** Written settings whose graphs have circles, more than three hops, unknown and blank references, blank and repeated models, profiles without a model,
 * pools, and routes with their own credential. Each credential begins with the id of its profile, and says whether it is its own, of its pool or of a route.
 */
export interface Written {
  readonly model?: string
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly apiKey?: string
  readonly apiKeys?: readonly string[]
  readonly zone?: 'local' | 'cloud'
}

export interface Config {
  readonly primary: string
  readonly model: string | null
  readonly profiles: Readonly<Record<string, Written>>
  readonly modelRoutes: readonly { readonly hint: string; readonly modelProvider: string; readonly model: string; readonly apiKey?: string }[]
}

export const IDS = ['a.0', 'a.1', 'b.2', 'b.3', 'c.4', 'd.5', 'd.6']
export const model = fc.constantFrom('m1', 'm2', 'm3', '', '  ')
const reference = fc.constantFrom(...IDS, 'ghost.q', '', ' ')

const profile = (id: string): fc.Arbitrary<Written> =>
  fc
    .record({
      model: fc.option(model, { nil: undefined, freq: 3 }),
      fallbackModels: fc.array(model, { maxLength: 3 }),
      fallback: fc.array(reference, { maxLength: 4 }),
      pool: fc.integer({ min: 0, max: 3 }),
      zone: fc.option(fc.constantFrom('local' as const, 'cloud' as const), { nil: undefined }),
    })
    .map(({ pool, model: own, zone, ...rest }) => ({
      ...rest,
      ...(own === undefined ? {} : { model: own }),
      ...(zone === undefined ? {} : { zone }),
      ...(pool === 0 ? { apiKey: `${id} own` } : { apiKeys: Array.from({ length: pool }, (_, index) => `${id} pool ${index + 1}`) }),
    }))

export const config: fc.Arbitrary<Config> = fc.record({
  primary: fc.constantFrom(...IDS),
  model: fc.option(model, { nil: null }),
  profiles: fc.record(Object.fromEntries(IDS.map((id) => [id, profile(id)]))),
  modelRoutes: fc.array(fc.tuple(fc.constantFrom(...IDS), fc.constantFrom('m1', 'r'), fc.boolean()), { maxLength: 3 }).map((routes) =>
    routes.map(([id, asked, keyed], index) => ({
      hint: `h${index}`,
      modelProvider: id,
      model: asked,
      ...(keyed ? { apiKey: `${id} route ${index}` } : {}),
    })),
  ),
})

export function settingsOf(written: object): Settings {
  const { settings, errors } = checkConfig(written, { secrets: { env: () => undefined, file: () => undefined } })
  if (settings === null) throw new Error(JSON.stringify(errors))
  return settings
}
