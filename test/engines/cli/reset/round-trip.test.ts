import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changesOf, expectReadBack, type Printed, printedIn, ZONES } from './printed.ts'

/** Half hours, a change of half an hour, one of two hours, both ends of the day line, a change at midnight, one for a month of fasting. */
const ODD = [
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'America/St_Johns',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Casablanca',
  'America/Nuuk',
  'Europe/Madrid',
  'America/New_York',
]

describe('cli-engines.md §7 a printed clock or date reads back (all zones in `npm run prove`)', () => {
  it('the zones that are odd', () =>
    fc.assert(
      fc.property(printedIn(ODD), (one) => void expectReadBack(one)),
      { numRuns: 600 },
    ))
  it('any zone', () =>
    fc.assert(
      fc.property(printedIn(ZONES), (one) => void expectReadBack(one)),
      { numRuns: 600 },
    ))

  it('the law is about something: zones have changes, and most instants read back to their minute', () => {
    expect(changesOf('Europe/Madrid').map((at) => new Date(at).toISOString())).toEqual([
      '2025-10-26T01:00:00.000Z',
      '2026-03-29T01:00:00.000Z',
      '2026-10-25T01:00:00.000Z',
      '2027-03-28T01:00:00.000Z',
    ])
    const ends = fc.sample(printedIn(['Europe/Madrid']), { numRuns: 500, seed: 7 }).map(expectReadBack)
    expect(ends.filter((end) => end === 'exact').length).toBeGreaterThan(400)
    expect(ends).toContain('earlier')
  })

  it('the law catches an answer that is off by a day: a clock read eleven minutes after it has passed is that of tomorrow', () => {
    const one: Printed = {
      zone: 'Europe/Madrid',
      printer: 'claude',
      now: Date.UTC(2026, 6, 1, 9),
      readAt: Date.UTC(2026, 6, 1, 9),
      at: Date.UTC(2026, 6, 1, 12),
    }
    expect(expectReadBack(one)).toBe('exact')
    expect(() => expectReadBack({ ...one, readAt: one.at + 11 * 60_000 })).toThrow('not between its reading and its minute')
  })
})
