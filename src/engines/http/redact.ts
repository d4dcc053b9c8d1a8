import type { Failure } from '../../model/failure.ts'
import { type Scrub, scrubOf } from '../../model/scrub.ts'
import { secretsOfProfile } from '../../model/secret-values.ts'
import type { AttemptRequest } from '../contract.ts'

/** The values that sign or decorate this request: a provider, or a gateway before it, may echo them in its failure. */
export function secretsOf({ secret, profile }: AttemptRequest): readonly string[] {
  return secretsOfProfile(profile, secret)
}

/** Made once for each list: a pattern costs more than the failure that it is for. */
const scrubs = new WeakMap<readonly string[], Scrub>()

function scrubFor(secrets: readonly string[]): Scrub {
  const present = scrubs.get(secrets)
  if (present !== undefined) return present
  const made = scrubOf(secrets)
  scrubs.set(secrets, made)
  return made
}

/** The failure without any of these values in its words or code. */
export function redacted(failure: Failure, secrets: readonly string[]): Failure {
  const scrub = scrubFor(secrets)
  const message = scrub.cut(failure.message)
  const code = failure.code === null ? null : scrub.cut(failure.code)
  return message === failure.message && code === failure.code ? failure : { ...failure, message, code }
}
