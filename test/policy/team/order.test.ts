import { describe, expect, test } from 'vitest'
import { askedFirst, listedOrder } from '../../../src/policy/team/order.ts'

const ids = ['ana', 'bo', 'cy']
const only =
  (...able: string[]) =>
  (id: string) =>
    able.includes(id)

describe('G04 who is next', () => {
  test.each([
    ['rotation from the start', null, 0, ids, null, { id: 'ana', position: 1 }],
    ['the last, then from the start again', null, 2, ids, null, { id: 'cy', position: 0 }],
    ['who cannot is gone around', null, 0, ['cy'], null, { id: 'cy', position: 0 }],
    ['the giver is left out, though it could', null, 1, ids, 'bo', { id: 'cy', position: 0 }],
    ['nobody', null, 1, [], null, null],
    ['only the giver could', null, 1, ['bo'], 'bo', null],
    ['a list is used up in its order', ['bo', 'bo', 'ana'], 1, ids, null, { id: 'bo', position: 2 }],
    ['the skipped places of a list are used up', ['bo', 'bo', 'ana'], 0, ['ana'], null, { id: 'ana', position: 0 }],
    ['nobody of the list: the others in listed order, and no place is used', ['bo', 'ana'], 1, ['cy'], null, { id: 'cy', position: 1 }],
    ['nobody of the list but the giver', ['ana'], 0, ids, 'ana', { id: 'bo', position: 0 }],
  ])('%s', (_, picks, position, able, giver, expected) => {
    expect(listedOrder(picks)({ ids, position, can: only(...able), giver, asked: null })).toEqual(expected)
  })
})

describe('who is asked goes on', () => {
  const rule = askedFirst(listedOrder(null))
  test.each([
    ['nobody is asked: the order', null, ids, null, { id: 'bo', position: 2 }],
    ['who is asked comes first, and the order stands', 'cy', ids, null, { id: 'cy', position: 1 }],
    ['who is asked is due: their place is used up', 'bo', ids, null, { id: 'bo', position: 2 }],
    ['who is asked cannot', 'cy', ['ana', 'bo'], null, { id: 'bo', position: 2 }],
    ['T11 a handoff goes to who is asked', 'ana', ids, 'bo', { id: 'ana', position: 1 }],
    ['T11 but never back to the giver', 'bo', ids, 'bo', { id: 'cy', position: 0 }],
  ])('%s', (_, asked, able, giver, expected) => {
    expect(rule({ ids, position: 1, can: only(...able), giver, asked })).toEqual(expected)
  })
})
