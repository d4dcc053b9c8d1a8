import { describe, expect, it } from 'vitest'
import { readReset } from '../../../../src/engines/cli/reset/read-reset.ts'

const read = (text: string, now: string, zone = 'UTC') => {
  const reset = readReset(text, { now: Date.parse(now), zone })
  return reset === null ? null : [new Date(reset.at).toISOString().replace('.000Z', 'Z'), reset.source]
}

describe('cli-engines.md §7 the zone of a clock', () => {
  const NOW = '2026-07-01T09:00:00Z'

  it.each([
    ['(Europe/Madrid)', '13:00'],
    [' (europe/madrid)', '13:00'],
    [' (Asia/Kolkata)', '09:30'],
    [' (America/Argentina/Buenos_Aires)', '18:00'],
    [' (Etc/GMT+5)', '20:00'],
    [' (Etc/GMT-3)', '12:00'],
    [' (UTC)', '15:00'],
    [' (GMT)', '15:00'],
    [' UTC', '15:00'],
    [' GMT-3', '18:00'],
    [' GMT+5:30', '09:30'],
    [' UTC+0530', '09:30'],
    [' (GMT\u22123)', '18:00'],
    [' (UTC+2)', '13:00'],
    [' Europe/Madrid', '13:00'],
    [' (EST5EDT)', '19:00'],
  ])('3pm%s is %s UTC', (zone, clock) => expect(read(`resets 3pm${zone}`, NOW, 'Asia/Seoul')).toEqual([`2026-07-01T${clock}:00Z`, 'clock_tz']))

  it.each([
    ' (Etc/Unknown)',
    ' (Mars/Olympus)',
    ' (GMT+99)',
    ' (UTC+5:75)',
    // Zones of ICU by these names are Dhaka, Kolkata and Cairo.
    ' (BST)',
    ' (IST)',
    ' (ART)',
    ' PST',
    ' · /upgrade',
    ' (every day)',
    ` (${'a'.repeat(300)}/b)`,
  ])('%s is no zone that is known: the clock is that of the program', (zone) =>
    expect(read(`resets 7pm${zone}`, NOW, 'Asia/Seoul')).toEqual(['2026-07-01T10:00:00Z', 'clock']),
  )

  it.each(['', 'Mars/Olympus', 'Etc/Unknown', 'GMT+9'])('a program in %j, a zone that is not known, prints UTC', (zone) =>
    expect(read('resets 3pm', NOW, zone)).toEqual(['2026-07-01T15:00:00Z', 'clock']),
  )

  it('a zone 14 hours ahead is a day ahead', () => {
    expect(read('resets 3am (Pacific/Kiritimati)', '2026-12-01T10:00:00Z')).toEqual(['2026-12-01T13:00:00Z', 'clock_tz'])
    expect(read('resets 1am (Pacific/Pago_Pago)', '2026-12-01T10:00:00Z')).toEqual(['2026-12-01T12:00:00Z', 'clock_tz'])
  })

  it('every zone that the platform knows', () => {
    for (const zone of [...Intl.supportedValuesOf('timeZone'), 'Europe/Madrid']) expect(read(`resets 3pm (${zone})`, NOW)?.[1]).toBe('clock_tz')
    expect(read('resets 3pm (Europe/Madrid)', NOW)?.[0]).toBe('2026-07-01T13:00:00Z')
  })
})

describe('cli-engines.md §7 clocks that are set', () => {
  // Madrid goes from 2 to 3 on 29 March at 01:00Z, from 3 to 2 on 25 October at 01:00Z.
  it.each([
    ['a skipped clock shifts forward', 'resets 2:30am (Europe/Madrid)', '2026-03-28T23:00:00Z', '2026-03-29T01:30:00Z', 'clock_tz'],
    ['one day ahead to the ms is not within the day', 'resets 2:30am (Europe/Madrid)', '2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', 'clock_tz'],
    // No clock shows 2:30 that day; that of the next day is 23:35 ahead, and a bare clock is printed up to 24 hours ahead.
    ['one that only tomorrow can have been', 'resets 2:30am (Europe/Madrid)', '2026-03-29T00:55:00Z', '2026-03-30T00:30:00Z', 'clock_tz'],
    ['a skipped clock of a date shifts forward', 'resets Mar 29, 2:30am (Europe/Madrid)', '2026-03-29T00:55:00Z', '2026-03-29T01:30:00Z', 'date_tz'],
    ['a skipped clock of a weekday too', 'resets Sun 2:30am (Europe/Madrid)', '2026-03-29T00:55:00Z', '2026-03-29T01:30:00Z', 'weekday_tz'],
    ['the clock before it', 'resets 1:59am (Europe/Madrid)', '2026-03-28T23:00:00Z', '2026-03-29T00:59:00Z', 'clock_tz'],
    ['the clock after it', 'resets 3am (Europe/Madrid)', '2026-03-28T23:00:00Z', '2026-03-29T01:00:00Z', 'clock_tz'],
    ['a clock shown twice: the first', 'resets 2:30am (Europe/Madrid)', '2026-10-24T22:00:00Z', '2026-10-25T00:30:00Z', 'clock_tz'],
    ['the first has just passed', 'resets 2:30am (Europe/Madrid)', '2026-10-25T00:39:00Z', '2026-10-25T00:30:00Z', 'clock_tz'],
    ['the first has passed: the second', 'resets 2:30am (Europe/Madrid)', '2026-10-25T00:45:00Z', '2026-10-25T01:30:00Z', 'clock_tz'],
    ['both have passed: the next day', 'resets 2:30am (Europe/Madrid)', '2026-10-25T01:45:00Z', '2026-10-26T01:30:00Z', 'clock_tz'],
    ['a date shown twice', 'resets Oct 25, 2:30am (Europe/Madrid)', '2026-10-25T00:45:00Z', '2026-10-25T01:30:00Z', 'date_tz'],
    // Half an hour is skipped on 4 October at 15:30Z (2:00 to 2:30), and comes twice on 5 April at 15:00Z of the day before.
    ['half an hour skipped', 'resets 2:15am (Australia/Lord_Howe)', '2026-10-03T12:00:00Z', '2026-10-03T15:45:00Z', 'clock_tz'],
    ['half an hour twice', 'resets 1:45am (Australia/Lord_Howe)', '2026-04-04T14:56:00Z', '2026-04-04T15:15:00Z', 'clock_tz'],
    // Midnight of the eighth is skipped, that of the ninth is 23:30 ahead, and it is still the seventh.
    ['a midnight two days ahead', 'resets 12am (America/Havana)', '2026-03-08T04:30:00Z', '2026-03-09T04:00:00Z', 'clock_tz'],
    // Havana skips its midnight on 8 March 2026.
    ['a day that begins at one', 'resets Mar 8 (America/Havana)', '2026-03-05T00:00:00Z', '2026-03-08T05:00:00Z', 'date_tz'],
  ])('%s', (_what, text, now, at, source) => expect(read(text, now)).toEqual([at, source]))

  it('a whole day that is skipped: Apia had no 30 December 2011', () => {
    expect(read('resets Dec 30, 2011, 9am (Pacific/Apia)', '2011-12-30T09:00:00Z')).toEqual(['2011-12-30T19:00:00Z', 'date_tz'])
    expect(read('resets 9am (Pacific/Apia)', '2011-12-30T09:00:00Z')).toEqual(['2011-12-30T19:00:00Z', 'clock_tz'])
  })
})
