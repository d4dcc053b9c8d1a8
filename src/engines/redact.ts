import type { Failure } from '../model/failure.ts'
import { type Scrub, scrubOf } from '../model/scrub.ts'
import { scrubThrown } from '../model/scrub-thrown.ts'
import { secretsOfProfile } from '../model/secret-values.ts'
import type { AttemptRequest } from './contract.ts'

/** The values that sign or decorate this request: a provider, or a gateway before it, may echo them in its failure. */
export function secretsOf({ secret, profile }: AttemptRequest): readonly string[] {
  return secretsOfProfile(profile, secret)
}

/** Made once for each list: a pattern costs more than the failure that it is for. */
const scrubs = new WeakMap<readonly string[], Scrub>()

export function scrubFor(secrets: readonly string[]): Scrub {
  const present = scrubs.get(secrets)
  if (present !== undefined) return present
  const made = scrubOf(secrets)
  scrubs.set(secrets, made)
  return made
}

/**
 * The failure without any of these values, whatever else an engine of a host puts into it; the same one where it holds none. What is said in
 * words of our own stays as it is: a key as short as those that servers on this machine are given stands in the name of many a kind.
 */
export function redacted(failure: Failure, secrets: readonly string[]): Failure {
  const scrub = scrubFor(secrets)
  const { kind, phase, message, status, code, retryAfterMs, resetAt, limit, offset, ...further } = failure
  const words = scrub.cut(message)
  const cutCode = code === null ? null : scrub.cut(code)
  const scope = limit === undefined || limit.scope === null ? null : scrub.text(limit.scope)
  const clean = scrubThrown(further, scrub) as object
  if (words === message && cutCode === code && scope === (limit?.scope ?? null) && clean === further) return failure
  return {
    ...clean,
    kind,
    phase,
    message: words,
    status,
    code: cutCode,
    retryAfterMs,
    resetAt,
    ...(limit === undefined ? {} : { limit: { ...limit, scope } }),
    ...(offset === undefined ? {} : { offset }),
  }
}
