import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDuration, readInstant, readReset } from '../../../../src/engines/cli/reset/read-reset.ts'

const [S, M, H, D] = [1000, 60_000, 3_600_000, 86_400_000]

describe('cli-engines.md §7 durations', () => {
  it.each([
    ['34.07s', 34_070, 'duration'],
    ['15.002899939s', 15_003, 'duration'],
    ['1.054s', 1054, 'duration'],
    ['0s', 0, 'duration'],
    ['45S', 45 * S, 'duration'],
    ['500ms', 500, 'duration'],
    ['0.2ms', 1, 'duration'],
    ['2h31m33s', 2 * H + 31 * M + 33 * S, 'duration'],
    ['108h48m20.795762633s', 108 * H + 48 * M + 20_796, 'duration'],
    ['1d 12h 30m', D + 12 * H + 30 * M, 'duration'],
    ['1d, 12h, 30m', D + 12 * H + 30 * M, 'duration'],
    ['1w2d', 9 * D, 'duration'],
    ['172514s', 172_514 * S, 'duration'],
    ['2 h', 2 * H, 'duration'],
    ['0.5h', 30 * M, 'duration'],
    ['5 days 22 hours 11 minutes', 5 * D + 22 * H + 11 * M, 'relative'],
    ['5 days, 3 hours and 2 minutes', 5 * D + 3 * H + 2 * M, 'relative'],
    ['1 hour 1 minute', H + M, 'relative'],
    ['58 hours', 58 * H, 'relative'],
    ['2hrs 5mins', 2 * H + 5 * M, 'relative'],
    ['1 week', 7 * D, 'relative'],
    ['90 seconds', 90 * S, 'relative'],
    ['250 milliseconds', 250, 'relative'],
    ['less than a minute', M, 'relative'],
    ['less than 5 minutes', 5 * M, 'relative'],
    ['a minute', M, 'relative'],
    ['an hour.', H, 'relative'],
    ['40d1h', 40 * D + H, 'duration'],
  ])('%s is %i ms', (text, ms, source) => {
    expect(readDuration(text)).toEqual({ ms, source })
    const now = Date.UTC(2026, 9, 9)
    expect(readReset(`quota reached. Resets in ${text} · more`, { now, zone: 'UTC' })).toEqual({ at: now + ms, source })
  })

  it.each([
    '',
    ' ',
    's',
    '5',
    '5 x',
    '5 months',
    '1,5h',
    '-5s',
    '1e3s',
    '0x5s',
    '.5s',
    'h5',
    'a moment',
    'less than nothing',
    '5 mississippi',
    '5s later',
  ])('%j is none', (text) => expect(readDuration(text)).toBeNull())

  it.each(['40d1h1ms', '41 days', '961h0.001s', '999999999999999w', `${'9'.repeat(400)}s`, `1.${'0'.repeat(400)}s`])(
    '%.30s is too long to be believed',
    (text) => {
      expect(readDuration(text)).toBeNull()
      expect(readReset(`resets in ${text}`, { now: 0, zone: 'UTC' })).toBeNull()
    },
  )

  it('a duration of any parts is their sum, rounded up to a whole ms', () => {
    const units = [
      ['w', 7 * D],
      ['d', D],
      ['h', H],
      ['m', M],
      ['s', S],
      ['ms', 1],
    ] as const
    const part = fc.record({ unit: fc.constantFrom(...units), amount: fc.nat(3), nanos: fc.nat(999_999_999) })
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom('', ' ', ', ', ' and '), (parts, join) => {
        const text = parts.map(({ unit: [name], amount, nanos }) => `${amount}.${String(nanos).padStart(9, '0')}${name}`).join(join)
        const exact = parts.reduce((sum, { unit: [, ms], amount, nanos }) => sum + (BigInt(amount) * 1_000_000_000n + BigInt(nanos)) * BigInt(ms), 0n)
        const ms = Number((exact + 999_999_999n) / 1_000_000_000n)
        expect(readDuration(text)).toEqual(ms > 40 * D + H ? null : { ms, source: 'duration' })
      }),
    )
  })
})

describe('cli-engines.md §7 instants of JSON fields', () => {
  it.each([
    [1_778_565_600, '2026-05-12T06:00:00.000Z', 'unix'],
    [1_778_565_600.5, '2026-05-12T06:00:00.500Z', 'unix'],
    [1_778_565_600_123, '2026-05-12T06:00:00.123Z', 'unix'],
    ['1778565600', '2026-05-12T06:00:00.000Z', 'unix'],
    [' 1778565600123 ', '2026-05-12T06:00:00.123Z', 'unix'],
    // Given as they are, passed or far ahead: whether they are believed is asked with the clock.
    [1_000_000_000, '2001-09-09T01:46:40.000Z', 'unix'],
    [4_102_444_800, '2100-01-01T00:00:00.000Z', 'unix'],
    ['2026-05-12T06:00:00Z', '2026-05-12T06:00:00.000Z', 'iso'],
    ['2026-05-12t06:00:00.0001z', '2026-05-12T06:00:00.001Z', 'iso'],
    ['2026-05-12T06:00:00+05:30', '2026-05-12T00:30:00.000Z', 'iso'],
    ['2026-05-12 06:00-03', '2026-05-12T09:00:00.000Z', 'iso'],
    ['2026-05-12T06:00:00', '2026-05-12T06:00:00.000Z', 'iso'],
    ['2026-05-12', '2026-05-12T00:00:00.000Z', 'iso'],
    ['2020-02-29T06:00:00Z', '2020-02-29T06:00:00.000Z', 'iso'],
  ])('%j', (value, at, source) => {
    const reset = readInstant(value)
    expect([new Date(reset?.at ?? Number.NaN).toISOString(), reset?.source]).toEqual([at, source])
  })

  it.each([
    [0],
    [-1_778_565_600],
    [3600],
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1e300],
    ['9'.repeat(40)],
    ['1778565600s'],
    ['0x6a02'],
    ['2026-02-29T06:00:00Z'],
    ['2026-05-12T24:00:00Z'],
    ['2026-05-12T06:00:00Zulu'],
    ['5pm'],
    [''],
    [null],
    [undefined],
    [true],
    [{}],
    [[1_778_565_600]],
    [1_778_565_600n],
  ])('%o is none', (value) => expect(readInstant(value)).toBeNull())
})
