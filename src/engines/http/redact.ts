import type { Failure } from '../../model/failure.ts'
import type { AttemptRequest } from '../contract.ts'

const REDACTED = '[redacted]'
/** Shorter values are words that stand in many a message. */
const SHORTEST = 8
/** As much of a value at a cut end is still told apart from chance. */
const SHORTEST_PREFIX = 4

/**
 * The values that signed or decorated this request; a provider may echo them in its error. A key of several parts, such as
 * `ACCESS_KEY_ID:SECRET_ACCESS_KEY:SESSION_TOKEN`, may come back in parts: the signer sends them apart.
 */
export function secretsOf(request: AttemptRequest): readonly string[] {
  const secret = request.secret?.reveal() ?? ''
  const parts = secret.includes(':') ? secret.split(':') : []
  const others = [...parts, ...Object.values(request.profile.headers)].filter((value) => value.length >= SHORTEST)
  return secret === '' ? others : [secret, ...others]
}

/** The failure without any of these values in its words or code. */
export function redacted(failure: Failure, secrets: readonly string[]): Failure {
  const message = without(failure.message, secrets)
  const code = failure.code === null ? null : without(failure.code, secrets)
  return message === failure.message && code === failure.code ? failure : { ...failure, message, code }
}

function without(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) {
    clean = clean.replaceAll(secret, REDACTED)
    clean = withoutCutEnd(clean, secret)
  }
  return clean
}

/** Messages are cut to a length, and the cut may fall inside the value. */
function withoutCutEnd(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST_PREFIX; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, text.length - length) + REDACTED
  }
  return text
}
