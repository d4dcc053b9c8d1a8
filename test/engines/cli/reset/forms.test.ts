import { describe, expect, it } from 'vitest'
import { readReset } from '../../../../src/engines/cli/reset/read-reset.ts'

const NOW = '2026-10-09T10:00:00Z'
const read = (text: string, zone = 'UTC', now = NOW) => {
  const reset = readReset(text, { now: Date.parse(now), zone })
  return reset === null ? null : [new Date(reset.at).toISOString().replace('.000Z', 'Z'), reset.source]
}

describe('cli-engines.md §7 the words that announce a time', () => {
  it.each([
    ['limit reached · resets 3pm', '2026-10-09T15:00:00Z'],
    ['Limit RESETS AT 3PM', '2026-10-09T15:00:00Z'],
    ['limits reset: 3pm', '2026-10-09T15:00:00Z'],
    ['it will reset at 3pm', '2026-10-09T15:00:00Z'],
    ['it will reset after 2h', '2026-10-09T12:00:00Z'],
    ['resets in 2h', '2026-10-09T12:00:00Z'],
    ['limits reset on 10/12', '2026-10-12T00:00:00Z'],
    ['Please try again in 2h', '2026-10-09T12:00:00Z'],
    ['or try again at 3:00 PM.', '2026-10-09T15:00:00Z'],
    ['retry after 2h', '2026-10-09T12:00:00Z'],
    ['Please retry in 2h.', '2026-10-09T12:00:00Z'],
    ['Retrying after 7200000ms...', '2026-10-09T12:00:00Z'],
    ['resuming 3pm', '2026-10-09T15:00:00Z'],
    ['resuming in 2h', '2026-10-09T12:00:00Z'],
    ['continuing automatically at 3pm · esc to cancel', '2026-10-09T15:00:00Z'],
    ['when your cycle ends on 10/12/2026.*', '2026-10-12T00:00:00Z'],
  ])('%s', (text, at) => expect(read(text)?.[0]).toBe(at))

  it.each([
    ['a period', 'wait for limits to reset (every 5h and every week.)'],
    ['a period without brackets', 'this limit resets every 5h'],
    ['no time', 'You have hit your limit, try again later'],
    ['months', 'resets in 5 months'],
    ['a unit that is none', 'resets in 5 dozen hours'],
    ['a moment', 'usually temporary, try again in a moment'],
    ['a number alone', 'resets 5'],
    ['a share', 'limit resets at 100%'],
    ['a time without such words', 'started at 3pm, used 5h'],
    ['a longer word', 'the presets 3pm of the screen'],
    ['a name with such a word in it', 'resets_at 3pm and auto_retry in 5m'],
    ['a connection', 'connection reset by peer 2h'],
    ['nothing', ''],
    ['the words at the end', 'resets in '],
  ])('%s is no reset', (_what, text) => expect(read(text)).toBeNull())

  it('the first place with a time decides, also when that time cannot be read', () => {
    expect(read('Limit will reset. Please try again in 2h, or retry in 3h')).toEqual(['2026-10-09T12:00:00Z', 'duration'])
    for (const unreadable of ['Feb 30, 5pm', 'Oct 12, 13pm', 'Fri 13pm', '13pm', '10/32', '2026-13-01', '41 days', '2026-10-12T25:00:00Z']) {
      expect(read(`resets ${unreadable}. Try again at 6pm`), unreadable).toBeNull()
    }
  })
})

describe('cli-engines.md §7 clocks', () => {
  it.each([
    ['3pm', '15:00'],
    ['3 pm', '15:00'],
    ['3:07pm', '15:07'],
    ['3:07 PM', '15:07'],
    ['3:07 p.m.', '15:07'],
    ['3:07 P. M.', '15:07'],
    ['3:07:09 pm', '15:07:09'],
    ['03:07pm', '15:07'],
    ['12pm', '12:00'],
    ['12:30pm', '12:30'],
    ['15:07', '15:07'],
    ['15:07:09', '15:07:09'],
    ['12:30', '12:30'],
    ['23:59', '23:59'],
  ])('%s is %s of today', (clock, expected) => {
    const at = new Date(`2026-10-09T${expected}Z`).toISOString().replace('.000Z', 'Z')
    for (const text of [`resets ${clock}`, `resets ${clock}, then on`, `(resets ${clock})`]) expect(read(text)).toEqual([at, 'clock'])
  })

  it.each([
    ['12am', '2026-10-10T00:00:00Z'],
    ['12:15 AM', '2026-10-10T00:15:00Z'],
    ['00:15', '2026-10-10T00:15:00Z'],
    ['9am', '2026-10-10T09:00:00Z'],
    ['9:49am', '2026-10-10T09:49:00Z'],
    // Ten minutes ago to the ms is no longer just now.
    ['9:50am', '2026-10-10T09:50:00Z'],
    ['9:51am', '2026-10-09T09:51:00Z'],
    ['10am', '2026-10-09T10:00:00Z'],
  ])('%s is the first after now less ten minutes', (clock, at) => expect(read(`resets ${clock}`)).toEqual([at, 'clock']))

  it('just before midnight, read just after it, is due now', () => {
    expect(read('resets 11:58pm', 'UTC', '2027-01-01T00:05:00Z')).toEqual(['2026-12-31T23:58:00Z', 'clock'])
    expect(read('resets Dec 31, 11:58pm', 'UTC', '2027-01-01T00:05:00Z')).toEqual(['2026-12-31T23:58:00Z', 'date'])
    expect(read('resets Thu 11:58pm', 'UTC', '2027-01-01T00:05:00Z')).toEqual(['2026-12-31T23:58:00Z', 'weekday'])
  })

  it.each([
    '13pm',
    '0am',
    '25:00',
    '24:00',
    '12:60',
    '3:60pm',
    '14:30 pm',
    '3:07:60 pm',
    '99:99',
    '5pmx',
    '2:305',
    '3:07pmx',
    '3:07 pmx',
    '300pm',
    '5 amps',
  ])('%s is out of range or no clock', (clock) => expect(read(`resets ${clock}`)).toBeNull())
})

describe('cli-engines.md §7 dates', () => {
  it.each([
    ['Oct 12, 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['Oct 12 at 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['Oct 12 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['Oct 12, 17:05', '2026-10-12T17:05:00Z', 'date'],
    ['October 12th, 2026 5:05 PM', '2026-10-12T17:05:00Z', 'date'],
    ['Oct. 12, 2026, 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['oct 12 2026 at 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['Nov 1st', '2026-11-01T00:00:00Z', 'date'],
    ['Nov 2nd.', '2026-11-02T00:00:00Z', 'date'],
    ['Nov 3rd · /upgrade', '2026-11-03T00:00:00Z', 'date'],
    ['Monday, Oct 12, 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['Mon Oct 12 5pm (UTC)', '2026-10-12T17:00:00Z', 'date_tz'],
    ['Oct 12 (UTC)', '2026-10-12T00:00:00Z', 'date_tz'],
    ['10/12', '2026-10-12T00:00:00Z', 'date'],
    ['10/12/2026', '2026-10-12T00:00:00Z', 'date'],
    ['10/12, 5pm', '2026-10-12T17:00:00Z', 'date'],
    ['10/12/2026 at 5:05 pm (UTC)', '2026-10-12T17:05:00Z', 'date_tz'],
    ['2026-10-12', '2026-10-12T00:00:00Z', 'date'],
    ['2026-10-12 15:13:03', '2026-10-12T15:13:03Z', 'datetime'],
    ['2026-10-12T15:13:03', '2026-10-12T15:13:03Z', 'datetime'],
    ['2026-10-12 at 3:13 PM', '2026-10-12T15:13:00Z', 'datetime'],
    ['2026-10-12 15:13:03 (Europe/Madrid)', '2026-10-12T13:13:03Z', 'datetime'],
    ['2026-10-12T15:13:03Z', '2026-10-12T15:13:03Z', 'iso'],
    ['2026-10-12T15:13:03.2505Z', '2026-10-12T15:13:03.251Z', 'iso'],
    ['2026-10-12 15:13:03+02:00', '2026-10-12T13:13:03Z', 'iso'],
    ['2026-10-12T15:13-0330', '2026-10-12T18:43:00Z', 'iso'],
  ])('%s', (date, at, source) => expect(read(`resets ${date}`)).toEqual([at, source]))

  it('of any month, in words and cut to three letters', () => {
    const months = 'January February March April May June July August September October November December'.split(' ')
    for (const [index, month] of months.entries()) {
      const at = `2026-${String(index + 1).padStart(2, '0')}-17T05:00:00Z`
      const now = new Date(Date.parse(at) - 5 * 86_400_000).toISOString()
      for (const name of [month, month.slice(0, 3), month.toLowerCase()]) expect(read(`resets ${name} 17, 5am`, 'UTC', now)).toEqual([at, 'date'])
    }
    expect(read('resets Sept 17, 5am', 'UTC', '2026-09-12T00:00:00Z')?.[0]).toBe('2026-09-17T05:00:00Z')
  })

  it('without a year it is this year, else the next, as the zone counts years', () => {
    expect(read('resets Jan 2, 9am', 'UTC', '2026-12-30T10:00:00Z')).toEqual(['2027-01-02T09:00:00Z', 'date'])
    expect(read('resets Jan 2, 9am (Pacific/Kiritimati)', 'UTC', '2026-12-31T10:30:00Z')).toEqual(['2027-01-01T19:00:00Z', 'date_tz'])
    expect(read('resets Feb 29, 9am', 'UTC', '2028-02-01T00:00:00Z')).toEqual(['2028-02-29T09:00:00Z', 'date'])
    expect(read('resets Feb 29, 9am', 'UTC', '2026-02-01T00:00:00Z')).toBeNull()
  })

  it.each([
    'Feb 30, 5pm',
    'Oct 32, 5pm',
    'Oct 0, 5pm',
    'Oct 1234, 5pm',
    'Mon, Oct 99999, 5pm',
    '13/01 5pm',
    '10/32/2026 5pm',
    '10/12/26 5pm',
    '10/12/20266 5pm',
    '2026/10/12 5pm',
    '2026-13-01 15:00',
    '2026-02-29T15:00:00Z',
    '2026-10-12T25:00:00Z',
    '2026-10-12T15:00:00+25:00',
    '0099-10-12',
    'Oct 12, 13pm',
    'Oct 12, 20267, 5pm',
    'Oct 12 at noon',
    'Oct 12, 25:00',
    'Oct 12, 5',
  ])('%s is unreadable: neither its clock nor its day is taken for it', (date) => expect(read(`resets ${date}`)).toBeNull())

  it('40 days and an hour ahead is the farthest, ten minutes the longest ago', () => {
    expect(read('resets Nov 18, 11am')?.[0]).toBe('2026-11-18T11:00:00Z')
    expect(read('resets Nov 18, 11:01am')).toBeNull()
    expect(read('resets Oct 9, 9:51am')?.[0]).toBe('2026-10-09T09:51:00Z')
    expect(read('resets Oct 9, 9:50am')).toBeNull()
    expect(read('resets Oct 9th, 2026 9:50 AM')).toBeNull()
    expect(read('resets 2025-10-12 15:13:03')).toBeNull()
    // The day itself began hours ago: the date alone says no instant to come.
    expect(read('resets Oct 9')).toBeNull()
  })

  it('an instant that has passed is told as it is, one too far ahead is not read', () => {
    expect(read('resets 2020-01-01T00:00:00Z')).toEqual(['2020-01-01T00:00:00Z', 'iso'])
    expect(read('resets at 2026-11-18T11:00:00Z')).toEqual(['2026-11-18T11:00:00Z', 'iso'])
    expect(read('resets at 2026-11-18T11:00:01Z')).toBeNull()
  })
})

describe('cli-engines.md §7 weekdays', () => {
  // The ninth of October 2026 is a Friday.
  it.each([
    ['Fri', '2026-10-16T00:00:00Z', 'weekday'],
    ['Fri 11am', '2026-10-09T11:00:00Z', 'weekday'],
    ['Fri 9:55am', '2026-10-09T09:55:00Z', 'weekday'],
    ['Friday at 9am', '2026-10-16T09:00:00Z', 'weekday'],
    ['Sat', '2026-10-10T00:00:00Z', 'weekday'],
    ['Thursday, 6:00 AM', '2026-10-15T06:00:00Z', 'weekday'],
    ['mon 06:00 (Europe/Madrid)', '2026-10-12T04:00:00Z', 'weekday_tz'],
    ['Tues 6pm', '2026-10-13T18:00:00Z', 'weekday'],
    ['Wednesday (UTC)', '2026-10-14T00:00:00Z', 'weekday_tz'],
  ])('%s', (day, at, source) => expect(read(`resets ${day}`)).toEqual([at, source]))

  it('counts days in its own zone', () => {
    // Already Saturday there.
    expect(read('resets Sat 3am (Pacific/Kiritimati)', 'UTC', '2026-10-09T12:00:00Z')).toEqual(['2026-10-09T13:00:00Z', 'weekday_tz'])
  })

  it.each(['Fri 13pm', 'Fri 9', 'Frid 9am', 'Monk 9am', 'Someday 9am'])('%s is unreadable', (day) => expect(read(`resets ${day}`)).toBeNull())
})

describe('cli-engines.md §7 a bar and an instant', () => {
  it.each([
    ['Claude AI usage limit reached|1749924000', '2025-06-14T18:00:00Z'],
    ['Claude AI usage limit reached| 1749924000', '2025-06-14T18:00:00Z'],
    ['limit reached|1749924000123', '2025-06-14T18:00:00.123Z'],
    // First of all forms, wherever it stands.
    ['resets 5pm, limit reached|1749924000', '2025-06-14T18:00:00Z'],
  ])('%s', (text, at) => expect(read(text)).toEqual([at, 'unix']))

  it.each(['limit reached|174992400', 'limit reached|17499240001234', 'limit reached|', 'limit reached 1749924000'])('%s is none', (text) =>
    expect(read(text)).toBeNull(),
  )
})
