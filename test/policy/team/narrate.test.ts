import { describe, expect, test } from 'vitest'
import { narrator, whatFailed } from '../../../src/policy/team/narrate.ts'

const utc = narrator('UTC')
const at = (text: string) => Date.parse(text)
const NOON = at('2026-03-01T12:00:00Z')
const sleep = { engine: 'claude:haiku', untilAt: at('2026-03-01T12:20:59Z') }

describe('rules.md §7–9: the lines, word for word', () => {
  test.each([
    ['T9', utc.place('ana', { kind: 'advanced', from: 'claude', to: 'codex' }), 'ana: claude limited → codex'],
    ['T11', utc.handoff('ana', 'bo'), 'ana is rate limited — @bo takes the turn'],
    ['T15', utc.place('ana', { kind: 'returned', to: null }), 'ana: limit lifted — back on its primary provider'],
    ['T15', utc.place('ana', { kind: 'returned', to: 'codex' }), 'ana: limit lifted — back on codex'],
    ['T16', utc.sleep({ ...sleep, says: 'every' }, null, NOON), 'every participant limited — waiting for claude:haiku, back first at 12:20'],
    ['T16', utc.sleep({ ...sleep, says: 'kept' }, 'ana', NOON), 'ana is rate limited — waiting for claude:haiku, back first at 12:20'],
    ['T16', utc.sleep({ ...sleep, says: 'nobody' }, null, NOON), 'nobody can take the turn — waiting for claude:haiku, next try at 12:20'],
    ['T18', utc.sleep({ ...sleep, says: 'unreachable' }, null, NOON), 'No provider can be reached; trying again at 12:20'],
    ['G09', utc.sleep({ ...sleep, says: null }, 'ana', NOON), null],
    ['T18', utc.outage('claude', NOON + 60_000, NOON), 'claude could not be reached; trying it again at 12:01'],
    ['T18', utc.reachable('claude'), 'claude is reachable again'],
    [
      'T19',
      utc.gaveUp(12, whatFailed('claude', { kind: 'exited', code: 1 })),
      'Gave up after 12 failed attempts in a row, over five hours (claude exited 1); run paused — resume to try again',
    ],
    ['T20', utc.silent('ana'), 'ana ended three turns in a row without a post; run paused — resume to try again'],
  ])('%s %s', (_, line, expected) => {
    expect(line).toBe(expected)
  })

  test.each([
    [{ kind: 'exited', code: 137 } as const, 'codex exited 137'],
    [{ kind: 'timed_out' } as const, 'codex timed out'],
    [{ kind: 'failed', failure: 'auth' } as const, 'codex failed: auth'],
    [null, 'codex ended without a post'],
  ])('G29 %j: %s', (fault, words) => {
    expect(whatFailed('codex', fault)).toBe(words)
  })
})

describe('G17 the time of a line', () => {
  test.each([
    ['UTC', '2026-03-01T12:00:00Z', '2026-03-01T23:59:59Z', '23:59'],
    ['UTC', '2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z', '2026-03-02 00:00'],
    ['UTC', '2026-03-02T00:00:00Z', '2026-03-02T00:05:00Z', '00:05'],
    ['UTC', '2026-03-01T12:00:00Z', '2027-03-01T12:00:00Z', '2027-03-01 12:00'],
    ['Asia/Kolkata', '2026-03-01T12:00:00Z', '2026-03-01T20:59:59Z', '2026-03-02 02:29'],
    ['Europe/Madrid', '2026-03-28T23:30:00Z', '2026-03-29T01:00:00Z', '03:00'],
    ['America/New_York', '2026-03-02T04:59:00Z', '2026-03-02T05:00:00Z', '2026-03-02 00:00'],
  ])('in %s at %s: %s is %s', (zone, now, until, expected) => {
    expect(narrator(zone).outage('x', at(until), at(now))).toBe(`x could not be reached; trying it again at ${expected}`)
  })
})
