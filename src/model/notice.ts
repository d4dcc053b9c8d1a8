/**
 * What a coding-agent CLI said of itself at the end of a run, in one vocabulary (cli-engines.md, corpus fields). `limit_reset` and
 * `limit_no_reset` are a usage limit with and without a readable reset · `spend` a stop that no waiting lifts (money, plan, administrator) ·
 * `throttle` a rate of seconds to minutes, no usage limit · `incomplete` ended "well" without a usable answer · `retry_notice` the CLI is
 * still trying, nothing has failed yet · `none` nothing of the kind.
 */
export const NOTICE_KINDS = [
  'limit_reset',
  'limit_no_reset',
  'spend',
  'throttle',
  'overloaded',
  'server',
  'network',
  'auth',
  'model',
  'context',
  'config',
  'incomplete',
  'retry_notice',
  'none',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

/** The form in which a reset was written (faces.md §2). `duration` is compact (`2h31m33s`), `relative` is in words (`5 days 3 hours`). */
export const RESET_SOURCES = [
  'unix',
  'iso',
  'datetime',
  'date_tz',
  'date',
  'weekday_tz',
  'weekday',
  'clock_tz',
  'clock',
  'duration',
  'relative',
  'none',
] as const
export type ResetSource = (typeof RESET_SOURCES)[number]

/** The CLIs whose notices can be read. `gemini` is the name that notices and `relevo read notice` have for the family `gemini-cli`. */
export const NOTICE_PROVIDERS = ['claude', 'codex', 'agy', 'gemini'] as const
export type NoticeProvider = (typeof NOTICE_PROVIDERS)[number]

export interface Notice {
  readonly kind: NoticeKind
  /** Instant of the reset (epoch ms), as stated: it may have passed. Null when none was readable. */
  readonly resetAt: number | null
  readonly resetSource: ResetSource
  /** The limit's own name, such as `five_hour`; null when it has none. */
  readonly scope: string | null
  /** The model that the limit binds, as the notice names it; null when it binds the account, or the notice names no model (T6). */
  readonly model: string | null
  /** The CLI's own words, at most 500 characters, for the redacted log and for people; empty when it said nothing. */
  readonly words: string
}

/**
 * The part of a failure that says that a quota is used up, as a CLI told it; absent on every other failure (T2). `spend`: no waiting lifts it.
 * `binds`: whether it takes out the account or only the model that ran (T6).
 */
export interface QuotaLimit {
  readonly kind: 'usage' | 'spend'
  readonly scope: string | null
  readonly binds: 'account' | 'model'
}
