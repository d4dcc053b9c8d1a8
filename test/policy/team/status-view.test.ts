import { describe, expect, test } from 'vitest'
import type { RunState } from '../../../src/model/team.ts'
import { type TeamMemory, teamMemory } from '../../../src/policy/team/team-memory.ts'
import { type StatusView, teamStatus } from '../../../src/policy/team/team-status.ts'
import { known, member } from './team.ts'

const NOW = 1_000
const ana = member('ana', 'claude', 'codex')
const none = { id: 'bo', entries: [] }

function status(memory: Partial<TeamMemory>, state: RunState = 'running', more: Partial<StatusView> = {}) {
  const standing = { ...teamMemory({ now: NOW, elapsedMs: NOW }), ...memory }
  const unset = { since: 0, running: null, gatePosts: new Map(), lastPost: 0, end: null, now: NOW, elapsedMs: NOW }
  return teamStatus({ members: [ana, none], memory: standing, state, ...unset, ...more })
}

const chainOf = (memory: Partial<TeamMemory>) => status(memory).participants[0]?.chain

describe('what is shown of a participant', () => {
  test.each<[string, Partial<TeamMemory>, string | null]>([
    ['before its first turn: the first of its chain', {}, 'claude'],
    ['behind a hop: where it stands', { places: new Map([['ana', { at: 1, passed: new Set([0]) }]]) }, 'codex'],
    ['of a chain that has become shorter: its first', { places: new Map([['ana', { at: 7, passed: new Set() }]]) }, 'claude'],
  ])('its engine, %s', (_, memory, engine) => {
    expect(status(memory).participants.map((each) => each.engine)).toEqual([engine, null])
  })

  test('T15 a limit and an outage are shown while they are ahead, though both stand in the register until a turn starts', () => {
    const ahead = chainOf({ register: known({ limits: { claude: NOW + 1 }, outages: { codex: NOW + 1 } }) })
    expect(ahead).toMatchObject([
      { engine: 'claude', limitedUntil: NOW + 1, stated: true, outUntil: null },
      { engine: 'codex', limitedUntil: null, stated: false, outUntil: NOW + 1 },
    ])
    const due = chainOf({ register: known({ limits: { claude: NOW }, outages: { codex: NOW } }) })
    expect(due).toMatchObject([
      { limitedUntil: null, stated: false, outUntil: null },
      { limitedUntil: null, stated: false, outUntil: null },
    ])
  })

  test('G13 a reset that nobody stated is shown as one', () => {
    const limits = new Map([['claude', { untilAt: NOW + 1, stated: false }]])
    expect(chainOf({ register: { limits, outages: new Map() } })?.[0]).toMatchObject({ limitedUntil: NOW + 1, stated: false })
  })
})

test.each<[string, Partial<TeamMemory>, object]>([
  ['nothing', {}, { gate: null, approved: false, done: false, silentRow: 0 }],
  ['a question, by its post', { gates: new Set(['ana']) }, { gate: 7 }],
  ['an approval', { approved: ['ana'] }, { gate: null, approved: true }],
  ['that it is done', { done: new Set(['ana']) }, { done: true }],
  ['its silent turns', { silentRows: new Map([['ana', 2]]) }, { silentRow: 2 }],
])('what a participant is in the middle of: %s', (_, memory, shown) => {
  const [first, other] = status(memory, 'running', { gatePosts: new Map([['ana', 7]]) }).participants
  expect(first).toMatchObject(shown)
  expect(other).toMatchObject({ gate: null, approved: false, done: false, silentRow: 0 })
})

test('T12 a question that no post asked has none to show', () => {
  expect(status({ gates: new Set(['ana']) }).participants[0]?.gate).toBe(0)
})

describe('what is shown of the run', () => {
  const wait = { number: 1, untilAt: 9_000, by: 'reset', state: 'rateLimited' } as const

  test.each<[RunState, Partial<TeamMemory>, object | null]>([
    ['rate_limited', { wait }, { at: 9_000, by: 'reset' }],
    ['waiting', { wait }, { at: 9_000, by: 'reset' }],
    ['running', { wait }, null],
    ['paused', { wait }, null],
    ['backing_off', {}, null],
  ])('when it looks again, %s', (state, memory, wake) => {
    expect(status(memory, state).wake).toEqual(wake)
  })

  test.each<[string, RunState, Partial<TeamMemory>, 'stop' | 'pause' | null]>([
    ['nothing is asked for', 'running', {}, null],
    ['a pause during a call', 'running', { pausing: 'pause' }, 'pause'],
    ['a stop during a call, which comes before a pause', 'running', { stopping: true, pausing: 'pause' }, 'stop'],
    ['in the pause itself nothing is on the way', 'paused', { pausing: 'pause', paused: 'done' }, null],
    ['nor at the end', 'stopped', { stopping: true, pausing: 'pause' }, null],
  ])('G22 what is on the way: %s', (_, state, memory, ending) => {
    expect(status(memory, state).ending).toBe(ending)
  })

  test.each<[string, RunState, Partial<TeamMemory>, string | null]>([
    ['not paused', 'running', { paused: 'silent' }, null],
    ['for its own reason', 'paused', { paused: 'silent' }, 'silent'],
    ['by the person on top of that', 'paused', { paused: 'done', pausing: 'pause' }, 'pause'],
    ['before its start', 'paused', {}, 'pause'],
  ])('why it is paused: %s', (_, state, memory, paused) => {
    expect(status(memory, state).paused).toBe(paused)
  })
})
