import { describe, expect, test } from 'vitest'
import { checkConfig } from '../../../src/config/check.ts'
import { entryConfig } from '../../../src/config/team/entry-config.ts'
import type { Settings } from '../../../src/model/settings.ts'

const NO_LIMITS = { turnTimeoutMin: null, stallMin: null, directory: null }
const OPTIONS = { secrets: { env: () => undefined, file: () => undefined } }
const WRITTEN = {
  primary: 'a.x',
  team: { maxIterations: 7 },
  reliability: { providerRetries: 4, jitter: 0 },
  modelRoutes: [{ hint: 'fast', modelProvider: 'a.x', model: 'm9' }],
  profiles: {
    'a.x': {
      api: 'openai-chat',
      endpoint: 'http://127.0.0.1:1',
      model: 'm1',
      fallbackModels: ['m2'],
      apiKey: 'k',
      fallback: ['claude.main'],
      timeouts: { connectMs: 7 },
    },
    'claude.main': { model: 'sonnet', cli: { args: ['--verbose'], directory: '/own', stallMs: 1_000 } },
  },
}

/** The settings of one entry, as they are once they are checked. */
function checked(provider: string, model: string | null = null, limits = {}, written: unknown = WRITTEN): Settings {
  const { settings, errors } = checkConfig(entryConfig(written, { provider, model }, { ...NO_LIMITS, ...limits }), OPTIONS)
  if (settings === null) throw new Error(JSON.stringify(errors))
  return settings
}

describe('the settings under which an entry of a chain is called', () => {
  test('T8 are those of its one profile, which falls back to nothing', () => {
    const settings = checked('a.x')
    expect([...settings.profiles.keys()]).toEqual(['a.x'])
    expect(settings.profiles.get('a.x')).toMatchObject({ model: 'm1', fallback: [], fallbackModels: [], timeouts: { connectMs: 7, totalMs: null } })
    expect(settings.modelRoutes).toEqual([])
    expect(settings.reliability).toMatchObject({ providerRetries: 4, jitter: 0 })
  })

  test('T1 the bare name has those of `<name>.main`, and the defaults where there is no such profile', () => {
    expect(checked('claude').profiles.get('claude.main')).toMatchObject({
      model: 'sonnet',
      cli: { args: ['--verbose'], directory: '/own', stallMs: 1_000 },
    })
    expect(checked('codex').profiles.get('codex.main')).toMatchObject({ model: null, cli: { args: [], directory: null } })
    expect(checked('gemini-cli', null, {}, null).profiles.get('gemini-cli.main')?.cli).not.toBeNull()
  })

  test('T10 a model that the entry names comes before that of the profile', () => {
    expect(checked('claude', 'haiku').profiles.get('claude.main')?.model).toBe('haiku')
    expect(checked('a.x', 'qwen:8b').profiles.get('a.x')?.model).toBe('qwen:8b')
  })

  test('T19 a program is called once a run, an HTTP service as often as its settings say', () => {
    expect(checked('claude').reliability.providerRetries).toBe(0)
    expect(checked('codex', null, {}, {}).reliability.providerRetries).toBe(0)
    expect(checked('a.x').reliability.providerRetries).toBe(4)
  })

  test('its directory is that of the team unless the profile has one', () => {
    expect(checked('claude', null, { directory: '/night' }).profiles.get('claude.main')?.cli?.directory).toBe('/own')
    expect(checked('codex', null, { directory: '/night' }).profiles.get('codex.main')?.cli?.directory).toBe('/night')
    expect(checked('a.x', null, { directory: '/night' }).profiles.get('a.x')?.cli).toBeNull()
  })

  test.each([
    [90, 5, 5_400_000, 300_000],
    [0.000_001, 0.000_001, 1, 1],
    [5_256_000, 5_256_000, 315_360_000_000, 315_360_000_000],
  ])('a turn of %d and a silence of %d minutes are bounds that every profile can have', (turnTimeoutMin, stallMin, totalMs, idleMs) => {
    const limits = { turnTimeoutMin, stallMin }
    expect(checked('a.x', null, limits).profiles.get('a.x')?.timeouts).toMatchObject({ totalMs, idleMs, connectMs: 7 })
    expect(checked('claude', null, limits).profiles.get('claude.main')).toMatchObject({ timeouts: { totalMs }, cli: { stallMs: idleMs } })
  })

  test.each([[null], [7], [[]], [{ profiles: 7 }], [{ profiles: { 'a.x': null } }]])(
    'R5 settings that are none end in problems and not in a throw: %j',
    (written) => {
      const { settings, errors } = checkConfig(entryConfig(written, { provider: 'a.x', model: null }, NO_LIMITS), OPTIONS)
      expect(settings).toBeNull()
      expect(errors.length).toBeGreaterThan(0)
    },
  )
})
