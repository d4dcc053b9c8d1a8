import { describe, expect, it } from 'vitest'
import { engineOfNotice, readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import { NOTICE_KINDS, NOTICE_PROVIDERS } from '../../../../src/model/notice.ts'
import { inputOf } from './own-notice.ts'
import { OWN_NOTICES } from './own-notices.ts'

/** codex says nothing of the kind: a turn that it completed has an answer. */
const UNSAID = ['codex incomplete']

describe('notices of our own making', () => {
  it('cover each kind in each CLI', () => {
    const all = NOTICE_PROVIDERS.flatMap((provider) => NOTICE_KINDS.map((kind) => `${provider} ${kind}`))
    const covered = new Set(OWN_NOTICES.map(({ provider, says }) => `${provider} ${says.kind}`))
    expect(all.filter((one) => !covered.has(one))).toEqual(UNSAID)
  })

  it.each(OWN_NOTICES.map((one) => [`${one.provider} ${one.channel} ${one.says.kind}: ${one.raw.slice(0, 60)}`, one] as const))(
    '%s',
    (_name, one) => {
      expect(readNotice(inputOf(one))).toMatchObject(one.says)
    },
  )
})

describe('T6 what a limit binds', () => {
  const read = (raw: string) => readNotice({ provider: 'claude', channel: 'stdout-text', raw, exitCode: 1, now: 0, zone: 'UTC', killed: false })
  it.each([
    ["You've hit your Opus limit · resets 3pm", 'claude:opus'],
    ["You've hit your Fable 5 limit", 'claude:fable'],
    ["You've hit your limit for Sonnet · resets 3pm", 'claude:sonnet'],
    ["You've hit your session limit", 'claude'],
    ["You've hit your weekly limit", 'claude'],
    ['5-hour limit reached ∙ resets 3am', 'claude'],
    ['Usage limit reached for 5 hour. Your limit will reset at 3pm', 'claude'],
    ['Usage limit reached for this month', 'claude'],
  ])('%s → %s', (raw, engine) => {
    const notice = read(raw)
    expect(notice.kind).toMatch(/^limit_/)
    expect(engineOfNotice('claude', notice)).toBe(engine)
  })
})
