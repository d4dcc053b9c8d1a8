import type { NoticeKind } from '../../../model/notice.ts'

/** What a wording means before its reset is read: a limit has one or has none. */
export type WordingKind = 'limit' | Exclude<NoticeKind, 'limit_reset' | 'limit_no_reset' | 'none'>

/**
 * One way in which a CLI says one thing, with where that is known from: `recorded` is a run of the real program against a mock
 * (cli-engines.md), a name with a number is a public issue.
 *
 * 1. A pattern begins where a statement begins (`^`), unless it says `anywhere`; then it is only looked for in what is certainly the CLI's own.
 * 2. A pattern takes the time of the length of its text: every repetition in it is bounded.
 * 3. Texts reach a pattern normalised: straight quotes, single spaces, no terminal codes.
 * 4. A number is a status only where words beside it say so: a port or a count of tokens never is.
 */
export interface Wording {
  readonly kind: WordingKind
  readonly pattern: RegExp
  readonly source: string
  readonly anywhere?: true
  /** What stands in the same statement and takes the wording back. */
  readonly unless?: RegExp
  /** Said of a rate as well as of a quota: a wait of minutes beside it makes it a throttle. */
  readonly rate?: true
}
