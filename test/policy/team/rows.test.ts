import { describe, expect, test } from 'vitest'
import { isIteration, spentBudget } from '../../../src/policy/team/budget.ts'
import { failedCallUntil, failedCallWaitMs, MOST_FAILED_CALLS } from '../../../src/policy/team/failed-call.ts'
import { keepsTurn } from '../../../src/policy/team/handoff.ts'
import { silentRow } from '../../../src/policy/team/silence.ts'
import { waitPlayMs } from '../../../src/policy/team/wait-play.ts'
import { entry, known } from './team.ts'

const MINUTE = 60_000

test('T19 1 s, then 1, 2, 4, 8, 15, 30 minutes, then one hour each: over five hours by the twelfth', () => {
  const waits = Array.from({ length: MOST_FAILED_CALLS }, (_, index) => failedCallWaitMs(index + 1))
  expect(waits.map((ms) => ms / MINUTE)).toEqual([1 / 60, 1, 2, 4, 8, 15, 30, 60, 60, 60, 60, 60])
  expect(waits.slice(0, -1).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5 * 60 * MINUTE)
})

describe('G27 a limited engine of the team that comes back before the wait is over', () => {
  const team = ['claude', 'codex', 'agy'].map(entry)
  test.each([
    ['none is limited', {}, { at: 100, by: 'probe' }],
    ['later', { limits: { codex: 200 } }, { at: 100, by: 'probe' }],
    ['before', { limits: { codex: 60, claude: 70 } }, { at: 60, by: 'reset' }],
    ['at the same instant', { limits: { codex: 100 } }, { at: 100, by: 'probe' }],
    ['passed already', { limits: { codex: -5 } }, { at: -5, by: 'reset' }],
    ['an outage is no limit', { outages: { codex: 60 } }, { at: 100, by: 'probe' }],
    ['limited, and out of reach for longer', { limits: { codex: 60 }, outages: { codex: 80 } }, { at: 80, by: 'probe' }],
  ])('%s', (_, what, expected) => {
    expect(failedCallUntil(100, team, known(what))).toEqual(expected)
  })
})

test.each([
  ['silent', 3],
  ['posted', 0],
  ['waiting', 0],
  ['failed', 2],
  ['limited', 2],
  ['network', 2],
] as const)('T20 G20 G30 two silent turns, then %s: %i', (result, row) => {
  expect(silentRow(2, result)).toBe(row)
})

test.each([
  [10, 1, null, 10],
  [10, 2, null, 20],
  [10, 3, 60, 40],
  [10, 4, 60, 60],
  [600, 1, 60, 60],
  [10, 5_000, 60, 60],
  [0, 5_000, null, 0],
])('T17 G30 wait %i, the %i. in a row, at most %j min: %i min', (minutes, row, most, expected) => {
  expect(waitPlayMs(minutes, row, most) / MINUTE).toBe(expected)
})

test('G30 without a maximum a row of any length waits a length that a clock can hold', () => {
  const hundredYearsMs = 36_500 * 24 * 60 * MINUTE
  expect(waitPlayMs(10_080, 1_000, null)).toBe(hundredYearsMs)
  expect(Number.isSafeInteger(Date.UTC(2026, 0) + hundredYearsMs)).toBe(true)
})

describe('T12 G08 who keeps its turn', () => {
  const bo = { id: 'bo', startedBy: 'pick', gates: new Set<string>(), size: 2 } as const
  test.each([
    ['anybody else', bo, false],
    ['the holder of a gate', { ...bo, gates: new Set(['bo']) }, true],
    ['a teammate of the holder', { ...bo, gates: new Set(['ana']) }, false],
    ['an approved turn', { ...bo, startedBy: 'gate' as const }, true],
    ['a team of one', { ...bo, size: 1 }, true],
  ])('%s', (_, keeping, expected) => {
    expect(keepsTurn(keeping)).toBe(expected)
  })
})

describe('G01 G12 G28 budgets', () => {
  test.each([
    [{ iterations: 2, chargedMs: 0 }, { maxIterations: 3 }, null],
    [{ iterations: 3, chargedMs: 0 }, { maxIterations: 3 }, 'maxIterations'],
    [{ iterations: 0, chargedMs: 59_999 }, { maxRuntimeMin: 1 }, null],
    [{ iterations: 0, chargedMs: 60_000 }, { maxRuntimeMin: 1 }, 'maxRuntimeMin'],
    [{ iterations: 3, chargedMs: 60_000 }, { maxIterations: 3, maxRuntimeMin: 1 }, 'maxIterations'],
    [{ iterations: 9_999, chargedMs: 1e12 }, {}, null],
  ])('%j of %j: %j', (spent, settings, expected) => {
    expect(spentBudget(spent, { maxIterations: null, maxRuntimeMin: null, maxWaitMin: null, sleepSliceMs: 1, ...settings })).toBe(expected)
  })

  test('every turn but one in which all runs were limited or out of reach is an iteration', () => {
    expect((['posted', 'failed', 'waiting', 'silent', 'limited', 'network'] as const).map(isIteration)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ])
  })
})
