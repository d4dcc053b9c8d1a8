import { describe, expect, test } from 'vitest'
import { askedFirst, listedOrder } from '../../../src/policy/team/order.ts'
import { type WhoseView, whoseTurn } from '../../../src/policy/team/whose-turn.ts'
import { known, member } from './team.ts'

const ana = member('ana', 'claude', 'agy')
const bo = member('bo', 'codex')
const cy = member('cy', 'claude')
const view: WhoseView = {
  members: [ana, bo, cy],
  register: known({}),
  choice: listedOrder(null),
  position: 0,
  gates: new Set(),
  approved: [],
  repeated: null,
  giver: null,
  asked: null,
  done: new Set(),
}
const claudeLimited = known({ limits: { claude: 9 } })
const anaOut = known({ limits: { claude: 9, agy: 9 } })

describe('T11 T12 G03–G08 G31 whose turn is next', () => {
  test.each<[string, Partial<WhoseView>, object]>([
    ['the order', {}, { id: 'ana', at: 0, startedBy: 'pick', position: 1 }],
    ['who is asked for', { choice: askedFirst(listedOrder(null)), asked: 'cy' }, { id: 'cy', startedBy: 'pick', position: 0 }],
    ['who is done is gone around', { done: new Set(['ana']) }, { id: 'bo', startedBy: 'pick', position: 2 }],
    ['a turn is not handed to who is done', { giver: { id: 'ana', position: 1 }, done: new Set(['bo']) }, { id: 'cy', startedBy: 'handoff' }],
    ['on the earliest free entry', { register: claudeLimited }, { id: 'ana', at: 1, startedBy: 'pick' }],
    ['G05 who is limited is gone around in silence', { register: anaOut }, { id: 'bo', startedBy: 'pick', giver: null }],
    ['G08 but not who holds a gate', { register: anaOut, gates: new Set(['ana']) }, { kind: 'nobody', kept: { id: 'ana', entries: ana.entries } }],
    [
      'an approved turn before all else',
      { approved: ['cy', 'bo'], repeated: { id: 'bo', position: 2 } },
      { id: 'cy', startedBy: 'gate', position: 0 },
    ],
    [
      'T12 an approved turn on its own provider alone',
      { approved: ['ana'], register: claudeLimited },
      { kind: 'nobody', kept: { id: 'ana', entries: ana.entries.slice(0, 1) } },
    ],
    ['a retry before the order', { repeated: { id: 'bo', position: 2 } }, { id: 'bo', startedBy: 'retry', position: 2 }],
    [
      'G31 a retry that cannot run is handed off',
      { register: anaOut, repeated: { id: 'ana', position: 1 } },
      { id: 'bo', startedBy: 'handoff', giver: 'ana', position: 2 },
    ],
    [
      'but not that of who holds a gate',
      { register: anaOut, gates: new Set(['ana']), repeated: { id: 'ana', position: 1 } },
      { kind: 'nobody', kept: { id: 'ana' } },
    ],
    [
      'G03 a limited turn that its participant keeps',
      { gates: new Set(['bo']), repeated: { id: 'bo', position: 2 } },
      { id: 'bo', startedBy: 'retry' },
    ],
    [
      'G04 a handoff goes on behind the giver',
      { register: claudeLimited, giver: { id: 'bo', position: 2 } },
      { id: 'ana', at: 1, startedBy: 'handoff', giver: 'bo', position: 1 },
    ],
    ['a handoff never to the giver, though it is free by now', { giver: { id: 'ana', position: 1 } }, { id: 'bo', startedBy: 'handoff' }],
    [
      'T6 never to one on the same limited engine',
      { register: claudeLimited, giver: { id: 'bo', position: 2 }, members: [bo, cy] },
      { id: 'bo', startedBy: 'pick' },
    ],
    [
      'a handoff to a holder of a gate only when it can run',
      { register: known({ limits: { claude: 9, agy: 9, codex: 9 } }), gates: new Set(['cy']), giver: { id: 'ana', position: 1 } },
      { kind: 'nobody', kept: { id: 'cy' } },
    ],
    [
      'who is done is not waited for, though a gate of theirs is pending',
      { register: anaOut, gates: new Set(['ana']), done: new Set(['ana']) },
      { id: 'bo' },
    ],
    ['a retry of one who is not of the team is none', { repeated: { id: 'zoe', position: 2 } }, { id: 'ana', startedBy: 'pick', position: 1 }],
    ['an approved turn of one who is not of the team is none', { approved: ['zoe'] }, { id: 'ana', startedBy: 'pick' }],
    [
      "G18 an approved turn of one who has no engine here is nobody's",
      { members: [{ id: 'ana', entries: [] }, bo], approved: ['ana'] },
      { kind: 'nobody', kept: { id: 'ana', entries: [] } },
    ],
    ['nobody', { register: known({ limits: { claude: 9, agy: 9, codex: 9 } }) }, { kind: 'nobody', kept: null }],
  ])('%s', (_, change, expected) => {
    expect(whoseTurn({ ...view, ...change })).toMatchObject(expected)
  })

  test.each([
    ['nobody', () => null],
    ['a stranger', () => ({ id: 'zoe', position: 7 })],
    ['one who cannot', () => ({ id: 'ana', position: 7 })],
  ])('a rule of a host that names %s does not stop the run', (_, choice) => {
    expect(whoseTurn({ ...view, register: anaOut, choice, position: 3 })).toMatchObject({ id: 'bo', startedBy: 'pick', position: 3 })
  })
  test("a position is the rule's own to read: where it names nobody, listed order begins at the top and leaves it alone", () => {
    expect(whoseTurn({ ...view, choice: () => null, position: 1 })).toMatchObject({ id: 'ana', startedBy: 'pick', position: 1 })
  })

  test('T11 a rule of a host that names the giver hands the turn to somebody else all the same', () => {
    const giver = { id: 'ana', position: 1 }
    expect(whoseTurn({ ...view, choice: () => ({ id: 'ana', position: 7 }), giver })).toMatchObject({ id: 'bo', startedBy: 'handoff', giver: 'ana' })
  })
})
