import { expect } from 'vitest'
import type { RunEvent } from '../../src/faces/demo/timeline.ts'

/** What the demo has to tell, as its events. */

/** The events of one act, in order. */
function act(events: readonly RunEvent[], turn: string): RunEvent[] {
  const from = events.findIndex((event) => event.type === 'turn.started' && event.turn === turn)
  const to = events.findIndex((event) => event.type === 'turn.ended' && event.turn === turn)
  return events.slice(from, to + 1)
}

const outcome = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === 'turn.ended' ? [event.outcome] : []))[0]
/** Profile, mode and result of each. */
const attempts = (events: readonly RunEvent[]) => outcome(events)?.attempts.map(({ entry, mode, result }) => [entry.split('/')[0], mode, result])
/** Entry and result of each. */
const asked = (events: readonly RunEvent[]) => outcome(events)?.attempts.map(({ entry, result }) => [entry, result])
const holds = (events: readonly RunEvent[]) => events.flatMap((event) => (event.type === 'hold.set' ? [event] : []))
const types = (events: readonly RunEvent[]) => events.map(({ type }) => type)

/** Success, limit and failover, a stream cut before and after output, all held, and a cancel. */
export function expectStory(events: readonly RunEvent[]): void {
  expect(attempts(act(events, 'a plain success'))).toEqual([['openai.demo', 'stream', 'ok']])

  const limited = act(events, '429: hold, then failover')
  expect(attempts(limited)).toEqual([
    ['openai.demo', 'stream', 'rate_limited'],
    ['anthropic.demo', 'call', 'ok'],
  ])
  expect(limited).toContainEqual(expect.objectContaining({ type: 'hold.set', hold: expect.objectContaining({ key: 'openai.demo' }) }))
  expect(attempts(act(events, 'around the hold'))).toEqual([['anthropic.demo', 'stream', 'ok']])

  const early = act(events, 'stream cut early: recovered')
  expect(attempts(early)).toEqual([
    ['openai.demo', 'stream', 'truncated'],
    ['anthropic.demo', 'call', 'ok'],
  ])
  expect(types(early)).toContain('recovery.started')
  expect(types(early)).not.toContain('output.committed')

  const late = act(events, 'stream cut after output: kept')
  expect(attempts(late)).toEqual([['openai.demo', 'stream', 'truncated']])
  expect(outcome(late)).toMatchObject({ kind: 'interrupted', partialText: 'Once upon a time there was a stream ' })

  const held = act(events, 'all held: wait, then return')
  expect(attempts(held)).toEqual([
    ['openai.demo', 'call', 'rate_limited'],
    ['anthropic.demo', 'call', 'rate_limited'],
    ['openai.demo', 'call', 'ok'],
  ])
  expect(held).toContainEqual(expect.objectContaining({ type: 'wait.started', why: 'hold', key: 'openai.demo' }))

  expect(outcome(act(events, 'cancelled by the host'))).toMatchObject({ kind: 'cancelled', partialText: 'One, two, ' })
}

/** A limit, a chain hop, a handoff, everyone limited, sleep to the earliest reset, return, outage and recovery, and everybody done. */
export function expectStoryOfTeam(events: readonly RunEvent[]): void {
  const told = events.flatMap((event) => (event.type === 'team.told' ? [event.event] : []))
  const lines = told.flatMap((event) =>
    event.type === 'line.written' ? [event.line.replace(/\d{4}-\d\d-\d\d /, '').replace(/\d\d:\d\d/, 'HH:MM')] : [],
  )
  expect(lines).toEqual([
    'ana: claude limited → codex',
    'bo is rate limited — @cy takes the turn',
    'every participant limited — waiting for claude, back first at HH:MM',
    'ana: limit lifted — back on its primary provider',
    'agy could not be reached; trying it again at HH:MM',
    'nobody can take the turn — waiting for agy, next try at HH:MM',
    'agy is reachable again',
    'nobody can take the turn — waiting for codex, next try at HH:MM',
    'every participant is done; run paused — say something or resume to go on',
  ])
  const runs = told.flatMap((event) => (event.type === 'run.ended' ? [`${event.run.participant} ${event.run.entry.engine} ${event.result}`] : []))
  expect(runs).toEqual([
    ...['ana claude posted', 'bo codex posted', 'cy agy posted', 'ana claude limited', 'ana codex posted', 'bo codex limited', 'cy agy posted'],
    ...['cy agy limited', 'ana claude waiting', 'ana claude posted', 'cy agy network', 'ana claude posted', 'cy agy posted', 'bo codex posted'],
  ])
  expect(told.flatMap((event) => (event.type === 'wait.ended' ? [event.wokenBy] : []))).toEqual(['reset', 'probe', 'probe', 'reset'])
  expect(events.filter(({ type }) => type === 'team.posted')).toHaveLength(10)
  // Waits are gone through in a moment, calls take the time that they take: none of these would take half a minute.
  const begun = told.flatMap((event) => (event.type === 'run.started' ? [event.at] : []))
  const ended = told.flatMap((event) => (event.type === 'run.ended' ? [event.at] : []))
  expect(ended.map((at, index) => at - (begun[index] ?? 0)).filter((ms) => ms > 15_000)).toEqual([])
  expect(told.at(-1)).toMatchObject({ type: 'team.ended', reason: 'stop' })
}

const HOUR_MS = 3_600_000

/** Tools and a stream of claude, a limit of its account and of one model, an outage that is ended, and a return after the earliest reset. */
export function expectStoryOfPrograms(events: readonly RunEvent[]): void {
  const tools = act(events, 'the CLI claude runs a tool, and streams')
  expect(asked(tools)).toEqual([['claude.max/opus', 'ok']])
  expect(types(tools).filter((type) => type === 'providerToolCall' || type === 'providerToolResult')).toHaveLength(2)
  expect(types(tools).filter((type) => type === 'text').length).toBeGreaterThan(2)

  const session = act(events, 'session limit of claude: codex takes over')
  expect(asked(session)).toEqual([
    ['claude.max/opus', 'rate_limited'],
    ['codex.plus/gpt-codex', 'ok'],
  ])
  const [limit] = holds(session)
  expect(limit?.hold).toMatchObject({ key: 'claude.max', reason: 'limit' })
  // The reset that claude has printed, a whole second: neither the hour of a limit without one (T5) nor the minute of one that is past.
  expect((limit?.hold.untilAt ?? 0) % 1_000).toBe(0)
  expect((limit?.hold.untilAt ?? 0) - (limit?.at ?? 0)).toBeLessThan(10_000)
  expect(session).toContainEqual(expect.objectContaining({ type: 'entry.skipped', entry: 'claude.max/sonnet' }))

  const outage = act(events, 'codex waits for its network for ever: ended')
  expect(asked(outage)).toEqual([
    ['codex.plus/gpt-codex', 'network'],
    ['anthropic.spare/claude-demo', 'ok'],
  ])
  expect(holds(outage)).toEqual([])

  const model = act(events, 'a limit of opus alone: sonnet answers')
  expect(asked(model)).toEqual([
    ['claude.max/opus', 'rate_limited'],
    ['claude.max/sonnet', 'ok'],
  ])
  expect(holds(model).map(({ hold }) => hold)).toMatchObject([{ key: 'claude.max/opus', reason: 'limit' }])
  expectWholeDays(holds(model)[0])

  const all = act(events, 'all limited: wait for the earliest reset')
  expect(asked(all)).toEqual([
    ['claude.max/sonnet', 'rate_limited'],
    ['codex.plus/gpt-codex', 'rate_limited'],
    ['anthropic.spare/claude-demo', 'rate_limited'],
    ['claude.max/sonnet', 'ok'],
  ])
  expect(holds(all).map(({ hold }) => [hold.key, hold.reason])).toEqual([
    ['claude.max', 'limit'],
    ['codex.plus', 'limit'],
    ['anthropic.spare', 'cooldown'],
  ])
  expect(all).toContainEqual(expect.objectContaining({ type: 'wait.started', why: 'hold', key: 'claude.max' }))

  const told = events.at(-1)
  const rows = told?.type === 'kernel.ledger' ? told.rows : []
  expect(rows).toHaveLength(11 + 11 + 14)
  expect([...new Set(rows.map(({ profile, costBasis }) => `${profile.split('.', 1)[0]} ${costBasis}`))].sort()).toEqual([
    'agy subscription',
    'anthropic metered',
    'claude subscription',
    'codex subscription',
    'openai metered',
  ])
  expect(rows.flatMap(({ reportedPicoUsd }) => (reportedPicoUsd === null || reportedPicoUsd === 0 ? [] : [reportedPicoUsd / 1e12]))).toEqual([
    0.014925, 0.00207, 0.00228,
  ])
  expect(types(events)).not.toContain('warning.raised')
  expect(told).toMatchObject({ type: 'kernel.ledger', holds: [{ key: 'claude.max/opus' }, { key: 'codex.plus' }, { key: 'anthropic.spare' }] })
}

function expectWholeDays(limit: { readonly at: number; readonly hold: { readonly untilAt: number } } | undefined): void {
  const aheadMs = (limit?.hold.untilAt ?? 0) - (limit?.at ?? 0)
  expect(aheadMs).toBeGreaterThan(71 * HOUR_MS)
  expect(aheadMs).toBeLessThanOrEqual(72 * HOUR_MS + 1_000)
}
