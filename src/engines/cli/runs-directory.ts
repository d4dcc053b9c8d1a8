import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where runs are written down unless the host says where: `relevo/runs` in the state directory of the user. Paths that are not absolute are
 * passed over, as the XDG specification has it: in a repository that an agent works in they would name a directory of that repository.
 */
export function runsDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = environment
  const below = isAbsolute(state) ? state : join(isAbsolute(home) ? home : homedir(), '.local', 'state')
  return join(below, 'relevo', 'runs')
}
