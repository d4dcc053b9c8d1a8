import { describe, expect, test } from 'vitest'
import type { Hold } from '../../src/model/hold.ts'
import { holdAt, withHold } from '../../src/model/hold.ts'
import { type Selection, type Skipped, select } from '../../src/policy/select.ts'
import { startWalk } from '../../src/policy/walk.ts'
import { planOf, RELIABILITY, type ViewShape, viewOf } from './walks.ts'

const AB = planOf(['a.x', 'b.y'])
const ABC = planOf(['a.x', 'b.y', 'c.z'])
const held = (entries: readonly number[]): Skipped[] => entries.map((entry) => ({ entry, why: 'held' }))
const call = (entry: number, skipped: number[] = []): Selection => ({ to: 'attempt', entry, mode: 'call', skipped: held(skipped) })
const stream = (entry: number): Selection => ({ to: 'attempt', entry, mode: 'stream', skipped: [] })
const wait = (key: string, untilAt: number): Selection => ({ to: 'wait', key, untilAt })
const end = (kind: 'exhausted' | 'all_held' | 'refused' | 'context_window', retryAt: number | null = null, skipped: number[] = []): Selection => ({
  to: 'end',
  kind,
  retryAt,
  skipped: held(skipped),
})

const TABLE: readonly (readonly [title: string, shape: ViewShape, expected: Selection])[] = [
  ['R3 the first entry of the plan', { plan: AB }, call(0)],
  ['R13 a spent entry is passed without a word', { plan: AB, spent: { 0: 2 }, at: 0 }, call(1)],
  ['R18 a held entry is skipped, and told', { plan: AB, held: { 'a.x': 9_000 } }, call(1, [0])],
  ['R18 a hold ends exactly at its deadline', { plan: AB, held: { 'a.x': 9_000 }, now: 9_000 }, call(0)],
  ['R18 two held entries are both told', { plan: ABC, held: { 'a.x': 9_000, 'b.y': 9_000 } }, call(2, [0, 1])],
  ['C28 a held entry that is spent is not told', { plan: AB, held: { 'a.x': 9_000 }, spent: { 0: 2 } }, call(1)],
  ['R18 all held: the earliest is waited for', { plan: AB, held: { 'a.x': 9_000, 'b.y': 4_000 } }, wait('b.y', 4_000)],
  ['R18 a wait exactly at the limit is waited', { plan: planOf(['a.x']), held: { 'a.x': 30_000 } }, wait('a.x', 30_000)],
  ['R16 a longer one is not', { plan: planOf(['a.x']), held: { 'a.x': 30_001 } }, end('all_held', 30_001, [0])],
  [
    'R18 onAllHeld fail never waits',
    { plan: AB, held: { 'a.x': 9_000, 'b.y': 4_000 }, reliability: { onAllHeld: 'fail' } },
    end('all_held', 4_000, [0, 1]),
  ],
  ['C03 only entries with attempts left are waited for', { plan: AB, held: { 'a.x': 9_000, 'b.y': 4_000 }, spent: { 1: 2 } }, wait('a.x', 9_000)],
  ['C02 retryAt counts spent entries too', { plan: AB, held: { 'a.x': 90_000, 'b.y': 4_000 }, spent: { 1: 2 } }, end('all_held', 4_000, [0])],
  ['R21 all spent: exhausted', { plan: AB, spent: { 0: 2, 1: 2 }, at: 2 }, end('exhausted')],
  [
    'C49 one spent, one held for too long: exhausted, and the held one is told',
    { plan: AB, spent: { 0: 2 }, held: { 'b.y': 90_000 } },
    end('exhausted', null, [1]),
  ],
  ['C49 the end of the list turns round to a free entry, and tells no skip', { plan: AB, at: 2, held: { 'b.y': 9_000 }, spent: { 0: 1 } }, call(0)],
  ['C49 the end of the list waits for an entry before it', { plan: AB, at: 2, held: { 'a.x': 3_000 }, spent: { 0: 1, 1: 2 } }, wait('a.x', 3_000)],
  ['C15 the last failure was a refusal: refused', { plan: AB, spent: { 0: 2, 1: 2 }, at: 2, walk: { lastFailure: 'refusal' } }, end('refused')],
  [
    'C11 the last failure was an overflow, and no entry is left: context_window',
    { plan: AB, spent: { 0: 2, 1: 2 }, at: 2, walk: { lastFailure: 'context_window' } },
    end('context_window'),
  ],
  [
    'C49 one that is held and near is left',
    { plan: AB, spent: { 0: 2 }, at: 1, held: { 'b.y': 3_000 }, walk: { lastFailure: 'context_window' } },
    wait('b.y', 3_000),
  ],
  ['C15 it was not: exhausted', { plan: AB, spent: { 0: 2, 1: 2 }, at: 2, walk: { lastFailure: 'auth' } }, end('exhausted')],
  ['R39 an entry outside the allow-list is no candidate', { plan: planOf(['a.x', 'b.y'], ['b.y']) }, call(1)],
  ['R39 nor is its hold waited for', { plan: planOf(['a.x', 'b.y'], ['b.y']), held: { 'a.x': 1_000, 'b.y': 2_000 } }, wait('b.y', 2_000)],
  ['R11 a hold on one credential leaves the other free', { plan: planOf(['a.x#1', 'a.x#2']), held: { 'a.x#1': 9_000 } }, call(1, [0])],
  ['R24 a stream where one is wanted', { plan: AB, streaming: true }, stream(0)],
  [
    'R24 a stream goes to the first free entry that streams',
    { plan: planOf([{ label: 'a.x', streaming: false }, 'b.y']), streaming: true },
    stream(1),
  ],
  [
    'R24 with tools it needs streamed tool events',
    { plan: planOf([{ label: 'a.x', toolEvents: false }, 'b.y']), streaming: true, tools: true },
    stream(1),
  ],
  ['R24 without tools it does not', { plan: planOf([{ label: 'a.x', toolEvents: false }, 'b.y']), streaming: true }, stream(0)],
  [
    'STR-09 nothing free streams: a call at once',
    { plan: planOf([{ label: 'a.x', streaming: false }, 'b.y']), streaming: true, held: { 'b.y': 9_000 } },
    call(0),
  ],
  ['C08 all held: wait first, then a stream', { plan: AB, streaming: true, held: { 'a.x': 9_000, 'b.y': 9_500 } }, wait('a.x', 9_000)],
  ['C51 an entry without tools takes no call with tools', { plan: planOf([{ label: 'a.x', tools: false }, 'b.y']), tools: true }, call(1)],
]

describe('who is asked next', () => {
  test.each(TABLE)('%s', (_, shape, expected) => {
    expect(select(viewOf(shape), true)).toEqual(expected)
  })

  test('R24 once a stream was opened, only calls follow', () => {
    expect(select(viewOf({ plan: AB, streaming: true }), false)).toEqual(call(0))
  })

  test('C51 vision: an entry without it is not in the walk', () => {
    const plan = planOf([{ label: 'a.x', vision: false }, 'b.y'])
    expect(startWalk(plan, { streaming: false, tools: false, vision: true }, RELIABILITY).order).toEqual([1])
  })
})

describe('R15 R18 holds on a board', () => {
  const hold = (untilAt: number, reason: Hold['reason'] = 'cooldown'): Hold => ({ key: 'a.x', untilAt, reason })

  test('a later deadline replaces an earlier one; an equal or earlier one leaves the board itself', () => {
    const board = withHold(new Map(), hold(10))
    expect(withHold(board, hold(10, 'limit'))).toBe(board)
    expect(withHold(board, hold(9))).toBe(board)
    expect(withHold(board, hold(11, 'limit')).get('a.x')).toEqual(hold(11, 'limit'))
    expect(board.get('a.x')).toEqual(hold(10))
  })

  test('a hold is in force before its deadline and no longer at it', () => {
    const board = withHold(new Map(), hold(10))
    expect(holdAt(board, 'a.x', 9)).toEqual(hold(10))
    expect(holdAt(board, 'a.x', 10)).toBeUndefined()
    expect(holdAt(board, 'b.y', 0)).toBeUndefined()
  })
})
