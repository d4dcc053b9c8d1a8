import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { brief, check, sound, withProfiles } from './support.ts'

const CANARY = 'sk-CANARY'
const only = (apiKey: unknown): unknown => ({ primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey } } })
const secretOf = (config: unknown, store = {}): string | undefined => sound(config, store).profiles.get('a.x')?.credentials[0]?.secret?.reveal()

describe('forms of a credential', () => {
  it.each([
    ['a literal', CANARY],
    ['env:NAME', 'env:KEY'],
    ['{ env }', { env: 'KEY' }],
    ['{ file }', { file: '/keys/a' }],
  ])('%s', (_form, apiKey) => {
    expect(secretOf(only(apiKey), { env: { KEY: CANARY }, files: { '/keys/a': CANARY } })).toBe(CANARY)
  })

  it('the message names the variable or the file that is missing', () => {
    expect(check(only({ env: 'ANTHROPIC_API_KEY' })).errors[0]?.message).toContain('environment variable ANTHROPIC_API_KEY')
    expect(check(only({ file: '/keys/a' })).errors[0]?.message).toContain('file /keys/a')
    expect(check(only('env:KEY'), { env: { KEY: ' ' } }).errors[0]?.message).toContain('environment variable KEY is blank')
  })

  it('the remedy is to provide what the settings name already, not to name something else', () => {
    expect(check(only({ env: 'MY_KEY' })).errors[0]).toMatchObject({
      message: expect.stringMatching(/: environment variable MY_KEY is not set\.$/),
      remedy: 'Set environment variable MY_KEY, or take the profile out of the chain.',
    })
    expect(check(only({ file: '/keys/a' })).errors[0]).toMatchObject({
      message: expect.stringMatching(/: file \/keys\/a cannot be read\.$/),
      remedy: 'Provide file /keys/a, or take the profile out of the chain.',
    })
  })

  it('SEC-07 white space around a key is cut off, with a warning', () => {
    const { settings, warnings } = check(only({ file: '/keys/a' }), { files: { '/keys/a': `${CANARY}\n` } })
    expect(settings?.profiles.get('a.x')?.credentials[0]?.secret?.reveal()).toBe(CANARY)
    expect(brief(warnings)).toEqual(['credential_trimmed profiles.a.x.apiKey'])
  })

  it.each([`${CANARY}\u0000x`, `${CANARY}\nx`, `${CANARY}\u2028x`])('SEC-02 a key that no header may carry is refused without its value', (key) => {
    const { settings, errors } = check(only(key))
    expect(settings).toBeNull()
    expect(brief(errors)).toEqual(['invalid_setting profiles.a.x.apiKey'])
    expect(JSON.stringify(errors)).not.toContain('CANARY')
  })

  it('C24 R39 a local profile and a coding-agent CLI need none', () => {
    for (const [id, profile] of [
      ['ollama.a', {}],
      ['b.y', { zone: 'local' }],
      ['c.z', { endpoint: 'http://127.0.0.1:9/v1' }],
      ['claude.main', {}],
    ] as const) {
      expect(sound({ primary: id, profiles: { [id]: profile } }).profiles.get(id)?.credentials).toEqual([{ number: null, secret: null }])
    }
  })

  it('a local profile that names a key must have it', () => {
    const config = { primary: 'ollama.a', profiles: { 'ollama.a': { apiKey: { env: 'NO_KEY' } } } }
    expect(brief(check(config).errors)).toEqual(['missing_credential profiles.ollama.a.apiKey'])
  })

  it('R11 C18 a pool is numbered from 1', () => {
    const settings = sound(withProfiles({ 'b.y': { apiKeys: ['k1', { env: 'K2' }] } }), { env: { K2: 'k2' } })
    expect(settings.profiles.get('b.y')?.credentials.map(({ number, secret }) => [number, secret?.reveal()])).toEqual([
      [1, 'k1'],
      [2, 'k2'],
    ])
  })

  it('SEC-06 no print of the settings shows a key', () => {
    const settings = sound(
      withProfiles({ 'b.y': { apiKeys: [CANARY] } }, { modelRoutes: [{ hint: 'h', modelProvider: 'b.y', model: 'm', apiKey: CANARY }] }),
    )
    expect(inspect(settings, { depth: null })).not.toContain(CANARY)
    expect(JSON.stringify([...settings.profiles.values()])).not.toContain(CANARY)
  })

  it('no finding repeats a value that could not be read', () => {
    const { errors } = check({
      primary: 'a.x',
      profiles: {
        'a.x': {
          apiKey: [CANARY],
          headers: { 'x-key': [CANARY], Authorization: CANARY, 'x-other': `${CANARY}\n` },
          endpoint: `http://u:${CANARY}@h/`,
        },
      },
    })
    expect(errors.length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify(errors)).not.toContain(CANARY)
  })
})

it.each([[{ env: 'sk-CANARY-1' }], ['env:sk-CANARY-1']])(
  'SEC-01 a key that was pasted in the place of the name of its variable is not repeated: %j',
  (apiKey) => {
    const { errors } = check(only(apiKey))
    expect(brief(errors)).toEqual(['missing_credential profiles.a.x.apiKey'])
    expect(JSON.stringify(errors)).not.toContain('CANARY')
    expect(errors[0]?.message).toMatch(/is no name of an environment variable/)
  },
)
