import { type Failure, type FailureKind, type FailurePhase, failure } from '../../model/failure.ts'
import type { Notice, NoticeKind, QuotaLimit } from '../../model/notice.ts'

/** How a run ended that did not complete. */
export interface FailedRun {
  readonly program: string
  readonly phase: FailurePhase
  readonly exitCode: number | null
  readonly signal: string | null
  /** Output of the model was told. */
  readonly answered: boolean
  readonly now: number
}

/**
 * What a notice means for the walk. A limit and a stop of money carry what they bind; a throttle is a rate limit of seconds, which cools
 * down as any other (R15). A wording never seen is a failed call (T21): `truncated` where the program left without its last word, `unknown`
 * where its exit says that it failed.
 */
export function noticeFailure(notice: Notice, run: FailedRun): Failure {
  const limit = quotaLimit(notice)
  const words = notice.words === '' ? wordless(run) : `${run.program}: ${notice.words}`
  return failure(kindOf(notice.kind, run), run.phase, words, {
    code: codeOf(run),
    ...(limit === null ? waitOf(notice, run.now) : { limit, resetAt: notice.resetAt }),
  })
}

function kindOf(kind: NoticeKind, { exitCode, signal, answered }: FailedRun): FailureKind {
  switch (kind) {
    case 'limit_reset':
    case 'limit_no_reset':
    case 'throttle':
      return 'rate_limited'
    case 'spend':
      return 'quota_exhausted'
    case 'overloaded':
      return 'overloaded'
    case 'server':
      return 'server_error'
    case 'network':
      return 'network'
    case 'auth':
      return 'auth'
    case 'model':
      return 'model_not_found'
    case 'context':
      return 'context_window'
    case 'config':
      return 'invalid_request'
    case 'incomplete':
      return answered ? 'truncated' : 'empty'
    case 'retry_notice':
    case 'none':
      return exitCode === 0 || (exitCode === null && signal === null) ? 'truncated' : 'unknown'
  }
}

function quotaLimit({ kind, scope, model }: Notice): QuotaLimit | null {
  const binds = model === null ? 'account' : 'model'
  if (kind === 'limit_reset' || kind === 'limit_no_reset') return { kind: 'usage', scope, binds }
  return kind === 'spend' ? { kind: 'spend', scope, binds } : null
}

/** The wait that a throttle or an overload states. It is a hint and no reset of a quota. */
function waitOf({ resetAt }: Notice, now: number): Partial<Failure> {
  return resetAt === null ? {} : { retryAfterMs: Math.max(0, resetAt - now) }
}

/** `exit_1`, or the signal: what a person looks for when the words say nothing (G29). */
function codeOf({ exitCode, signal }: FailedRun): string | null {
  return exitCode === null ? signal : `exit_${exitCode}`
}

function wordless({ program, exitCode, signal }: FailedRun): string {
  if (signal !== null) return `${program} was ended by ${signal}`
  return exitCode === null || exitCode === 0
    ? `${program} ended without saying that its answer is whole`
    : `${program} exited ${exitCode} and said nothing`
}
