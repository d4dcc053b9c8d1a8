import { describe, expect, it } from 'vitest'
import { check } from './support.ts'

const errorsOf = (profile: object, more: object = {}) =>
  check({ primary: 'a.x', profiles: { 'a.x': { apiKey: 'k', fallback: [], ...profile } }, ...more }).errors

describe('R5 what was written for another program, or another form', () => {
  it('kinds of values are named in words', () => {
    expect(errorsOf({ fallback: 'b.y', capabilities: true }).map(({ message }) => message)).toEqual([
      '`profiles.a.x.fallback` must be a list.',
      '`profiles.a.x.capabilities` must be an object.',
    ])
    expect(errorsOf({}, { profiles: [] }).map(({ message }) => message)).toEqual(['`profiles` must be an object.'])
  })

  it.each([
    ['baseURL', 'endpoint'],
    ['base_url', 'endpoint'],
    ['api-base', 'endpoint'],
    ['url', 'endpoint'],
    ['key', 'apiKey'],
    ['protocol', 'api'],
  ])('%s, as other programs call it, is answered with %s', (name, meant) => {
    expect(errorsOf({ [name]: 'x' }).map(({ remedy }) => remedy)).toEqual([`Write \`${meant}\`, or remove it.`])
  })

  it('a name that every object has is no setting of another program', () => {
    expect(errorsOf({ constructor: 'x' })[0]).toMatchObject({ code: 'unknown_setting', path: 'profiles.a.x.constructor' })
  })
})
