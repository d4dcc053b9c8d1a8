import { describe, expect, test } from 'vitest'
import { postSays } from '../../../src/policy/team/post-says.ts'

const IDS = ['ana', 'bo']
const NOTHING = { asked: null, done: false, gate: false, waitMin: null, unread: false }

describe('what a post asks of what comes next', () => {
  test.each<[string, string, string | null, boolean, object]>([
    ['a post', 'Said.', 'ana', true, {}],
    ['G30 a wait behind a post', 'Said.\nplay: wait 5', 'ana', true, { waitMin: 5 }],
    ['G30 a wait beside a mention: they go on', '@bo look.\nplay: wait 5', 'ana', true, { asked: 'bo' }],
    ['G30 a wait beside a mention of its author', '@ana looks again.\nplay: wait 5', 'ana', true, { waitMin: 5 }],
    ['T12 a gate, and who goes on meanwhile', '@bo go on.\nplay: gate Shall I?', 'ana', true, { asked: 'bo', gate: true }],
    ['done, with somebody asked', '@bo the rest.\nplay: done', 'ana', true, { asked: 'bo', done: true }],
    ['a play that is none', 'play: dance', 'ana', true, { unread: true }],
    ['a cut post: no play, but its mention', '@bo look.\nplay: done', 'ana', false, { asked: 'bo' }],
    ['the person, who plays nothing', '@bo\nplay: done', null, true, { asked: 'bo' }],
    ['the person, who dances', 'play: dance', null, true, {}],
  ])('%s', (_, text, author, isWhole, says) => {
    expect(postSays(text, author, IDS, isWhole)).toEqual({ ...NOTHING, ...says })
  })
})
