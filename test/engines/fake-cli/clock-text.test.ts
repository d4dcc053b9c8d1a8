import { describe, expect, test } from 'vitest'
import { claudeClock, codexClock, goDuration } from '../../../src/engines/fake-cli/clock-text.ts'

/** cli-engines.md §2 and §3: how the real ones print when a limit ends. */
const NOW = Date.parse('2026-11-30T06:20:00Z')

describe('a clock as claude prints it', () => {
  test.each([
    ['cut to the minute, not rounded', '2026-11-30T06:20:59Z', 'UTC', '6:20am (UTC)'],
    ['without minutes at the full hour', '2026-11-30T15:00:30Z', 'UTC', '3pm (UTC)'],
    ['midnight and noon', '2026-12-01T00:00:00Z', 'UTC', '12am (UTC)'],
    ['noon', '2026-11-30T12:05:00Z', 'UTC', '12:05pm (UTC)'],
    ['in the zone of the process', '2026-11-30T08:16:10Z', 'Europe/Madrid', '9:16am (Europe/Madrid)'],
    ['a half-hour zone', '2026-11-30T08:16:10Z', 'Asia/Kolkata', '1:46pm (Asia/Kolkata)'],
    ['an offset zone by its name', '2026-11-30T08:16:10Z', 'Etc/GMT+5', '3:16am (Etc/GMT+5)'],
    ['24 hours are a clock only', '2026-12-01T06:20:00Z', 'UTC', '6:20am (UTC)'],
    ['more are a date', '2026-12-01T06:20:01Z', 'UTC', 'Dec 1, 6:20am (UTC)'],
    ['another year is told', '2027-01-02T09:00:00Z', 'UTC', 'Jan 2, 2027, 9am (UTC)'],
    ['an unknown zone prints UTC', '2026-11-30T08:16:10Z', 'Mars/Olympus', '8:16am (UTC)'],
  ])('%s', (_what, at, zone, text) => {
    expect(claudeClock(Date.parse(at), NOW, zone)).toBe(text)
  })
})

describe('a clock as codex prints it', () => {
  test.each([
    ['today', '2026-11-30T08:19:59Z', 'UTC', '8:19 AM'],
    ['the full hour keeps its minutes', '2026-11-30T20:00:00Z', 'UTC', '8:00 PM'],
    ['another day there, though less than a day away', '2026-12-01T00:05:00Z', 'UTC', 'Dec 1st, 2026 12:05 AM'],
    ['the same day there, though another in UTC', '2026-12-01T04:05:00Z', 'America/New_York', '11:05 PM'],
    ['ordinals', '2026-12-02T09:17:00Z', 'UTC', 'Dec 2nd, 2026 9:17 AM'],
    ['third', '2026-12-03T09:17:00Z', 'UTC', 'Dec 3rd, 2026 9:17 AM'],
    ['eleventh', '2026-12-11T09:17:00Z', 'UTC', 'Dec 11th, 2026 9:17 AM'],
    ['thirteenth', '2026-12-13T09:17:00Z', 'UTC', 'Dec 13th, 2026 9:17 AM'],
    ['twenty-second', '2026-12-22T09:17:00Z', 'UTC', 'Dec 22nd, 2026 9:17 AM'],
    ['next year', '2027-01-31T09:17:00Z', 'UTC', 'Jan 31st, 2027 9:17 AM'],
  ])('%s', (_what, at, zone, text) => {
    expect(codexClock(Date.parse(at), NOW, zone)).toBe(text)
  })
})

test.each([
  [9_093_000, '2h31m33s'],
  [9_092_001, '2h31m33s'],
  [604_263_000, '167h51m3s'],
  [3_600_000, '1h0m0s'],
  [1_800_000, '30m0s'],
  [45_000, '45s'],
  [1, '1s'],
  [0, '0s'],
  [-5_000, '0s'],
])('%d ms as Go writes them: %s', (ms, text) => {
  expect(goDuration(ms)).toBe(text)
})
