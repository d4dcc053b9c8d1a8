import type { Diagnostic } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'
import { invalidSetting } from './diagnostics.ts'
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
