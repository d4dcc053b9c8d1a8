import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check.ts'
import { secretValues } from '../../src/model/secret-values.ts'
import { createLogger } from '../../src/runtime/pino-logger.ts'

function loggerOf(secrets: readonly string[]) {
  const lines: string[] = []
  return { lines, logger: createLogger({ level: 'debug', secrets, write: (line) => lines.push(line) }) }
}

const SECRET = 'sk-CANARY'

/** A value inside one more thing that may be logged. */
function wrappedIn(value: unknown, step: string): unknown {
  if (step === 'list') return [1, value]
  if (step === 'text') return `before ${typeof value === 'string' ? value : JSON.stringify(value)} after`
  return step === 'json' ? JSON.stringify({ inner: value }) : { [step]: value }
}

describe('the log of a process', () => {
  it.each([
    ['a deep key', { a: { b: { apiKey: SECRET } } }],
    ['a header', { headers: { Authorization: `Bearer ${SECRET}` } }],
    ['pairs', { pairs: [['authorization', SECRET]] }],
    ['an address', { url: `https://provider.example/?key=${SECRET}` }],
    ['a key of an object', { [SECRET]: 1 }],
    ['an error with its stack', { err: new Error(`wrong key ${SECRET}`, { cause: new Error(SECRET) }) }],
    ['a body inside a text', { message: JSON.stringify({ error: JSON.stringify({ message: SECRET }) }) }],
  ])('SEC-01 holds no secret: %s', (_what, fields) => {
    const { lines, logger } = loggerOf([SECRET])
    logger.warn(fields, `said ${SECRET}`)
    logger.child({ turn: SECRET }).error(fields, 'in a child')
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      expect(line).not.toContain('CANARY')
      expect(line.endsWith('\n')).toBe(true)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.stringMatching(/Z$/) })
    }
  })

  it('SEC-01 holds no secret that came later, nor the one before it, in a logger made earlier', () => {
    const lines: string[] = []
    let secrets = ['sk-FIRST']
    const logger = createLogger({ secrets: () => secrets, write: (line) => lines.push(line) })
    const child = logger.child({ of: 'before' })
    child.warn('sk-FIRST sk-LATER')
    secrets = [...secrets, 'sk-LATER']
    child.warn('sk-FIRST sk-LATER')
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['[redacted] sk-LATER', '[redacted] [redacted]'])
  })

  it('redacts known places whose value nobody told it', () => {
    const { lines, logger } = loggerOf([])
    logger.warn({ apiKey: 'unknown-1', headers: { 'x-api-key': 'unknown-2', Authorization: 'unknown-3' }, a: { b: { token: 'unknown-4' } } }, 'm')
    expect(lines.join()).not.toContain('unknown-')
  })

  it('SEC-01 holds no secret of any characters, at any depth, in any word, and each line stays JSON', () => {
    const secret = fc
      .string({ unit: 'grapheme', minLength: 8, maxLength: 30 })
      .filter((text) => text.trim().length >= 8 && !'[redacted]'.includes(text))
    const wrapped = fc.tuple(secret, fc.array(fc.constantFrom('a', 'B', 'apikey', 'list', 'text', 'json'), { maxLength: 6 }))
    fc.assert(
      fc.property(wrapped, ([value, path]) => {
        const fields = path.reduce(wrappedIn, value as unknown)
        const { lines, logger } = loggerOf([value])
        logger.warn({ fields }, value)
        const record = JSON.stringify(JSON.parse(lines[0] ?? ''))
        expect(record).not.toContain(value)
        expect(record).not.toContain(JSON.stringify(value).slice(1, -1))
      }),
      { numRuns: 300 },
    )
  })

  it('a secret of digits takes no number apart that is JSON, nor breaks the line', () => {
    const { lines, logger } = loggerOf(['12345678', '7'])
    logger.warn({ n: 12345678, port: 7070, text: 'on 12345678' }, 'm')
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ n: '[redacted]', port: 7070, text: 'on [redacted]' })
  })

  it('a secret that is a common word or a letter leaves a record that can be read', () => {
    const { lines, logger } = loggerOf(['e', 'the', 'redact', '[', 'a.*+?^$()|[]{}\\b'])
    logger.warn({ message: 'the path', key: 'a.*+?^$()|[]{}\\b' }, 'attempt')
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.any(String),
      message: '[redacted] path',
      key: '[redacted]',
      msg: 'att[redacted]mpt',
    })
  })

  it('knows every secret of settings: profiles, pools, routes, headers, variables of programs', () => {
    const secrets = { env: (name: string) => `value-of-${name}`, file: () => 'value-of-file' }
    const config = {
      primary: 'a.x',
      profiles: {
        'a.x': { model: 'm', apiKeys: ['env:ONE', { file: 'f' }], headers: { 'x-team': 'team-secret' } },
        'b.y': { model: 'm', apiKey: 'literal' },
        'codex.z': { cli: { env: { THEIR_KEY: 'variable-secret', TZ: 'UTC' } } },
      },
      modelRoutes: [{ hint: 'h', modelProvider: 'b.y', model: 'm', apiKey: 'env:TWO' }],
    }
    const { settings } = checkConfig(config, { secrets })
    expect(settings && secretValues(settings).sort()).toEqual([
      'literal',
      'team-secret',
      'value-of-ONE',
      'value-of-TWO',
      'value-of-file',
      'variable-secret',
    ])
  })
})

it('CLI-12 what moves a cursor or hides words stands escaped in a line, and reads as it was', () => {
  const lines: string[] = []
  const logger = createLogger({ write: (line) => lines.push(line) })
  const said = 'a\u009b2J b\u202ec \u2066d\u001b]0;e\u0007'
  logger.warn({ said }, said)
  expect(lines[0]).toMatch(/^[\x20-\x7e]+\n$/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ said, msg: said })
})
