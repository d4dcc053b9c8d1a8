import { existsSync, readFileSync } from 'node:fs'
import { NOTICE_CHANNELS, type NoticeChannel, type NoticeInput } from '../../../../src/engines/cli/notice/input.ts'
import { NOTICE_PROVIDERS, type NoticeKind, type NoticeProvider, type ResetSource } from '../../../../src/model/notice.ts'

/** The notices of real programs (house.md §6): other people's data, read in place, never copied. */
export interface RecordedNotice {
  readonly id: string
  readonly provider: string
  readonly channel: NoticeChannel
  readonly raw: string
  readonly now: string
  readonly tz: string
  readonly exitCode?: number
  readonly killed?: boolean
  readonly toleranceSec?: number
  readonly optional?: boolean
  readonly acceptNoReset?: boolean
  readonly expect: {
    readonly kind: NoticeKind
    readonly resetAt: string | null
    readonly resetSource: ResetSource
    readonly scope?: string | null
  }
}

const NOTICES = new URL('../../../../../shared/corpus/notices/notices.json', import.meta.url)

/** Whether the recordings are there; where they are not, their suites are skipped by name. */
export const present = existsSync(NOTICES)
if (!present) console.warn('SKIPPED recorded notices: ../shared/corpus/notices is not there; the notices of our own making stand in')

export const recorded: readonly RecordedNotice[] = present ? (JSON.parse(readFileSync(NOTICES, 'utf8')) as RecordedNotice[]) : []

const isProvider = (name: string): name is NoticeProvider => NOTICE_PROVIDERS.some((one) => one === name)

/** What the reader is shown; null for a program that it does not know, or a channel that it has not. */
export function inputOf(one: RecordedNotice, provider: string = one.provider): NoticeInput | null {
  if (!isProvider(provider) || !NOTICE_CHANNELS.includes(one.channel)) return null
  const { raw, channel, tz: zone, exitCode = null, killed = false } = one
  return { provider, raw, channel, now: Date.parse(one.now), zone, exitCode, killed }
}
