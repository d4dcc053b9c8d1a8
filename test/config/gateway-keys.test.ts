import { describe, expect, it } from 'vitest'
import { brief, check, withProfiles } from './support.ts'

const warningsOf = (config: unknown): string[] => brief(check(config).warnings)

describe('what a key of the gateway may ask for and is not there is warned about', () => {
  it('a profile in the list of a key that is none', () => {
    const models = ['a.x', 'a.x/m9', 'a.gone', 'a.gone/m1', 'a.m1', 'gpt-4.1', 'plain']
    const config = withProfiles({ 'b.y': { model: 'a.m1', apiKey: 'k' } }, { gateway: { keys: [{ id: 'ana', key: 'k-0123456789', models }] } })
    expect(warningsOf(config)).toEqual(['unknown_provider gateway.keys[0].models[2]', 'unknown_provider gateway.keys[0].models[3]'])
    expect(check(config).warnings[0]).toMatchObject({
      message: 'No profile is called `a.gone`, which a key of the gateway may ask for.',
      remedy: 'Name a configured profile (a.x, b.y), or take it out of the list.',
    })
  })

  it('a hint in the list of a key that no route has', () => {
    const keys = [
      { id: 'ana', key: 'k-0123456789', models: ['hint:fast', 'a.x', 'hint:fats', 'hint:Fast'] },
      { id: 'ben', key: 'k-1234567890' },
    ]
    const config = withProfiles({}, { modelRoutes: [{ hint: 'fast', modelProvider: 'a.x', model: 'm1' }], gateway: { keys } })
    expect(warningsOf(config)).toEqual(['unknown_hint gateway.keys[0].models[2]', 'unknown_hint gateway.keys[0].models[3]'])
    expect(check(config).warnings[0]).toMatchObject({
      message: 'No route has the hint `fats`; whoever asks for it with this key is told that it does not exist.',
      remedy: 'Name a configured hint (fast), or take it out of the list.',
    })
  })
})
