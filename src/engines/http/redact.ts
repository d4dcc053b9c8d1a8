import type { Failure } from '../../model/failure.ts'
import { type Scrub, scrubOf } from '../../model/scrub.ts'
import { scrubThrown } from '../../model/scrub-thrown.ts'
import { secretsOfProfile } from '../../model/secret-values.ts'
import type { AttemptRequest } from '../contract.ts'

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

/** The failure without any of these values, whatever else an engine of a host puts into it; the same one where it holds none. */
export function redacted(failure: Failure, secrets: readonly string[]): Failure {
  const scrub = scrubFor(secrets)
  const { message, code } = failure
  const clean = scrubThrown(failure, scrub) as Failure
  const words = scrub.cut(message)
  const cutCode = code === null ? null : scrub.cut(code)
  return words === clean.message && cutCode === clean.code ? clean : { ...clean, message: words, code: cutCode }
}
