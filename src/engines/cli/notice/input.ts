import type { NoticeProvider } from '../../../model/notice.ts'

/** Where the bytes of a notice came from (corpus field `channel`). */
export const NOTICE_CHANNELS = [
  'stdout-text',
  'stdout-json',
  'stdout-ndjson',
  'stdout-json-message',
  'stderr',
  'pty',
  'log-file',
  'api-json',
] as const
export type NoticeChannel = (typeof NOTICE_CHANNELS)[number]

export interface NoticeInput {
  readonly provider: NoticeProvider
  /** What was printed. */
  readonly raw: string
  readonly channel: NoticeChannel
  /** When it was read (epoch ms). */
  readonly now: number
  /** IANA zone of the process that printed it. */
  readonly zone: string
  /** Null: not known, or ended by a signal. */
  readonly exitCode: number | null
  /** We ended the run ourselves. */
  readonly killed: boolean
}
