import type { Failure } from '../../model/failure.ts'
import type { AttemptRequest } from '../contract.ts'

/**
 * Keeps what signed a request out of what is told about its failure: a provider, or a gateway before it, may echo it.
 *
 * 1. A value is found in any case of letters, since codes are made lower case, and in the forms in which requests carry one: as it is,
 *    percent-encoded, in base64 alone or inside a longer text (`Basic`).
 * 2. Forms are made only once there is a failure.
 */
const REDACTED = '[redacted]'
/** Shorter values are words that stand in many a message. */
const SHORTEST = 8
/** As much of a value at a cut end is still told apart from chance. */
const SHORTEST_PREFIX = 4

/**
 * The values that signed or decorated this request. A key of several parts, such as `ACCESS_KEY_ID:SECRET_ACCESS_KEY:SESSION_TOKEN`, may
 * come back in parts: the signer sends them apart. So may the token of a header without its scheme, and what stands in an address.
 */
export function secretsOf({ secret: key, profile }: AttemptRequest): readonly string[] {
  const secret = key?.reveal() ?? ''
  const parts = secret.includes(':') ? secret.split(':') : []
  const headers = Object.values(profile.headers)
  const tokens = headers.flatMap((value) => (value.includes(' ') ? value.split(' ') : []))
  const others = [...parts, ...headers, ...tokens, ...queryOf(profile.endpoint)].filter((value) => value.length >= SHORTEST)
  return secret === '' ? others : [secret, ...others]
}

function queryOf(endpoint: string | null): readonly string[] {
  if (endpoint === null || !endpoint.includes('?') || !URL.canParse(endpoint)) return []
  return [...new URL(endpoint).searchParams].filter(([name]) => name !== 'api-version').map(([, value]) => value)
}

/** The failure without any of these values in its words or code. */
export function redacted(failure: Failure, secrets: readonly string[]): Failure {
  const forms = secrets.flatMap(formsOf)
  const message = without(failure.message, forms)
  const code = failure.code === null ? null : without(failure.code, forms)
  return message === failure.message && code === failure.code ? failure : { ...failure, message, code }
}

function formsOf(secret: string): readonly string[] {
  if (secret.length < SHORTEST) return [secret]
  const encoded = [0, 1, 2].map((before) => base64Core(secret, before))
  const other = [percentEncoded(secret), ...encoded, ...encoded.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))]
  return [secret, ...new Set(other.filter((form) => form.length >= SHORTEST && form !== secret))]
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    return ''
  }
}

/** The letters that this value alone decides in the base64 of a text in which so many bytes, of each three, stand before it. */
function base64Core(secret: string, before: number): string {
  const bytes = new TextEncoder().encode(' '.repeat(before) + secret)
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '')
  return letters.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1)
}

function without(text: string, forms: readonly string[]): string {
  let clean = text
  for (const form of forms) {
    clean = clean.replace(new RegExp(form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'), REDACTED)
    clean = withoutCutEnd(clean, form.toLowerCase())
  }
  return clean
}

/** Messages are cut to a length, and the cut may fall inside the value. */
function withoutCutEnd(text: string, form: string): string {
  for (let length = Math.min(form.length - 1, text.length); length >= SHORTEST_PREFIX; length -= 1) {
    if (text.slice(-length).toLowerCase() === form.slice(0, length)) return text.slice(0, -length) + REDACTED
  }
  return text
}
