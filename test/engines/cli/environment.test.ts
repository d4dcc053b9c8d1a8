import { describe, expect, test } from 'vitest'
import { environmentFor, timeZoneOf } from '../../../src/engines/cli/environment.ts'

const NONE = { variables: [], fixed: {}, own: {} }
const ALWAYS = { TERM: 'dumb', NO_COLOR: '1', TZ: 'UTC' }

describe('platform.md §5: the environment is an allow-list', () => {
  test('every program sees where it is, who runs it, its language, certificates and proxies', () => {
    const host = {
      PATH: '/bin',
      HOME: '/home/a',
      LANG: 'C',
      LC_ALL: 'C.UTF-8',
      LC_TIME: 'C',
      TMPDIR: '/tmp',
      XDG_CONFIG_HOME: '/c',
      SSL_CERT_FILE: '/cert',
      NODE_EXTRA_CA_CERTS: '/ca',
      HTTPS_PROXY: 'http://p',
      no_proxy: 'localhost',
      SystemRoot: 'C:\\Windows',
    }
    expect(environmentFor(host, NONE)).toEqual({ ...host, ...ALWAYS })
  })

  test('R11 what is withheld is not seen, unless the profile sets it', () => {
    const host = { CLAUDE_CODE_OAUTH_TOKEN: 't', CLAUDE_CODE_USE_BEDROCK: '1', CLAUDE_OTHER: 'x' }
    const lists = { ...NONE, variables: ['CLAUDE_*'], withheld: ['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_*'] }
    expect(environmentFor(host, lists)).toEqual({ ...ALWAYS, CLAUDE_OTHER: 'x' })
    expect(environmentFor(host, { ...lists, own: { CLAUDE_CODE_USE_BEDROCK: '2' } })).toEqual({
      ...ALWAYS,
      CLAUDE_OTHER: 'x',
      CLAUDE_CODE_USE_BEDROCK: '2',
    })
  })

  test('CLI-03 nothing else: no key, no token, nothing that makes a program run code of the host or paint its output', () => {
    const host = {
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      AWS_SECRET_ACCESS_KEY: 's',
      NODE_OPTIONS: '--require x',
      LD_PRELOAD: 'x.so',
      FORCE_COLOR: '1',
      PATHS: '/x',
      XLC_ALL: 'x',
      path: '/x',
    }
    expect(environmentFor(host, NONE)).toEqual(ALWAYS)
  })

  test('a program sees what its own list names, by name or by beginning, and of others nothing', () => {
    const host = { CLAUDE_CONFIG_DIR: '/c', CLAUDE_: 'x', ANTHROPIC_API_KEY: 'k', ANTHROPIC_API_KEY_2: 'k', OPENAI_API_KEY: 'k', CLAUDE: 'x' }
    expect(environmentFor(host, { ...NONE, variables: ['CLAUDE_*', 'ANTHROPIC_API_KEY'] })).toEqual({
      CLAUDE_CONFIG_DIR: '/c',
      CLAUDE_: 'x',
      ANTHROPIC_API_KEY: 'k',
      ...ALWAYS,
    })
  })

  test('the later wins: the host, what is fixed for every program, for this one, and the operator last', () => {
    const host = { TERM: 'xterm', NO_COLOR: '', HOME: '/host', MODE_A: 'host', MODE_B: 'host' }
    const lists = { variables: ['MODE_*'], fixed: { MODE_A: 'fixed', MODE_B: 'fixed', NO_COLOR: '2' }, own: { MODE_B: 'own', HOME: '/own' } }
    expect(environmentFor(host, lists)).toEqual({ TERM: 'dumb', NO_COLOR: '2', HOME: '/own', MODE_A: 'fixed', MODE_B: 'own', TZ: 'UTC' })
  })

  test('defaults of a program give way to the host, to what is fixed and to the operator, and are shown what those set', () => {
    const shown: unknown[] = []
    const defaults = (seen: Readonly<Record<string, string>>) => {
      shown.push(seen)
      return { A: 'default', B: 'default', C: 'default', D: 'default', TZ: 'Asia/Tokyo' }
    }
    const others = { A: 'host', B: 'fixed', C: 'own', ...ALWAYS }
    const lists = { variables: ['A'], fixed: { B: 'fixed' }, own: { C: 'own' } }
    expect(environmentFor({ A: 'host', D: 'not seen' }, { ...lists, defaults })).toEqual({ ...others, D: 'default' })
    expect(shown).toEqual([others])
  })

  test('what the host has unset is not set, and a name such as __proto__ is a name', () => {
    const host = Object.fromEntries([
      ['PATH', undefined],
      ['__proto__', 'x'],
    ])
    const environment = environmentFor(host, { ...NONE, variables: ['__proto__'] })
    expect(Object.entries(environment)).toEqual([['__proto__', 'x'], ...Object.entries(ALWAYS)])
  })
})

describe('cli-engines.md §7: the zone is pinned', () => {
  test('to UTC, whatever the host and the program have, unless the operator sets another', () => {
    const host = { TZ: 'Asia/Tokyo' }
    expect(environmentFor(host, { variables: ['TZ', 'T*'], fixed: { TZ: 'Europe/Madrid' }, own: {} })['TZ']).toBe('UTC')
    expect(environmentFor(host, { ...NONE, own: { TZ: 'America/Lima' } })['TZ']).toBe('America/Lima')
  })

  test.each([
    ['America/Lima', 'America/Lima'],
    [':America/Lima', 'America/Lima'],
    ['Etc/GMT+5', 'Etc/GMT+5'],
    ['UTC', 'UTC'],
    ['', 'UTC'],
    ['Nowhere/City', 'UTC'],
    ['+05:00', 'UTC'],
    ['CET-1CEST,M3.5.0,M10.5.0/3', 'UTC'],
    ['\0', 'UTC'],
  ])('a program with TZ %j prints its clocks in %s', (own, zone) => {
    expect(timeZoneOf({ TZ: own })).toBe(zone)
  })

  test('an environment without TZ is none of ours, and UTC', () => {
    expect(timeZoneOf({})).toBe('UTC')
  })
})
