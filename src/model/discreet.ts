import { scrubOf } from './scrub.ts'
import { REDACTED } from './secret.ts'
import { secretsOfProfile } from './secret-values.ts'
import type { Profile } from './settings.ts'

/**
 * The profile, which prints without its secrets: a header, an address or a variable of a program is plain text, and whoever prints settings, a
 * plan or an entry prints them. How it prints is no field of it: a copy has the same fields and prints them all.
 */
export function discreet(profile: Profile): Profile {
  const shown = (): unknown => {
    const credentials = profile.credentials.map(({ number, secret }) => ({ number, secret: secret === null ? null : REDACTED }))
    return scrubOf(secretsOfProfile(profile, null)).data({ ...profile, credentials })
  }
  return Object.defineProperties(profile, { toJSON: { value: shown }, [Symbol.for('nodejs.util.inspect.custom')]: { value: shown } })
}
