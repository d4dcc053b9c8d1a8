import type { Summary } from './dialect.ts'
import type { Problem, ProblemKind } from './problem.ts'

const TYPES: Readonly<Record<ProblemKind, string>> = {
  invalid_request: 'invalid_request_error',
  authentication: 'authentication_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  too_large: 'invalid_request_error',
  rate_limit: 'rate_limit_error',
  timeout: 'timeout_error',
  upstream: 'upstream_error',
  overloaded: 'server_error',
  internal: 'server_error',
}

/** The body of an error as OpenAI's own, for chat and responses alike; `entries` and `relevo` beside it. */
export function openaiError({ kind, message, param, code, entries }: Problem, relevo: Summary | null): object {
  return {
    error: { message, type: TYPES[kind], param, code, ...(entries.length === 0 ? {} : { entries }) },
    ...(relevo === null ? {} : { relevo }),
  }
}
