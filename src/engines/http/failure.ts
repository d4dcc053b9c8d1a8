import { type Failure, type FailureKind, type FailurePhase, failure } from '../../model/failure.ts'
import { type ErrorFacts, readErrorBody } from './error-body.ts'
import { type HeaderSource, readHeaders } from './headers.ts'
import { hintOfHeaders, hintOfLimit, NO_HINT, type RetryHint } from './retry-hint.ts'
import { saysContextWindow, saysLongPeriod, saysQuota, saysToolRejected } from './wording.ts'

/**
 * The one classifier of what an HTTP provider answers (R17, R20, R22, C36–C38). Pure: bytes were read, nothing is fetched here.
 *
 * 1. The status decides, refined by typed codes; text is read only through the lists of wording.ts. No number in a text is a status.
 * 2. It never throws and looks at the first 64 KiB.
 * 3. It repeats the provider's words, at most 500 characters; whoever signed the request takes the secret out of them.
 */
export interface ResponseFacts {
  /** Protocol name; the shapes of all of them are told apart by the body itself. */
  readonly api: string
  readonly status: number
  readonly headers?: HeaderSource
  /** Text as it came, or its parsed JSON. */
  readonly body?: unknown
  /** Epoch ms at which the response came in; instants without a `date` header are measured from it. */
  readonly now: number
  /** Default `opening`. */
  readonly phase?: FailurePhase
}

/** The failure that a whole response means: any status that is no 2xx, or a 2xx whose body is no answer. */
export function classifyResponse(response: ResponseFacts): Failure {
  const { now, phase = 'opening' } = response
  const status = typeof response.status === 'number' ? response.status : 0
  const headers = readHeaders(response.headers)
  const facts = readErrorBody(response.body)
  if (status >= 200 && status < 300) return unexpectedSuccess(facts, status, now, phase)
  const limit = hintOfLimit(headers, facts, now)
  const kind = kindOf(status, facts, limit)
  const hint = LIMITING.has(kind) ? limit : hintOfHeaders(headers, now)
  const text = facts.texts[0]?.trim() ?? ''
  const message = text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`
  return failure(kind, phase, message, { status, code: codeOf(facts), ...hint })
}

export interface FrameFacts {
  readonly api: string
  /** The error frame as parsed, whole. */
  readonly error: unknown
  readonly now: number
  /** Default `stream`. */
  readonly phase?: FailurePhase
}

/** The failure of an error that came inside a 200 (wire.md §0, error frame). Its status is null: the 200 said nothing. */
export function classifyInStream(frame: FrameFacts): Failure {
  const facts = readErrorBody(frame.error)
  const kind = kindOfFrame(facts)
  const hint = LIMITING.has(kind) ? hintOfLimit(new Map(), facts, frame.now) : NO_HINT
  return failure(kind, frame.phase ?? 'stream', facts.texts[0] ?? 'the provider sent an error', { code: codeOf(facts), ...hint })
}

/** The failure of a broken connection, by errno or `UND_ERR_*` code (faces.md §2). A port in its words means nothing. */
export function classifyErrno(code: string, phase: FailurePhase = 'connect'): Failure {
  const short = code.slice(0, 200)
  if (/^[A-Z_]+_TIMEOUT$/.test(short)) return failure('timeout', phase, short, { code: short })
  // What came back was no HTTP at all.
  if (/^HPE_[A-Z_]+$/.test(short)) return failure('protocol', phase, `the answer is no HTTP (${short})`, { code: short })
  return failure('network', phase, short, { code: short })
}

/** Kinds whose body may say when to come back. */
const LIMITING: ReadonlySet<FailureKind> = new Set(['rate_limited', 'overloaded', 'server_error'])

const CONTEXT_CODES = new Set(['context_length_exceeded', 'context_window_exceeded', 'model_context_window_exceeded'])
const LIMIT_CODES = new Set(['rate_limit_error', 'rate_limit_exceeded', 'rate_limited', 'too_many_requests', 'resource_exhausted'])
const FILTER_CODES = new Set(['content_filter', 'content_policy_violation'])
const OVERLOAD_CODES = new Set(['overloaded_error', 'overloaded', 'engine_overloaded', 'server_overloaded'])

/** Words that name a kind where no status does, inside a stream. */
const KIND_OF_WORD: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ...pairs(CONTEXT_CODES, 'context_window'),
  ...pairs(FILTER_CODES, 'refusal'),
  ...pairs(OVERLOAD_CODES, 'overloaded'),
  ['tool_use_failed', 'tool_schema'],
  ['insufficient_quota', 'quota_exhausted'],
  ['insufficient_balance', 'quota_exhausted'],
  ['billing_error', 'quota_exhausted'],
  ...pairs(LIMIT_CODES, 'rate_limited'),
  ['authentication_error', 'auth'],
  ['invalid_api_key', 'auth'],
  ['permission_error', 'forbidden'],
  ['not_found_error', 'model_not_found'],
  ['model_not_found', 'model_not_found'],
  ['timeout_error', 'timeout'],
  ['api_error', 'server_error'],
  ['server_error', 'server_error'],
  ['internal_error', 'server_error'],
  ['internal_server_error', 'server_error'],
])
/** Said of nearly everything, so it counts only when nothing else does. */
const VAGUE_WORDS: ReadonlyMap<string, FailureKind> = new Map([
  ['invalid_request_error', 'invalid_request'],
  ['request_too_large', 'invalid_request'],
  ['invalid_argument', 'invalid_request'],
])

/** z.ai says with these numbers that the plan or the balance does not cover the call (C38). */
const QUOTA_NUMBERS = new Set([1113, 1311])

function pairs(words: Iterable<string>, kind: FailureKind): [string, FailureKind][] {
  return [...words].map((word) => [word, kind])
}

function kindOf(status: number, facts: ErrorFacts, limit: RetryHint): FailureKind {
  if (status === 429) return kindOfLimit(facts, limit)
  if (has(facts, CONTEXT_CODES) || saysContextWindow(facts.texts)) return 'context_window'
  if (status >= 500 && status <= 599) return status === 529 || has(facts, OVERLOAD_CODES) ? 'overloaded' : 'server_error'
  if (status >= 400) return kindOfClientError(status, facts)
  // An unexpected redirect is never followed and is not asked again unchanged (R17).
  if (status >= 300) return 'invalid_request'
  return 'unknown'
}

function kindOfClientError(status: number, facts: ErrorFacts): FailureKind {
  if (status > 499) return 'unknown'
  switch (status) {
    case 401:
      return 'auth'
    case 402:
      return 'quota_exhausted'
    case 403:
      return has(facts, FILTER_CODES) ? 'refusal' : 'forbidden'
    case 404:
      return 'model_not_found'
    case 408:
      return 'timeout'
    default:
      if (has(facts, FILTER_CODES)) return 'refusal'
      return facts.words.includes('tool_use_failed') || saysToolRejected(facts.texts) ? 'tool_schema' : 'invalid_request'
  }
}

/** A 429: beyond waiting (C38), a prompt that did not fit (R20), or a limit with an end. */
function kindOfLimit(facts: ErrorFacts, limit: RetryHint): FailureKind {
  if (facts.numbers.some((number) => QUOTA_NUMBERS.has(number)) || saysQuota(facts.words)) return 'quota_exhausted'
  // A quota of a day or longer that names its reset can be waited out, only not here.
  if (saysQuota(facts.texts)) return saysLongPeriod(facts.texts) && limit !== NO_HINT ? 'rate_limited' : 'quota_exhausted'
  if (has(facts, CONTEXT_CODES)) return 'context_window'
  if (has(facts, LIMIT_CODES)) return 'rate_limited'
  return saysContextWindow(facts.texts) ? 'context_window' : 'rate_limited'
}

function kindOfFrame(facts: ErrorFacts): FailureKind {
  for (const word of facts.words) {
    const kind = KIND_OF_WORD.get(word)
    if (kind !== undefined) return kind
  }
  if (facts.numbers.some((number) => QUOTA_NUMBERS.has(number))) return 'quota_exhausted'
  if (facts.status !== null) return kindOf(facts.status, facts, hintOfLimit(new Map(), facts, 0))
  if (saysContextWindow(facts.texts)) return 'context_window'
  if (saysToolRejected(facts.texts)) return 'tool_schema'
  for (const word of facts.words) {
    const kind = VAGUE_WORDS.get(word)
    if (kind !== undefined) return kind
  }
  return 'unknown'
}

/** A 2xx that carries no answer: an error in its body, or something that is not the protocol at all. */
function unexpectedSuccess(facts: ErrorFacts, status: number, now: number, phase: FailurePhase): Failure {
  if (!facts.isError) {
    const beginning = facts.texts[0]?.trim().slice(0, 120) ?? ''
    return failure('protocol', phase, `HTTP ${status} without an answer of the protocol${beginning === '' ? '' : `: ${beginning}`}`, { status })
  }
  const kind = kindOfFrame(facts)
  const hint = LIMITING.has(kind) ? hintOfLimit(new Map(), facts, now) : NO_HINT
  return failure(kind, phase, `HTTP ${status} with an error: ${facts.texts[0] ?? ''}`, { status, code: codeOf(facts), ...hint })
}

function has(facts: ErrorFacts, words: ReadonlySet<string>): boolean {
  return facts.words.some((word) => words.has(word))
}

function codeOf(facts: ErrorFacts): string | null {
  return facts.words[0] ?? (facts.numbers[0] === undefined ? null : String(facts.numbers[0]))
}
