import type { FailureKind } from '../model/failure.ts'
import type { FailureReason } from '../model/outcome.ts'

/**
 * What a kind of failure means for the walk (R17, R20, R22).
 * `retry` stays on the entry with backoff · `hold` sets a hold and advances · `advance` leaves the entry for good ·
 * `shorten` is a context-window overflow · `stop` is a refusal.
 */
export type Disposition = 'retry' | 'hold' | 'advance' | 'shorten' | 'stop'

/** The one list of R17. A kind that is not named as hopeless is retryable. `status`: the HTTP status that came with it, if any. */
export function disposition(kind: FailureKind, status: number | null = null): Disposition {
  switch (kind) {
    case 'rate_limited':
      return 'hold'
    case 'quota_exhausted':
    case 'auth':
    case 'forbidden':
    case 'model_not_found':
    case 'invalid_request':
    case 'tool_schema':
      return 'advance'
    case 'context_window':
      return 'shorten'
    case 'refusal':
      return 'stop'
    case 'overloaded':
    case 'server_error':
    case 'timeout':
    case 'network':
    case 'empty':
    case 'truncated':
    case 'unknown':
      return 'retry'
    case 'protocol':
      // A redirect is the same answer when it is asked for again.
      return status !== null && status >= 300 && status <= 399 ? 'advance' : 'retry'
    default:
      return assertNever(kind)
  }
}

/** The word of a failure event for its kind (C28). */
export function reasonOf(kind: FailureKind, status: number | null = null): FailureReason {
  if (kind === 'rate_limited') return 'rate_limited'
  if (kind === 'quota_exhausted') return 'rate_limited_non_retryable'
  if (kind === 'empty') return 'empty_response'
  if (kind === 'context_window') return 'context_window'
  if (kind === 'refusal') return 'refused'
  return disposition(kind, status) === 'retry' ? 'retryable' : 'non_retryable'
}

function assertNever(kind: never): Disposition {
  return kind
}
