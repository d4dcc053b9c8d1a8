import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../../src/faces/page/client/state.ts'
import { barKind, ticks, windowOf } from '../../../../src/faces/page/client/time-scale.ts'
import { clipped, countdownWords, countWords, durationWords, knownWords, spelled, usdWords } from '../../../../src/faces/page/client/words.ts'

describe('words', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    [1_500, '1.50 s'],
    [12_340, '12.3 s'],
    [61_000, '1 min 01 s'],
    [-5, '0 ms'],
  ])('%d ms are %s', (ms, words) => expect(durationWords(ms)).toBe(words))

  it.each([
    [1, '1 s'],
    [59_001, '1 min 00 s'],
    [7_989_000, '2 h 13 min 09 s'],
    [90_000_000, '1 day 1 h'],
    [-1, '0 s'],
  ])('a countdown of %d ms is %s', (ms, words) => expect(countdownWords(ms)).toBe(words))

  it('R34 unknown is ? and never 0', () => {
    expect(knownWords({ sum: 0, told: 0, unknown: 3 }, countWords)).toBe('?')
    expect(knownWords({ sum: 1_200, told: 1, unknown: 1 }, countWords)).toBe('1,200 + ?')
    expect(knownWords({ sum: 0, told: 2, unknown: 0 }, countWords)).toBe('0')
    expect(knownWords({ sum: 0, told: 0, unknown: 0 }, countWords)).toBe('–')
  })

  it.each([
    [0, '$0'],
    [12.3, '$12.30'],
    [0.0123, '$0.0123'],
    [0.000001, '$0.00000100'],
    [0.000000004, '$0.00000000400'],
  ])('%d USD are %s', (usd, words) => expect(usdWords(usd)).toBe(words))

  it('names are spelled out, and long ones end', () => {
    expect([spelled('rate_limited'), spelled('backingOff'), clipped('x'.repeat(200)).length]).toEqual(['rate limited', 'backing off', 161])
  })
})

describe('the scale of time', () => {
  const turn = (startedAt: number, endedAt: number | null) => ({ startedAt, endedAt }) as Turn

  it('spans the turns in sight, by the clock or from their start', () => {
    const turns = [turn(1_000, 2_000), turn(5_000, null)]
    expect(windowOf(turns, 'clock', 9_000, { factor: 1, place: 0 })).toEqual({ from: 1_000, to: 9_160 })
    expect(windowOf(turns, 'start', 9_000, { factor: 1, place: 0 })).toEqual({ from: 0, to: 4_080 })
  })

  it('zooms to where it is scrolled, and never to nothing', () => {
    const turns = [turn(0, 10_000)]
    expect(windowOf(turns, 'clock', 0, { factor: 2, place: 1 })).toEqual({ from: 5_100, to: 10_200 })
    expect(windowOf([turn(5, 5)], 'clock', 5, { factor: 4_096, place: 0 })).toEqual({ from: 5, to: 6 })
    expect(windowOf([], 'clock', 5, { factor: 1, place: 0 })).toEqual({ from: 0, to: 1 })
  })

  it('names round instants, few enough to be read, for a second as for a year', () => {
    expect(ticks({ from: 0, to: 10_000 }, 500)).toEqual([0, 2_000, 4_000, 6_000, 8_000, 10_000])
    for (const span of [1, 1_000, 86_400_000, 31_536_000_000]) expect(ticks({ from: 0, to: span }, 900).length).toBeLessThan(12)
  })

  it('a bar says what came of an attempt', () => {
    const kinds = [null, 'ok', 'incomplete', 'cancelled', 'server_error'].map((result) => barKind({ result, accepted: true } as never))
    expect(kinds).toEqual(['running', 'ok', 'partial', 'cancelled', 'failed'])
    expect(barKind({ result: 'ok', accepted: false } as never)).toBe('partial')
  })
})
