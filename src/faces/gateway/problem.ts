import type { Outcome } from '../../index.ts'

/** Why a request has no answer, before a dialect puts it into its own words. */
export interface Problem {
  readonly status: number
  readonly kind: ProblemKind
  /** One line for a person: what, and what to do. */
  readonly message: string
  /** The field that is wrong, as `messages[0].content`; null where it is none. */
  readonly param: string | null
  /** A stable name of what happened. */
  readonly code: string
  /** Seconds after which asking again makes sense; null where nothing is known of that. */
  readonly retryAfterS: number | null
  /** Who could have answered, and why none did. */
  readonly entries: readonly ProblemEntry[]
}

export type ProblemKind =
  | 'invalid_request'
  | 'authentication'
  | 'permission'
  | 'not_found'
  | 'too_large'
  | 'rate_limit'
  | 'timeout'
  | 'upstream'
  | 'overloaded'
  | 'internal'

export interface ProblemEntry {
  /** `profile/model`, or `profile/*` */
  readonly entry: string
  /** Why it did not answer: how its attempts ended, or why it was skipped. */
  readonly why: string
  /** ISO 8601; null where it isn't held. */
  readonly heldUntil: string | null
}

/** A request that no turn can be made of. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest'
  readonly problem: Problem

  constructor(message: string, param: string | null, over: Partial<Problem> = {}) {
    super(message)
    this.problem = problemOf('invalid_request', message, { param, ...over })
  }
}

const STATUS: Readonly<Record<ProblemKind, number>> = {
  invalid_request: 400,
  authentication: 401,
  permission: 403,
  not_found: 404,
  too_large: 413,
  rate_limit: 429,
  timeout: 504,
  upstream: 502,
  overloaded: 503,
  internal: 500,
}

/** A problem of a kind, with the status that it usually has. */
export function problemOf(kind: ProblemKind, message: string, over: Partial<Problem> = {}): Problem {
  return { status: STATUS[kind], kind, message, param: null, code: kind, retryAfterS: null, entries: [], ...over }
}

/** Why a turn has no answer, or null where it has one. `entries`: who was asked, or could not be. */
export function problemOfOutcome(outcome: Outcome, entries: readonly ProblemEntry[], message: string): Problem | null {
  const retryAfterS = outcome.retryAt === null ? null : Math.max(1, Math.ceil((outcome.retryAt - outcome.endedAt) / 1000))
  const { kind, error } = outcome
  switch (kind) {
    case 'ok':
    case 'incomplete':
    case 'refused':
      return null
    case 'all_held':
      return problemOf('rate_limit', message, { code: kind, retryAfterS, entries })
    case 'budget':
      return problemOf('rate_limit', message, { code: 'insufficient_quota', retryAfterS, entries })
    case 'context_window':
      return problemOf('invalid_request', message, { code: 'context_length_exceeded', param: 'messages', entries })
    case 'config_error':
      return problemOf('invalid_request', error === null ? message : `${error.message} ${error.remedy}`, {
        code: error?.code ?? kind,
        param: 'model',
      })
    case 'exhausted':
      return isUnsent(outcome)
        ? problemOf('invalid_request', message, { code: 'unsendable_request', entries })
        : problemOf('upstream', message, { code: kind, entries })
    case 'interrupted':
    case 'provider_tools_without_final':
      return problemOf('upstream', message, { code: kind, entries })
    case 'cancelled':
      // Of the gateway's ending; another one may be there by then.
      return problemOf('overloaded', message, { code: kind, retryAfterS: 1 })
    case 'defect':
      return problemOf('internal', message, { code: kind })
  }
}

/**
 * What a turn without an answer says of itself. Where no entry could be asked it at all that is why the last one could not: the aggregate, which
 * names nobody (R21), says neither what is to be changed nor how.
 */
export function wordsOf(outcome: Outcome, error: unknown): string {
  if (!(error instanceof Error)) return outcome.kind
  const cause = error.cause as { readonly message?: unknown } | undefined
  return outcome.kind === 'exhausted' && isUnsent(outcome) && typeof cause?.message === 'string' ? cause.message : error.message
}

/** No entry could be asked this at all: what was asked is to be changed. */
function isUnsent({ failures }: Outcome): boolean {
  return failures.length > 0 && failures.every(({ kind, phase }) => kind === 'invalid_request' && phase === 'connect')
}
