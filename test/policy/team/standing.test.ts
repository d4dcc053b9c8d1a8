import { describe, expect, test } from 'vitest'
import type { Post } from '../../../src/model/post.ts'
import { goesOn } from '../../../src/policy/team/standing.ts'
import { NEW, RUN } from './stood.ts'
import { member } from './team.ts'

const IDS = ['ana', 'bo']
const MEMBERS = [member('ana', 'claude'), member('bo', 'codex')]

const post = (id: number, participant: string | null, text: string): Post => ({ id, at: 0, participant, engine: null, text })

describe('where a run goes on', () => {
  test('a call that had not posted is lost, and its participant has the turn again', () => {
    const { start, lost } = goesOn({ ...NEW, run: RUN }, [post(4, 'ana', 'Before.')], MEMBERS)
    expect(lost).toEqual(RUN)
    expect(start).toMatchObject({ repeated: { id: 'ana', position: 1 }, position: 0, iterations: 2, begun: 3, ended: 3 })
    expect(goesOn({ ...NEW, approved: ['ana'], run: { ...RUN, startedBy: 'gate' } }, [], MEMBERS).start).toMatchObject({
      repeated: null,
      approved: ['ana'],
    })
  })

  test('a call that had posted is over, and the post says what follows', () => {
    const { start, lost } = goesOn({ ...NEW, done: ['bo'], run: RUN }, [post(5, 'ana', '@bo look.\nplay: gate Shall I?')], MEMBERS)
    expect(lost).toBeNull()
    expect(start).toMatchObject({ repeated: null, position: 1, iterations: 3, asked: { byPost: 'bo' }, gates: new Set(['ana']), done: new Set() })
  })

  test('of a post that was cut no play is read', () => {
    const { start } = goesOn({ ...NEW, run: { ...RUN, isCut: true } }, [post(5, 'ana', 'Half.\nplay: done')], MEMBERS)
    expect(start).toMatchObject({ done: new Set(), iterations: 3 })
  })

  test('what the person said since is taken from the thread, once, and wakes those who were all done', () => {
    const said = [post(4, null, '@ana heard.'), post(5, null, '@bo unheard.'), post(6, null, 'More.')]
    const { start } = goesOn({ ...NEW, paused: 'done', done: IDS }, said, MEMBERS)
    expect(start).toMatchObject({ paused: null, done: new Set(), asked: { byPerson: 'bo', byPost: null } })
    expect(goesOn({ ...NEW, paused: 'pause' }, said, MEMBERS).start.paused).toBe('pause')
    expect(goesOn({ ...NEW, paused: 'done', heard: 6 }, said, MEMBERS).start).toMatchObject({ paused: 'done', asked: { byPerson: null } })
  })

  test('who is no longer there is dropped everywhere', () => {
    const gone = { gates: ['zoe'], approved: ['zoe'], done: ['zoe'], asked: { byPerson: 'zoe', byPost: 'zoe' }, repeated: { id: 'zoe', position: 1 } }
    const { start, lost } = goesOn({ ...NEW, ...gone, run: { ...RUN, participant: 'zoe' } }, [], MEMBERS)
    expect(lost).toBeNull()
    expect(start).toMatchObject({ gates: new Set(), approved: [], done: new Set(), asked: { byPerson: null, byPost: null }, repeated: null })
  })
})
