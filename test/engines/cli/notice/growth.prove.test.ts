import { describe, expect, it } from 'vitest'
import { NOTICE_CHANNELS } from '../../../../src/engines/cli/notice/input.ts'
import { readNotice } from '../../../../src/engines/cli/notice/read-notice.ts'
import { VOICES } from '../../../../src/engines/cli/notice/voices.ts'
import { NOTICE_PROVIDERS } from '../../../../src/model/notice.ts'
import { STEEPEST } from '../../http/growth.ts'
import { HOSTILE, steepness } from './hostile-texts.ts'
import { NOW } from './own-notice.ts'

const patterns = new Map(NOTICE_PROVIDERS.flatMap((provider) => VOICES[provider].wordings.map(({ pattern }) => [String(pattern), pattern] as const)))

describe('linear time, every text on all of it', () => {
  it.each([...patterns])('%s', (_name, pattern) => {
    for (const piece of HOSTILE)
      expect(
        steepness(piece, (text) => pattern.test(text)),
        piece,
      ).toBeLessThan(STEEPEST)
  })

  it.each(HOSTILE.flatMap((piece) => [piece, `${piece}\n`]))('the reader of every CLI in every channel: %j', (piece) => {
    for (const provider of NOTICE_PROVIDERS) {
      for (const channel of NOTICE_CHANNELS) {
        const read = (raw: string) => readNotice({ provider, channel, raw, exitCode: 1, now: NOW, zone: 'UTC', killed: false })
        expect(steepness(piece, read), `${provider} ${channel}`).toBeLessThan(STEEPEST)
      }
    }
  })
})
