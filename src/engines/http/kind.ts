import type { FailureKind } from '../../model/failure.ts'
import type { ErrorFacts } from './error-body.ts'
import {
  CONTEXT_WORDS,
  FILTER_WORDS,
  LIMIT_WORDS,
  OVERLOAD_WORDS,
  QUOTA_NUMBERS,
  QUOTA_WORDS,
  STATUS_WORDS,
  TELLING_WORDS,
  TIMEOUT_WORDS,
  TOOL_WORDS,
  VAGUE_WORDS,
} from './kind-words.ts'
import { isReadable, type RetryHint } from './retry-hint.ts'
import { saysContextWindow, saysFiltered, saysLongPeriod, saysSpent, saysToolRejected, saysUncovered } from './wording.ts'

/**
 * Which kind of failure an answer is (R17, R20, R22, C36–C38).
 *
 * 1. The status decides, refined by typed codes; text is read only through the lists of wording.ts.
 * 2. A frame inside a 200 is what the same error would be outside: a telling word first, then the status that it carries, then the words
 *    that stand for a status.
 */

/** The kind of an answer with a status that is no 2xx. `limit` is the hint that it gives when it is a limit. */
export function kindOfStatus(status: number, facts: ErrorFacts, limit: RetryHint): FailureKind {
  if (status === 429) return kindOfLimit(facts, limit)
  if (has(facts, CONTEXT_WORDS) || saysContextWindow(facts.texts)) return 'context_window'
  if (status >= 500 && status <= 599) return kindOfServerError(status, facts)
  if (status >= 400 && status <= 499) return kindOfClientError(status, facts)
  // A redirect is never followed: it would carry the key and the prompt to whoever it names. No protocol here answers with one.
  return status >= 300 && status <= 399 ? 'protocol' : 'unknown'
}

function kindOfServerError(status: number, facts: ErrorFacts): FailureKind {
  if (status === 529 || has(facts, OVERLOAD_WORDS)) return 'overloaded'
  return has(facts, TIMEOUT_WORDS) ? 'timeout' : 'server_error'
}

function kindOfClientError(status: number, facts: ErrorFacts): FailureKind {
  switch (status) {
    case 401:
      return 'auth'
    case 402:
      return 'quota_exhausted'
    case 404:
      return 'model_not_found'
    case 408:
      return 'timeout'
    default:
      return refined(facts) ?? (status === 403 ? 'forbidden' : 'invalid_request')
  }
}

/** What a body makes of a status that says little. */
function refined(facts: ErrorFacts): FailureKind | null {
  if (has(facts, FILTER_WORDS) || facts.flagged || saysFiltered(facts.texts)) return 'refusal'
  if (has(facts, QUOTA_WORDS)) return 'quota_exhausted'
  // Older services of AWS send it with a 400.
  if (facts.words.includes('throttlingexception')) return 'rate_limited'
  return has(facts, TOOL_WORDS) || saysToolRejected(facts.texts) ? 'tool_schema' : null
}

/** A 429: beyond waiting (C38), a prompt that did not fit (R20), or a limit with an end. */
function kindOfLimit(facts: ErrorFacts, limit: RetryHint): FailureKind {
  if (saysQuotaTyped(facts) || saysUncovered(facts.texts)) return 'quota_exhausted'
  // A quota of a day or longer that names its reset can be waited out, only not here.
  if (saysSpent(facts.texts)) return (facts.dailyQuota || saysLongPeriod(facts.texts)) && isReadable(limit) ? 'rate_limited' : 'quota_exhausted'
  if (has(facts, CONTEXT_WORDS)) return 'context_window'
  if (has(facts, LIMIT_WORDS)) return 'rate_limited'
  return saysContextWindow(facts.texts) ? 'context_window' : 'rate_limited'
}

function saysQuotaTyped(facts: ErrorFacts): boolean {
  return facts.numbers.some((number) => QUOTA_NUMBERS.has(number)) || has(facts, QUOTA_WORDS)
}

/** The kind of an error that no status came with: a frame of a stream, or the body of a 2xx. */
export function kindOfFrame(facts: ErrorFacts, limit: RetryHint): FailureKind {
  if (facts.numbers.some((number) => QUOTA_NUMBERS.has(number))) return 'quota_exhausted'
  const told = firstKind(facts, TELLING_WORDS)
  if (told !== undefined) return told === 'rate_limited' ? kindOfLimit(facts, limit) : told
  if (facts.status !== null) return kindOfStatus(facts.status, facts, limit)
  if (saysContextWindow(facts.texts)) return 'context_window'
  if (facts.flagged || saysFiltered(facts.texts)) return 'refusal'
  if (saysToolRejected(facts.texts)) return 'tool_schema'
  return firstKind(facts, STATUS_WORDS) ?? (has(facts, VAGUE_WORDS) ? 'invalid_request' : 'unknown')
}

function firstKind(facts: ErrorFacts, kinds: ReadonlyMap<string, FailureKind>): FailureKind | undefined {
  const word = facts.words.find((one) => kinds.has(one))
  return word === undefined ? undefined : kinds.get(word)
}

function has(facts: ErrorFacts, words: ReadonlySet<string>): boolean {
  return facts.words.some((word) => words.has(word))
}
