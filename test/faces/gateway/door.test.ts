import { describe, expect, test } from 'vitest'
import { checkedDoor, Door } from '../../../src/faces/gateway/door.ts'
import { isLoopbackHost } from '../../../src/host.ts'
import { ConfigError, type GatewayKey, Secret } from '../../../src/index.ts'

const key = (id: string, secret: string | null): GatewayKey => ({
  id,
  secret: secret === null ? null : new Secret(secret),
  models: null,
  concurrency: 1,
  perDay: null,
})

function door(host: string, port: number, keys: readonly GatewayKey[] = []): Door {
  const made = new Door({ host, keys })
  made.listensOn(port)
  return made
}

describe('which addresses only this machine reaches', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.2',
    '127.255.255.254',
    '::1',
    '[::1]',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'localhost',
    'LocalHost',
  ])('%s', (host) => {
    expect(isLoopbackHost(host)).toBe(true)
  })

  test.each([
    ...['0.0.0.0', '::', '[::]', '::ffff:0.0.0.0', '128.0.0.1', '10.0.0.1', '192.168.1.1', 'fe80::1', '::2', '::ffff:10.0.0.1'],
    ...['', '127.1', '0x7f.0.0.1', '2130706433', '127.0.0.1.evil.example', 'localhost.evil.example', 'example.com', '[127.0.0.1', '127.0.0.1%'],
  ])('not %j', (host) => {
    expect(isLoopbackHost(host)).toBe(false)
  })
})

describe('by which names it is asked', () => {
  const asked = (at: Door, host: string, ...origin: string[]) =>
    at.misdirected({ headersDistinct: { host: [host], ...(origin.length === 0 ? {} : { origin }) } })?.code ?? null

  test('a client leaves out the port that its scheme has anyway', () => {
    expect([asked(door('127.0.0.1', 80), 'localhost'), asked(door('127.0.0.1', 81), 'localhost')]).toEqual([null, 'wrong_host'])
  })

  test('the configured host is one of them, an IPv6 one in brackets', () => {
    expect(asked(door('Relevo.example', 4141, [key('a', 'k')]), 'relevo.EXAMPLE:4141')).toBeNull()
    expect(asked(door('fd00::7', 4141, [key('a', 'k')]), '[fd00::7]:4141')).toBeNull()
    expect(asked(door('[fd00::7]', 4141, [key('a', 'k')]), '[fd00::7]:4141')).toBeNull()
    expect(asked(door('fd00::7', 4141, [key('a', 'k')]), 'fd00::7:4141')).toBe('wrong_host')
  })

  test.each(['0.0.0.0', '::', '[::]', '0:0:0:0:0:0:0:0'])(
    '%s is reached by names that nobody here knows: a key decides, and an origin still has to be its own',
    (host) => {
      const at = door(host, 4141, [key('a', 'k')])
      expect(asked(at, 'any.example')).toBeNull()
      expect(asked(at, '')).toBe('wrong_host')
      expect(asked(at, 'any.example', 'https://any.example')).toBeNull()
      expect(asked(at, 'any.example', 'https://other.example')).toBe('foreign_origin')
    },
  )

  test('every origin counts, where several are sent', () => {
    const own = '127.0.0.1:4141'
    expect(asked(door('127.0.0.1', 4141), own, `http://${own}`, 'https://evil.example')).toBe('foreign_origin')
    expect(asked(door('127.0.0.1', 4141), own, '')).toBe('foreign_origin')
    expect(asked(door('127.0.0.1', 4141), own, own)).toBe('foreign_origin')
  })

  test('before it listens it is nobody', () => {
    expect(asked(new Door({ host: '127.0.0.1', keys: [] }), '127.0.0.1:0')).toBe('wrong_host')
  })
})

describe('whose key it is', () => {
  test('each key is told apart, and one that is not there is nobody’s', () => {
    const at = door('127.0.0.1', 1, [key('ana', 'k-ana'), key('none', null), key('ben', 'k-ben')])
    const idOf = (authorization: string) => {
      const caller = at.callerOf({ headersDistinct: { authorization: [authorization] } })
      return caller === null ? null : 'id' in caller ? caller.id : caller.code
    }
    expect(['Bearer k-ana', 'Bearer k-ben', 'Bearer null', 'Bearer '].map(idOf)).toEqual(['ana', 'ben', 'invalid_api_key', 'invalid_api_key'])
  })

  test('nothing at all is no key, whatever a host says that its keys are', () => {
    const at = door('127.0.0.1', 1, [key('blank', '')])
    for (const headersDistinct of [{}, { 'x-api-key': [''] }, { authorization: ['Bearer '] }]) {
      expect(at.callerOf({ headersDistinct })).toMatchObject({ code: 'invalid_api_key' })
    }
  })

  test('without keys nobody is asked', () => {
    expect(door('127.0.0.1', 1).callerOf({ headersDistinct: { authorization: ['Bearer any'] } })).toBeNull()
  })
})

describe('what is said before it listens', () => {
  test.each([
    ['127.0.0.1', [], 'every program on this machine may ask'],
    ['127.0.0.1', [key('none', null)], 'nobody is let in'],
    ['::1', [key('ana', 'k')], null],
    ['0.0.0.0', [key('none', null), key('ana', 'k')], null],
  ] as const)('%s with %j: %s', (host, keys, said) => {
    const lines = checkedDoor({ host, keys })
    if (said === null) expect(lines).toEqual([])
    else expect(lines).toEqual([expect.stringContaining(said)])
  })

  test('no secret is in what it throws', () => {
    const refuse = () => checkedDoor({ host: '0.0.0.0', keys: [key('none', null)] })
    expect(refuse).toThrow(ConfigError)
    expect(refuse).toThrow(/0\.0\.0\.0/)
  })
})
