import { hostProblem } from '../model/address.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'
import { farLocalProfile, invalidSetting } from './diagnostics.ts'
import type { SettingsInput } from './schema.ts'
import { endpointProblem } from './wire-safety.ts'

/** The profiles whose address `endpoints` does not allow, be it written or that of the family. What no policy allows the schema tells. */
export function endpointErrors({ endpoints, profiles }: Settings): Diagnostic[] {
  const errors: Diagnostic[] = []
  for (const { id, endpoint } of profiles.values()) {
    const problem = endpoint === null ? null : endpointProblem(endpoint, endpoints)
    if (problem !== null)
      errors.push(invalidSetting(['profiles', id, 'endpoint'], problem, 'Give the profile a public address, or set `endpoints` to "local-allowed".'))
  }
  return errors
}

/** Profiles that are local by their family and lead out of this network: after a local decision the prompt would go there (R39). */
export function farLocalWarnings(written: SettingsInput['profiles'], { profiles }: Settings): Diagnostic[] {
  return [...profiles.values()]
    .filter(({ id, zone, endpoint }) => zone === 'local' && written[id]?.zone === null && endpoint !== null && isFar(endpoint))
    .map(({ id }) => farLocalProfile(id))
}

/** Names of a network of one's own end so, or have no dot at all. */
const OWN_NAME = /^[^.]+$|\.(?:local|lan|internal|intranet|home|localdomain|arpa|test)\.?$/i

function isFar(endpoint: string): boolean {
  if (!URL.canParse(endpoint)) return false
  const { hostname } = new URL(endpoint)
  return hostProblem(hostname, 'public-only') === null && !OWN_NAME.test(hostname)
}
