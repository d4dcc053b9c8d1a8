import { type Failure, type FailureKind, type FailurePhase, failure, MESSAGE_LIMIT } from '../../model/failure.ts'
import { type ErrorFacts, readErrorBody, withErrorType } from './error-body.ts'
import { type HeaderSource, type Headers, readHeaders } from './headers.ts'
import { kindOfFrame, kindOfStatus } from './kind.ts'
import { hintOfBody, hintOfHeaders, hintOfLimit, type RetryHint, TOO_FAR } from './retry-hint.ts'
import { REFUSED_ADDRESS } from './transport.ts'

/**
 * The one classifier of what an HTTP provider answers (R17, R20, R22, C36–C39). Pure: bytes were read, nothing is fetched here.
 *
 * 1. The kind is decided in kind.ts, the hint in retry-hint.ts, both from the facts that error-body.ts and headers.ts read.
 * 2. It never throws, looks at the first 64 KiB, and costs their length.
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
  const facts = withErrorType(readErrorBody(response.body), headers.get('x-amzn-errortype'))
  if (status >= 200 && status < 300) return unexpectedSuccess(headers, facts, status, now, phase)
  const kind = kindOfStatus(status, facts, hintOfLimit(headers, facts, now))
  const text = facts.texts[0]?.trim() ?? ''
  const message = text === '' ? `HTTP ${status}` : `HTTP ${status}: ${text}`
  const hint = hintOf(kind, headers, facts, now)
  return failure(kind, phase, warned(message, hint), { status, code: codeOf(facts), ...hint })
}

export interface FrameFacts {
  readonly api: string
  /** The error frame as parsed, whole. */
  readonly error: unknown
  readonly now: number
  /** Default `stream`. */
  readonly phase?: FailurePhase
}

const NO_HEADERS: Headers = new Map()

/** The failure of an error that came inside a 200 (wire.md §0, error frame). Its status is null: the 200 said nothing. */
export function classifyInStream(frame: FrameFacts): Failure {
  const facts = readErrorBody(frame.error)
  const kind = kindOfFrame(facts, hintOfLimit(NO_HEADERS, facts, frame.now))
  const message = facts.texts[0] ?? 'the provider sent an error'
  const hint = hintOf(kind, NO_HEADERS, facts, frame.now)
  return failure(kind, frame.phase ?? 'stream', warned(message, hint), { code: codeOf(facts), ...hint })
}

/** The failure of a broken connection, by errno or `UND_ERR_*` code (faces.md §2). A port in its words means nothing. */
export function classifyErrno(code: string, phase: FailurePhase = 'connect'): Failure {
  const short = code.slice(0, 200)
  if (/^[A-Z][A-Z0-9_]{0,190}_TIMEOUT$/.test(short)) return failure('timeout', phase, short, { code: short })
  // Asked again the name would lead to the same address, or to one that is no safer.
  if (short === REFUSED_ADDRESS)
    return failure('invalid_request', phase, 'the endpoint leads to an address that is not connected to', { code: short })
  // What came back was no HTTP at all.
  if (/^HPE_[A-Z_]+$/.test(short)) return failure('protocol', phase, `the answer is no HTTP (${short})`, { code: short })
  return failure('network', phase, short, { code: short })
}

/** A 2xx that carries no answer: an error in its body, or something that is not the protocol at all. */
function unexpectedSuccess(headers: Headers, facts: ErrorFacts, status: number, now: number, phase: FailurePhase): Failure {
  if (!facts.isError) {
    const what = unansweredBy(headers, facts)
    return failure('protocol', phase, `HTTP ${status} without an answer of the protocol${what === '' ? '' : `: ${what}`}`, { status })
  }
  const kind = kindOfFrame(facts, hintOfLimit(headers, facts, now))
  const hint = hintOf(kind, headers, facts, now)
  return failure(kind, phase, warned(`HTTP ${status} with an error: ${facts.texts[0] ?? ''}`, hint), { status, code: codeOf(facts), ...hint })
}

/**
 * What came in place of an answer: what the fields of an error say, or how a page begins, of a proxy or a login. Other text may be an answer in
 * words that are not ours, such as a stream where none was asked for, and belongs into no log (R36): of that the type is told.
 */
function unansweredBy(headers: Headers, { isBare, texts }: ErrorFacts): string {
  const said = texts[0]?.trim() ?? ''
  return (isBare && !said.startsWith('<') ? (headers.get('content-type') ?? '') : said).slice(0, 120)
}

/** A limit is described by everything, a busy or broken provider by its headers and body, any other failure by its headers alone. */
function hintOf(kind: FailureKind, headers: Headers, facts: ErrorFacts, now: number): RetryHint {
  if (kind === 'rate_limited') return hintOfLimit(headers, facts, now)
  return kind === 'overloaded' || kind === 'server_error' ? hintOfBody(headers, facts, now) : hintOfHeaders(headers, now)
}

function codeOf(facts: ErrorFacts): string | null {
  return facts.words[0] ?? (facts.numbers[0] === undefined ? null : String(facts.numbers[0]))
}

/** The words of the failure; a wait that was stated and is not believed shows in nothing else. */
function warned(message: string, hint: RetryHint): string {
  return hint === TOO_FAR ? `${message.slice(0, MESSAGE_LIMIT - NOT_BELIEVED.length)}${NOT_BELIEVED}` : message
}

const NOT_BELIEVED = ' (it states a wait that is too far ahead to be believed)'
