import type { NoticeChannel, NoticeInput } from '../../../../src/engines/cli/notice/input.ts'
import type { Notice, NoticeKind, NoticeProvider } from '../../../../src/model/notice.ts'

/** A notice of our own making after cli-engines.md. */
export interface OwnNotice {
  readonly provider: NoticeProvider
  readonly channel: NoticeChannel
  readonly raw: string
  readonly exitCode: number | null
  readonly says: Partial<Notice> & { readonly kind: NoticeKind }
}

export const NOW = Date.parse('2027-02-10T09:30:00Z')
export const at = (text: string) => Date.parse(text)

export const lines = (...events: readonly object[]) => `${events.map((event) => JSON.stringify(event)).join('\n')}\n`

export function notice(provider: NoticeProvider, channel: NoticeChannel, exitCode: number | null, raw: string, says: OwnNotice['says']): OwnNotice {
  return { provider, channel, exitCode, raw, says }
}

/** A kind without a reset and without anything that it binds. */
export const only = (kind: NoticeKind) => ({ kind, resetAt: null, resetSource: 'none' as const, scope: null, model: null })

export function inputOf({ provider, channel, raw, exitCode }: OwnNotice, instead: Partial<NoticeInput> = {}): NoticeInput {
  return { provider, channel, raw, exitCode, now: NOW, zone: 'UTC', killed: false, ...instead }
}
