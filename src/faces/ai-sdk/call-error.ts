import type { Outcome, OutcomeKind } from '../../index.ts'
import type { Metadata } from './specification.ts'

/**
 * The errors of the AI SDK, made without it: it recognises its own by markers that every copy of it shares.
 *
 * 1. No error here is retryable: the kernel is the one owner of retries (R23), and asking again would walk the whole plan again.
 * 2. The kernel's error is the `cause`, so that `StreamInterruptedAfterOutput.isInstance(error.cause)` holds.
 * 3. No error carries a word of prompt or answer (R36), nor the name of a provider in its message (R21).
 */
const ANY_ERROR: unique symbol = Symbol.for('vercel.ai.error')
const CALL_ERROR: unique symbol = Symbol.for('vercel.ai.error.AI_APICallError')
const UNSUPPORTED_ERROR: unique symbol = Symbol.for('vercel.ai.error.AI_UnsupportedFunctionalityError')

/** An APICallError of the AI SDK: `APICallError.isInstance` knows it. */
export class TurnCallError extends Error {
  readonly [ANY_ERROR] = true
  readonly [CALL_ERROR] = true
  /** No address: a turn may have called several. */
  readonly url: string
  readonly requestBodyValues = {}
  readonly statusCode: number
  readonly responseHeaders: Record<string, string> | undefined
  readonly responseBody = undefined
  readonly isRetryable = false
  /** What `providerMetadata` would have been. */
  readonly data: Metadata | undefined

  constructor(error: Error, of: { readonly model: string; readonly statusCode: number; readonly retryAfterMs?: number; readonly data?: Metadata }) {
    super(error.message, { cause: error })
    this.name = 'AI_APICallError'
    this.url = `relevo:${of.model}`
    this.statusCode = of.statusCode
    this.responseHeaders = of.retryAfterMs === undefined ? undefined : { 'retry-after': String(Math.ceil(of.retryAfterMs / 1000)) }
    this.data = of.data
  }
}

/** An UnsupportedFunctionalityError of the AI SDK. */
export class UnsupportedPartError extends Error {
  readonly [ANY_ERROR] = true
  readonly [UNSUPPORTED_ERROR] = true
  readonly functionality: string

  constructor(functionality: string, remedy: string) {
    super(`${functionality} cannot be sent through relevo. ${remedy}`)
    this.name = 'AI_UnsupportedFunctionalityError'
    this.functionality = functionality
  }
}

/** As a gateway would say it. What has an answer, and a cancel, has no status. */
const STATUS: Readonly<Partial<Record<OutcomeKind, number>>> = {
  exhausted: 502,
  interrupted: 502,
  provider_tools_without_final: 502,
  all_held: 429,
  budget: 402,
  context_window: 400,
  config_error: 400,
}

/** The error of a turn that ended without an answer. */
export function errorOfTurn(outcome: Outcome, error: Error, model: string, data: Metadata): Error {
  if (outcome.kind === 'cancelled') return abortError(undefined, error)
  const wait = outcome.retryAt === null ? {} : { retryAfterMs: Math.max(0, outcome.retryAt - outcome.endedAt) }
  return new TurnCallError(error, { model, statusCode: STATUS[outcome.kind] ?? 500, ...wait, data })
}

/** The reason of an abort as `fetch` would reject with it; an AbortError when the reason is none the AI SDK knows. */
export function abortError(reason: unknown, cause: unknown): Error {
  if (reason instanceof Error && (reason.name === 'AbortError' || reason.name === 'TimeoutError')) return reason
  const error = new Error('The turn was cancelled.', { cause: reason ?? cause })
  error.name = 'AbortError'
  return error
}
