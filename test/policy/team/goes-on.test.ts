import { describe, expect, test } from 'vitest'
import type { Post } from '../../../src/model/post.ts'
import type { TeamStanding } from '../../../src/model/team-standing.ts'
import { goesOn, standingOf } from '../../../src/policy/team/standing.ts'
import { type TeamMemory, type TeamTurn, teamMemory } from '../../../src/policy/team/team-memory.ts'
import { NEW, RUN } from './stood.ts'
import { member } from './team.ts'

const ANA = member('ana', 'claude')
const MEMBERS = [ANA, { id: 'bo', entries: [] }]

const post = (participant: string | null, text: string): Post => ({ id: 5, at: 0, participant, engine: null, text })
const on = (change: Partial<TeamStanding>, ...posts: readonly Post[]) => goesOn({ ...NEW, ...change }, posts, MEMBERS).start

describe('where a run goes on', () => {
  test.each<[string, TeamStanding['run']]>([
    ['between two calls', null],
    ['in a call', RUN],
  ])('G18 a question and an approval of one whose program is gone are dropped, and no others: %s', (_, run) => {
    expect(on({ gates: ['bo', 'ana'], approved: ['bo', 'ana'], run })).toMatchObject({ gates: new Set(['ana']), approved: ['ana'] })
  })

  test.each<[string, TeamStanding['run']]>([
    ['between two calls', null],
    ['in a call', RUN],
  ])('one message that nobody had heard is heard: %s', (_, run) => {
    expect(on({ paused: 'done', run }, post(null, '@bo look.'))).toMatchObject({ paused: null, asked: { byPerson: 'bo' } })
  })

  test('who is asked for is asked for still', () => {
    expect(on({ asked: { byPerson: 'ana', byPost: 'bo' } }).asked).toEqual({ byPerson: 'ana', byPost: 'bo' })
  })

  test('G30 a call that had posted to wait is over, and the same participant looks again; an approved one keeps its approval instead', () => {
    const waits = post('ana', 'Not yet.\nplay: wait 5')
    expect(on({ run: RUN }, waits)).toMatchObject({ repeated: { id: 'ana', position: 1 }, position: 0, iterations: 3 })
    expect(on({ approved: ['ana'], run: { ...RUN, startedBy: 'gate' } }, waits)).toMatchObject({ repeated: null, approved: ['ana'], iterations: 3 })
  })

  test('G23 a question that was approved before the end of its call is not asked again', () => {
    expect(on({ approved: ['ana'], run: RUN }, post('ana', 'Well?\nplay: gate May I?')).gates).toEqual(new Set())
    expect(on({ run: RUN }, post('ana', 'Well?\nplay: gate May I?')).gates).toEqual(new Set(['ana']))
  })
})

describe('where a run stands', () => {
  const [entry] = ANA.entries
  if (entry === undefined) throw new Error('no entry')
  const turn: TeamTurn = { n: 3, participant: 'ana', entry, startedBy: 'pick', at: 0, position: 1, heard: { byPerson: null, byPost: null } }
  const stands = (change: Partial<TeamMemory>, called: { readonly run: number; readonly n: number }, isPaused = false) => {
    const memory = { ...teamMemory({ now: 0, elapsedMs: 0 }), step: { to: 'run' } as const, turn, runs: 2, begun: 3, ...change }
    return standingOf(memory, { isPaused, elapsedMs: 0, called: { ...called, lastPost: 4, isCut: false }, heard: 0 })
  }

  test('a turn that was chosen and not called is none, and its participant has it again', () => {
    expect(stands({}, { run: 1, n: 2 })).toMatchObject({ begun: 2, run: null, repeated: { id: 'ana', position: 1 } })
  })

  test('T9 a hop that was chosen and not called belongs to a turn that was begun', () => {
    expect(stands({}, { run: 1, n: 3 })).toMatchObject({ begun: 3, run: null, repeated: { id: 'ana', position: 1 } })
  })

  test('T12 an approved turn that was not called is owed by its approval', () => {
    const approved = { turn: { ...turn, startedBy: 'gate' as const }, approved: ['ana'] }
    expect(stands(approved, { run: 1, n: 2 })).toMatchObject({ begun: 2, repeated: null, approved: ['ana'] })
  })

  test('a pause of the person on top of one for another reason is the one that stands', () => {
    const idle = { step: { to: 'pause' } as const, paused: 'done' as const }
    expect(stands({ ...idle, pausing: 'pause' }, { run: 2, n: 3 }, true).paused).toBe('pause')
    expect(stands(idle, { run: 2, n: 3 }, true).paused).toBe('done')
  })
})
