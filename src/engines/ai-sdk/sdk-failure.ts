import { type Failure, type FailureKind, type FailurePhase, failure } from '../../model/failure.ts'
import { brokenKind } from '../http/decoder.ts'
import { classifyErrno, classifyInStream, classifyResponse } from '../http/failure.ts'
import type { HeaderSource } from '../http/headers.ts'
import { codeOf } from '../http/transport.ts'

/**
 * What an error of the AI SDK means, by what the one classifier needs (R17): status, headers and body of an APICallError, or the errno behind
 * it. Its own word for whether to retry is not asked (R23). Anything may be thrown, also what cannot be read or printed: that is a failure too.
 */
export interface FailureFacts {
  readonly api: string
  readonly now: number
  readonly phase: FailurePhase
}

export function failureOf(error: unknown, facts: FailureFacts): Failure {
  return readable(facts, () => failureOfError(error, facts))
}

/** The failure of an `error` part: an error, or the frame of the provider as it was read. */
export function failureOfPart(error: unknown, facts: FailureFacts): Failure {
  return readable(facts, () => (error instanceof Error ? failureOfError(error, facts) : failureOfFrame(error, facts)))
}

function readable({ phase }: FailureFacts, read: () => Failure): Failure {
  try {
    return read()
  } catch {
    return failure('unknown', phase, 'the model failed with an error that cannot be read')
  }
}

function failureOfError(error: unknown, { api, now, phase }: FailureFacts): Failure {
  const { statusCode, responseHeaders, responseBody, data, name, message } = fieldsOf(error)
  const code = errnoOf(error)
  const status = typeof statusCode === 'number' ? statusCode : null
  // A status that is known is not lost to a body that broke, unless it said that all was well.
  if (status !== null && (code === null || status < 200 || status > 299)) {
    return classifyResponse({ api, status, headers: responseHeaders as HeaderSource, body: responseBody ?? data, now, phase })
  }
  if (code !== null) {
    const broken = classifyErrno(code, phase === 'opening' ? 'connect' : phase)
    return status === null && phase !== 'stream' ? broken : { ...broken, kind: brokenKind(broken) }
  }
  const kind = typeof name === 'string' && Object.hasOwn(KINDS, name) ? KINDS[name] : undefined
  return failure(kind ?? 'unknown', phase, typeof message === 'string' && message !== '' ? message : String(error))
}

function failureOfFrame(error: unknown, facts: FailureFacts): Failure {
  const { error: inner } = fieldsOf(error)
  return classifyInStream({ ...facts, error: inner === undefined ? { error: typeof error === 'string' ? { message: error } : error } : error })
}

/** Errors of the AI SDK that are about no response. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  AI_APICallError: 'network',
  AI_EmptyResponseBodyError: 'truncated',
  AI_InvalidArgumentError: 'invalid_request',
  AI_InvalidPromptError: 'invalid_request',
  AI_InvalidResponseDataError: 'protocol',
  AI_JSONParseError: 'protocol',
  AI_LoadAPIKeyError: 'auth',
  AI_LoadSettingError: 'invalid_request',
  AI_NoSuchModelError: 'model_not_found',
  AI_TypeValidationError: 'protocol',
  AI_UnsupportedFunctionalityError: 'invalid_request',
  AbortError: 'network',
  TimeoutError: 'timeout',
}

/** The errno or `UND_ERR_*` behind an error. Other codes of the platform say that a call was written wrongly, not that a network failed. */
function errnoOf(error: unknown): string | null {
  const code = codeOf(error)
  return code === 'UNKNOWN' || code === 'ABORT_ERR' || code.startsWith('ERR_INVALID') ? null : code
}

function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {}
}
