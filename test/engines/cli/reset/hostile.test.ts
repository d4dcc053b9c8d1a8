import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalised } from '../../../../src/engines/cli/reset/normalise.ts'
import { believed, readDuration, readInstant, readReset } from '../../../../src/engines/cli/reset/read-reset.ts'
import type { Reset } from '../../../../src/engines/cli/reset/reset.ts'
import { RESET_SOURCES } from '../../../../src/model/notice.ts'
import { filledWith, growth, STEEPEST } from '../../http/growth.ts'

const NOW = Date.UTC(2026, 9, 9, 10)
const FARTHEST = 961 * 3_600_000
const GRACE = 600_000

function expectSound(reset: Reset | null, now: number): void {
  if (reset === null) return
  expect(RESET_SOURCES.filter((source) => source !== 'none')).toContain(reset.source)
  expect(Number.isInteger(reset.at) && !Number.isNaN(new Date(reset.at).getTime())).toBe(true)
  expect(reset.at).toBeLessThanOrEqual(now + FARTHEST)
  if (reset.source !== 'unix' && reset.source !== 'iso') expect(reset.at).toBeGreaterThan(now - GRACE)
}

/** What the grammar is made of, in any order. */
const WORDS = [
  'resets',
  'resets in',
  'try again at',
  'retry after',
  'Oct',
  'Feb 30',
  'Mon',
  '12',
  '5pm',
  '14:30',
  '2h31m',
  '(Europe/Madrid)',
  'GMT-3',
]
const MORE = [
  '(Etc/Unknown)',
  '10/12',
  '2026-10-12',
  '2026-10-12T15:00:00Z',
  'T15:00:00Z',
  '|1749924000',
  ',',
  'at',
  'th',
  ':',
  'less than',
  'a minute',
  '.',
  'UTC',
]
const grammar = fc
  .array(fc.tuple(fc.constantFrom(...WORDS, ...MORE), fc.constantFrom(' ', '', ', ')), { maxLength: 14 })
  .map((pairs) => pairs.flat().join(''))
const digits = fc
  .tuple(fc.constantFrom('resets ', 'resets in ', 'reached|', 'resets Oct ', 'try again at 5:'), fc.integer({ min: 1, max: 9 }))
  .map(([lead, digit]) => lead + String(digit).repeat(400))
const anyText = fc.oneof(
  grammar,
  digits,
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }).map((text) => `resets ${text}`),
  grammar.map((text) => `resets ${text}`),
)
const anyZone = fc.oneof(fc.constantFrom('UTC', 'Europe/Madrid', 'Pacific/Apia', '', 'x'.repeat(5000), 'Etc/Unknown'), fc.string())

describe('cli-engines.md §7 whatever is printed', () => {
  it('never throws, and what is read is an instant within its bounds', () => {
    fc.assert(
      fc.property(anyText, anyZone, (text, zone) => {
        expectSound(readReset(text, { now: NOW, zone }), NOW)
        expectSound(readReset(normalised(text), { now: NOW, zone }), NOW)
      }),
      { numRuns: 3000 },
    )
  })

  it('such texts do state resets of every form', () => {
    const found = fc.sample(anyText, { numRuns: 4000, seed: 11 }).map((text) => readReset(text, { now: NOW, zone: 'UTC' })?.source)
    expect([...new Set(found)].filter((source) => source !== undefined).sort()).toEqual(RESET_SOURCES.filter((source) => source !== 'none').sort())
  })

  it('a clock that is out of its range states none', () => {
    const view = (now: number) => ({ now, zone: 'Europe/Madrid' })
    for (const now of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 8.64e15, -8.64e15, 1e300]) {
      for (const text of ['resets 3pm', 'resets Oct 9, 3pm', 'resets in 5s', 'resets Mon']) expect(readReset(text, view(now))).toBeNull()
    }
    for (const now of [8.6e15, -8.6e15, 0, -62_200_000_000_000]) expectSound(readReset('resets 3pm', view(now)), now)
  })

  it('fields of any value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true }), anyText, fc.double(), fc.bigInt().map(String)), (value) => {
        const reset = readInstant(value)
        expectSound(believed(reset, NOW), NOW)
        expect(['unix', 'iso', undefined]).toContain(reset?.source)
        const duration = readDuration(String(typeof value === 'object' ? '' : value))
        expect(duration === null || (Number.isInteger(duration.ms) && duration.ms >= 0 && duration.ms <= FARTHEST)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('cli-engines.md §7 every text costs its length', () => {
  it.each([
    ['words that announce', 'resets '],
    ['words cut short', 'try again '],
    ['digits', '9'],
    ['bars', '|'],
    ['bars with digits', '|123456789'],
    ['bars with too many digits', '|12345678901234'],
    ['announced digits', 'resets in 9'],
    ['parts of a duration', '1h '],
    ['parts and joins', '1h, and '],
    ['fractions', '1.5h1.'],
    ['months', 'resets Oct 9, '],
    ['weekdays', 'Mon, '],
    ['weekdays with months', 'resets Mon, Oct '],
    ['slashes', '1/2/'],
    ['dashes', '2026-10-'],
    ['colons', '12:30:'],
    ['halves', '5 p. m'],
    ['brackets', 'resets 3pm ('],
    ['zones that are none', 'resets 25pm (A/b) '],
    ['letters', 'a'],
    ['slashes in a zone', 'a/'],
    ['spaces', ' '],
  ])('%s', (_what, piece) => {
    const view = { now: NOW, zone: 'Europe/Madrid' }
    const read = (text: string) => readReset(text, view)
    for (const start of ['', 'resets in ', 'resets 3pm (', 'resets Oct 9, ', 'x|']) {
      expect(growth((length) => start + filledWith(piece)(length), read)).toBeLessThan(STEEPEST)
    }
    expect(growth(filledWith(piece), readDuration)).toBeLessThan(STEEPEST)
    expect(growth(filledWith(piece), readInstant)).toBeLessThan(STEEPEST)
  })
})
