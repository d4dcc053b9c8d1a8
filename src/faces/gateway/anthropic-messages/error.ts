import type { Summary } from '../dialect.ts'
import type { Problem, ProblemKind } from '../problem.ts'

/**
 * `overloaded` is a gateway that takes no requests now: its status is 503, and the type that says so of a provider, `overloaded_error`, belongs
 * to 529. Clients read more into that one than into a status.
 */
const TYPES: Readonly<Record<ProblemKind, string>> = {
  invalid_request: 'invalid_request_error',
  authentication: 'authentication_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  timeout: 'timeout_error',
  upstream: 'api_error',
  overloaded: 'api_error',
  internal: 'api_error',
}

const OVERLOADED_STATUS = 529

/** The body of an error as Anthropic's own, and of the event that breaks a stream off; `code`, `param` and `entries` of ours in its error, `relevo` beside it. */
export function anthropicError({ status, kind, message, param, code, entries }: Problem, relevo: Summary | null): object {
  return {
    type: 'error',
    error: {
      type: status === OVERLOADED_STATUS ? 'overloaded_error' : TYPES[kind],
      message,
      code,
      ...(param === null ? {} : { param }),
      ...(entries.length === 0 ? {} : { entries }),
    },
    request_id: relevo?.turn ?? null,
    ...(relevo === null ? {} : { relevo }),
  }
}
