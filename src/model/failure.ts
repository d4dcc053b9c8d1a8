import type { QuotaLimit } from './notice.ts'

/**
 * A provider failure is data until the public door. Engines make it, policy reads it, nothing throws it.
 */
export const FAILURE_KINDS = [
  'rate_limited',
  'quota_exhausted',
  'overloaded',
  'server_error',
  'timeout',
  'network',
  'auth',
  'forbidden',
  'model_not_found',
  'invalid_request',
  'context_window',
  'refusal',
  'empty',
  'truncated',
  'tool_schema',
  'protocol',
  'unknown',
] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

/** Where in the attempt it happened: before a response line, at its status line, inside the body of a stream, or in a whole answer. */
export type FailurePhase = 'connect' | 'opening' | 'stream' | 'call'

/** Why an attempt did not give an answer. */
export interface Failure {
  readonly kind: FailureKind
  readonly phase: FailurePhase
  /** Words of the provider or of the runtime, at most 500 characters. For the redacted log only, never for an aggregate error (R21). */
  readonly message: string
  /** HTTP status, or null when there was none. Never read out of text. */
  readonly status: number | null
  /** Typed code of the provider or errno, or null. */
  readonly code: string | null
  /** The retry hint as stated, in ms and uncapped; null when none was readable. */
  readonly retryAfterMs: number | null
  /** The instant (epoch ms) that the provider itself gave as the reset; null when it gave none. */
  readonly resetAt: number | null
  /** A used-up quota that a coding-agent CLI reported (T3); the hold it sets is a limit, not a cooldown. */
  readonly limit?: QuotaLimit
  /** Byte offset in the body at which a protocol failure was seen. */
  readonly offset?: number
}

/** Characters that the words of a failure may have. */
export const MESSAGE_LIMIT = 500

/** A failure with the given kind; everything not stated is null. */
export function failure(kind: FailureKind, phase: FailurePhase, message: string, more: Partial<Failure> = {}): Failure {
  return { kind, phase, message: message.slice(0, MESSAGE_LIMIT), status: null, code: null, retryAfterMs: null, resetAt: null, ...more }
}
