import { describe, expect, it } from 'vitest'
import type { NoticeChannel } from '../../../../src/engines/cli/notice/input.ts'
import { readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import { VOICES } from '../../../../src/engines/cli/notice/voices.ts'
import type { Wording } from '../../../../src/engines/cli/notice/wording.ts'
import { NOTICE_PROVIDERS } from '../../../../src/model/notice.ts'
import { STEEPEST } from '../../http/growth.ts'
import { HOSTILE, steepness } from './hostile-texts.ts'
import { NOW } from './own-notice.ts'

const wordings = new Map<string, Wording>(
  NOTICE_PROVIDERS.flatMap((provider) => VOICES[provider].wordings.map((one) => [String(one.pattern), one] as const)),
)

/** A text that goes along with the pattern as far as its plain characters do. */
const beginningOf = (pattern: RegExp) => pattern.source.replace(/\\b|[\\^$]|\(\?[:!=]/g, '').replace(/[^\w' ].*$/, '') || 'a'

// All texts on all of it: growth.prove.test.ts.
describe('linear time', () => {
  it.each([...wordings])('%s', (_name, { pattern }) => {
    for (const piece of [...HOSTILE.slice(0, 3), `${beginningOf(pattern)} `])
      expect(steepness(piece, (text) => pattern.test(text))).toBeLessThan(STEEPEST)
  })

  const channels: readonly NoticeChannel[] = ['stdout-text', 'stderr', 'stdout-json-message', 'api-json']
  it.each(HOSTILE.slice(0, 8))('the reader of every CLI: %j', (piece) => {
    for (const provider of NOTICE_PROVIDERS) {
      for (const channel of channels) {
        const read = (raw: string) => readNotice({ provider, channel, raw, exitCode: 1, now: NOW, zone: 'UTC', killed: false })
        expect(steepness(piece, read), `${provider} ${channel}`).toBeLessThan(STEEPEST)
      }
    }
  })
})

describe('the tables', () => {
  it('§6 rule 4: a wording is anchored where a statement begins, unless it says otherwise', () => {
    for (const [name, { pattern, anywhere }] of wordings) if (anywhere !== true) expect(pattern.source.startsWith('^'), name).toBe(true)
  })

  it('every line says where it is known from', () => {
    for (const [name, { source }] of wordings) expect(source.trim(), name).not.toBe('')
  })

  it('no pattern remembers where it was', () => {
    for (const [name, { pattern }] of wordings) expect(/[gy]/.test(pattern.flags), name).toBe(false)
  })
})
