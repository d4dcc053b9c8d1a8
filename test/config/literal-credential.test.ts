import { describe, expect, it } from 'vitest'
import { literalCredentials } from '../../src/config/literal-credential.ts'

describe('literal keys in a file', () => {
  it('are found on profiles, in pools and on routes, by path and never by value', () => {
    const written = {
      profiles: {
        'a.x': { apiKey: 'CANARY' },
        'b.y': { apiKeys: ['env:ONE', 'CANARY', { file: 'key' }] },
        'c.z': { apiKey: { env: 'TWO' } },
        'd.w': { apiKey: 'env:THREE' },
        'e.v': { apiKey: ' ' },
      },
      modelRoutes: [{ hint: 'h' }, { hint: 'i', apiKey: 'CANARY' }],
    }
    const found = literalCredentials(written)
    expect(found.map(({ code, path }) => [code, path])).toEqual([
      ['literal_credential', 'profiles.a.x.apiKey'],
      ['literal_credential', 'profiles.b.y.apiKeys[1]'],
      ['literal_credential', 'modelRoutes[1].apiKey'],
    ])
    expect(JSON.stringify(found)).not.toContain('CANARY')
  })

  it.each(['$OPENAI_API_KEY', `$${'{OPENAI_API_KEY}'}`, ` $${'{env:KEY}'} `])(
    'a variable that nothing is put in place of is told as that: %s',
    (apiKey) => {
      expect(literalCredentials({ profiles: { 'a.x': { apiKey } } })).toMatchObject([
        { message: expect.stringContaining('would be sent as it stands'), remedy: 'Write "env:NAME" with the name of the variable.' },
      ])
    },
  )

  it.each([null, 7, 'text', [], { profiles: 3 }, { profiles: { a: null }, modelRoutes: [null, 1] }])(
    'settings of any shape are looked at: %j',
    (written) => {
      expect(literalCredentials(written)).toEqual([])
    },
  )
})
