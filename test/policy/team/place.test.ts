import { describe, expect, test } from 'vitest'
import { FIRST_PLACE, freeEntry, movedTo, type Place } from '../../../src/policy/team/place.ts'
import { known, member } from './team.ts'

const ana = member('ana', 'claude', 'codex', 'agy')
const none = known({})
const at = (place: number, ...passed: number[]): Place => ({ at: place, passed: new Set(passed) })

describe('T9 T14 T15 the place in a chain', () => {
  test.each([
    ['the earliest free entry', {}, -1, 0],
    ['not the primary', { limits: { claude: 1 } }, -1, 1],
    ['behind the present one only', {}, 0, 1],
    ['out of reach is not free', { limits: { claude: 1 }, outages: { codex: 1 } }, -1, 2],
    ['none', { limits: { claude: 1, codex: 1, agy: 1 } }, -1, -1],
    ['none behind the last', {}, 2, -1],
  ])('%s', (_, what, after, expected) => {
    expect(freeEntry(ana, known(what), after)).toBe(expected)
  })

  test('T9 the same engine twice in a chain is one engine', () => {
    expect(freeEntry(member('ana', 'claude', 'codex', 'codex', 'agy'), known({ limits: { claude: 1, codex: 1 } }), 1)).toBe(3)
  })
})

describe('G02 what is told of a move', () => {
  test.each([
    ['staying', FIRST_PLACE, 0, none, FIRST_PLACE, null],
    ['forward from a limited entry', FIRST_PLACE, 1, known({ limits: { claude: 1 } }), at(1, 0), { kind: 'advanced', from: 'claude', to: 'codex' }],
    [
      'past one that is limited too: it is passed, and not named',
      FIRST_PLACE,
      2,
      known({ limits: { claude: 1, codex: 1 } }),
      at(2, 0, 1),
      { kind: 'advanced', from: 'claude', to: 'agy' },
    ],
    ['forward from one that is only out of reach: told as an outage', FIRST_PLACE, 1, known({ outages: { claude: 1 } }), at(1), null],
    [
      'one that was left as out of reach, and is limited by now: passed before this move',
      at(1),
      2,
      known({ limits: { claude: 1, codex: 1 } }),
      at(2, 1),
      { kind: 'advanced', from: 'codex', to: 'agy' },
    ],
    [
      'one behind it that is limited: not passed',
      FIRST_PLACE,
      1,
      known({ limits: { claude: 1, agy: 1 } }),
      at(1, 0),
      { kind: 'advanced', from: 'claude', to: 'codex' },
    ],
    ['back to the primary', at(2, 0, 1), 0, none, at(0), { kind: 'returned', to: null }],
    ['back to an entry that is not', at(2, 0, 1), 1, none, at(1, 0), { kind: 'returned', to: 'codex' }],
    ['back to one that had been out of reach', at(1), 0, none, at(0), null],
  ])('%s', (_, place, to, register, expected, news) => {
    expect(movedTo(ana, place, to, register)).toEqual({ place: expected, news })
  })

  test('G18 back to the first that this machine has, which is not its own provider', () => {
    const { entries, ...rest } = ana
    const without = { ...rest, entries: entries.slice(1) }
    expect(movedTo(without, at(1, 0), 0, none).news).toEqual({ kind: 'returned', to: 'codex' })
  })
})
