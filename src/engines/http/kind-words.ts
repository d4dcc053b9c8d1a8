import type { FailureKind } from '../../model/failure.ts'

/**
 * Typed words by which providers name a failure, in lower case, and what each means (wire.md §9–11). Only a typed field is looked up here:
 * `code`, `type`, `status`, `__type`, or the header `x-amzn-errortype`. A word in a sentence is not.
 */

/** The prompt did not fit. `exceed_context_size_error` is the server of llama.cpp, `token_limit_exceeded` OpenRouter. */
export const CONTEXT_WORDS: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  'exceed_context_size_error',
  'token_limit_exceeded',
])

/** A limit with an end. */
export const LIMIT_WORDS: ReadonlySet<string> = new Set([
  'rate_limit_error',
  'rate_limit_exceeded',
  'rate_limited',
  'too_many_requests',
  'resource_exhausted',
  'usage_limit_reached',
  'throttlingexception',
  // Bedrock gives it the status 429: the model is still being loaded.
  'modelnotreadyexception',
])

/** What waiting does not lift. */
export const QUOTA_WORDS: ReadonlySet<string> = new Set([
  'insufficient_quota',
  'insufficient_balance',
  'billing_error',
  // A quota of the account that only a request to AWS raises; a limit with an end is a throttling exception there.
  'servicequotaexceededexception',
])

/** The prompt or the answer was refused. The inner code of Azure's filter stands in `innererror`. */
export const FILTER_WORDS: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'image_content_policy_violation',
  'moderation_blocked',
  'responsibleaipolicyviolation',
])

/** Busy, not broken. `server_is_overloaded` and `slow_down` come in `response.failed` of OpenAI; the last word is DeepSeek's. */
export const OVERLOAD_WORDS: ReadonlySet<string> = new Set([
  'overloaded_error',
  'overloaded',
  'engine_overloaded',
  'server_overloaded',
  'server_is_overloaded',
  'slow_down',
  'insufficient_system_resource',
])

/** A tool call that the provider checked and threw out (C36). */
export const TOOL_WORDS: ReadonlySet<string> = new Set(['tool_use_failed'])

/** The provider itself ran out of time; with a 5xx the word says more than the status. */
export const TIMEOUT_WORDS: ReadonlySet<string> = new Set(['timeout_error', 'deadline_exceeded', 'modeltimeoutexception'])

/** Words that say more than a status does, so that they are heard before a status that stands beside them in a frame. */
export const TELLING_WORDS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ...pairs(CONTEXT_WORDS, 'context_window'),
  ...pairs(FILTER_WORDS, 'refusal'),
  ...pairs(OVERLOAD_WORDS, 'overloaded'),
  ...pairs(TOOL_WORDS, 'tool_schema'),
  ...pairs(QUOTA_WORDS, 'quota_exhausted'),
  ...pairs(LIMIT_WORDS, 'rate_limited'),
])

/**
 * Words that say what a status would, for frames without one; the kind is that of the status which the provider gives the word outside a
 * stream. A broken-off model of Bedrock is the exception: its 424 would be a fault of the request, which it is not.
 */
export const STATUS_WORDS: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ...pairs(
    ['authentication_error', 'invalid_api_key', 'unauthenticated', 'unauthorized', 'unrecognizedclientexception', 'expiredtokenexception'],
    'auth',
  ),
  ...pairs(['permission_error', 'permission_denied', 'forbidden', 'accessdeniedexception'], 'forbidden'),
  ...pairs(['not_found_error', 'model_not_found', 'not_found', 'resourcenotfoundexception'], 'model_not_found'),
  ...pairs(TIMEOUT_WORDS, 'timeout'),
  ...pairs(
    [
      'api_error',
      'server_error',
      'internal_error',
      'internal_server_error',
      'internal',
      'unavailable',
      'aborted',
      'data_loss',
      'unimplemented',
      'service_unavailable_error',
      'modelstreamerrorexception',
      'modelerrorexception',
      'internalserverexception',
      'serviceunavailableexception',
    ],
    'server_error',
  ),
])

/** Said of nearly everything, so they count only when nothing else does. */
export const VAGUE_WORDS: ReadonlySet<string> = new Set([
  'invalid_request_error',
  'invalid_request',
  'request_too_large',
  'invalid_prompt',
  'invalid_argument',
  'failed_precondition',
  'out_of_range',
  'already_exists',
  'validationexception',
])

/** z.ai says with these numbers that the plan or the balance does not cover the call (C38). */
export const QUOTA_NUMBERS: ReadonlySet<number> = new Set([1113, 1311])

/**
 * What xAI writes into `code`: the sentence by which its server library describes a gRPC status. It is compared whole, so it is a typed
 * code that happens to have spaces.
 */
export const STATUS_SENTENCES: ReadonlyMap<string, string> = new Map([
  ['client specified an invalid argument', 'invalid_argument'],
  ['deadline expired before operation could complete', 'deadline_exceeded'],
  ['some requested entity was not found', 'not_found'],
  ['the caller does not have permission to execute the specified operation', 'permission_denied'],
  ['some resource has been exhausted', 'resource_exhausted'],
  ["the system is not in a state required for the operation's execution", 'failed_precondition'],
  ['the operation was aborted', 'aborted'],
  ['operation was attempted past the valid range', 'out_of_range'],
  ['operation is not implemented or not supported', 'unimplemented'],
  ['internal error', 'internal'],
  ['the service is currently unavailable', 'unavailable'],
  ['unrecoverable data loss or corruption', 'data_loss'],
  ['the request does not have valid authentication credentials', 'unauthenticated'],
])

function pairs(words: Iterable<string>, kind: FailureKind): [string, FailureKind][] {
  return [...words].map((word) => [word, kind])
}
