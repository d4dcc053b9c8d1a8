import { describe, expect, test } from 'vitest'
import { Members } from '../../src/model/members.ts'

describe('members that come and go', () => {
  test('are there in the order in which they came, until they leave', () => {
    const members = new Members<string>()
    const [leaveFirst] = ['a', 'b', 'a'].map((each) => members.add(each))
    expect([[...members], members.size]).toEqual([['a', 'b', 'a'], 3])
    leaveFirst?.()
    leaveFirst?.()
    expect([[...members], members.size]).toEqual([['b', 'a'], 2])
  })

  test('may leave while they are gone through', () => {
    const members = new Members<() => void>()
    const leave: (() => void)[] = []
    for (let each = 0; each < 3; each++) leave.push(members.add(() => leave[each + 1]?.()))
    const seen = [...members].length
    for (const member of members) member()
    expect([seen, members.size]).toEqual([3, 2])
  })
})
