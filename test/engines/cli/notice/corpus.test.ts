import { describe, expect, it } from 'vitest'
import { readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import type { Notice } from '../../../../src/model/notice.ts'
import { inputOf, present, type RecordedNotice, recorded } from './recorded-notices.ts'

const required = recorded.filter((one) => inputOf(one) !== null && one.optional !== true)
const others = recorded.filter((one) => !required.includes(one))

/** What the entry says, with the reset as far from it as is allowed. */
function compared({ expect: said, toleranceSec = 60 }: RecordedNotice, notice: Notice): unknown {
  const at = said.resetAt === null ? null : Date.parse(said.resetAt)
  const isNear = at !== null && notice.resetAt !== null && Math.abs(notice.resetAt - at) <= toleranceSec * 1000
  return {
    kind: notice.kind,
    resetAt: isNear ? said.resetAt : notice.resetAt === null ? null : new Date(notice.resetAt).toISOString(),
    resetSource: notice.resetSource,
    ...(said.scope === undefined ? {} : { scope: notice.scope }),
  }
}

describe.skipIf(!present)('recorded notices', () => {
  it('are all there: 335 that must be read', () => {
    expect(required.length).toBeGreaterThanOrEqual(330)
    console.info(`recorded notices: ${required.length} required, ${others.length} others`)
  })

  it.each(required.map((one) => [one.id, one] as const))('%s', (_id, one) => {
    const input = inputOf(one)
    if (input === null) throw new Error(`no reader for ${one.id}`)
    const notice = readNotice(input)
    expect(compared(one, notice)).toEqual(one.expect)
    // The same twice: nothing is kept between two runs.
    expect(readNotice(input)).toEqual(notice)
  })

  it('of other programs, and those that the rules alone do not give: how many read as expected', () => {
    const read = others.filter((one) => {
      // Voices that nobody has: claude's is the plainest.
      const input = inputOf(one) ?? inputOf(one, 'claude')
      return input !== null && JSON.stringify(compared(one, readNotice(input))) === JSON.stringify(one.expect)
    })
    const missed = others.filter((one) => !read.includes(one)).map((one) => one.id)
    console.info(`recorded notices, welcome and not required: ${read.length} of ${others.length} read as expected; not: ${missed.join(', ')}`)
  })
})
