import { expect, test } from 'vitest'
import type { Post } from '../../../src/model/post.ts'
import type { Member } from '../../../src/model/team.ts'
import type { TeamStanding } from '../../../src/model/team-standing.ts'
import { goesOn } from '../../../src/policy/team/standing.ts'

const ANA: Member = { id: 'ana', entries: [{ engine: 'claude', provider: 'claude', model: null, primary: true }] }
/** Its program was on the machine when it asked, and is no longer. */
const ZOE: Member = { id: 'zoe', entries: [] }
const LEFT: TeamStanding = {
  ...{ position: 1, begun: 1, ended: 1, iterations: 1, chargedMs: 1_000, paused: null, gates: [], approved: [] },
  ...{ asked: { byPerson: null, byPost: null }, done: [], repeated: null, heard: 1, run: null },
}
const QUESTION: Post = { id: 1, at: 0, participant: 'zoe', engine: 'agy', text: 'May I?\nplay: gate May I?' }

test('G18 the gate of a participant that has no engine any more is none, nor is its approval', () => {
  const { start } = goesOn({ ...LEFT, gates: ['zoe', 'ana'], approved: ['zoe', 'ana'] }, [QUESTION], [ANA, ZOE])
  expect([...(start.gates ?? [])]).toEqual(['ana'])
  expect(start.approved).toEqual(['ana'])
})

test('G18 nor is the one that its last post asked for', () => {
  const run = { n: 1, participant: 'zoe', engine: 'agy', startedBy: 'pick', position: 1, lastPost: 0, isCut: false } as const
  expect([...(goesOn({ ...LEFT, run }, [QUESTION], [ANA, ZOE]).start.gates ?? [])]).toEqual([])
})

test('G23 a question of one that still has its engine waits on', () => {
  const run = { n: 1, participant: 'ana', engine: 'claude', startedBy: 'pick', position: 0, lastPost: 0, isCut: false } as const
  expect([...(goesOn({ ...LEFT, run }, [{ ...QUESTION, participant: 'ana' }], [ANA, ZOE]).start.gates ?? [])]).toEqual(['ana'])
})
