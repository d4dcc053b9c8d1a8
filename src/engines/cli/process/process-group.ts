import { livesInGroup } from './process-start.ts'

/**
 * The processes that a program has started, all at once: each run is the leader of a group of its own, named by its pid.
 *
 * Windows has no groups, and there only the leader is reached (not tested; platform.md §5 names `taskkill /T /F`).
 */
export interface ProcessGroup {
  /** Reaches whoever is left; nobody left is no error. */
  signal(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Whether a process is left that can be ended. */
  isLeft(): boolean
}

export function processGroup(leader: number): ProcessGroup {
  const target = process.platform === 'win32' ? leader : -leader
  return {
    signal: (signal) => void sent(target, signal),
    // The system also counts processes that have ended and are waiting to be collected. In a container whose first process collects none
    // they wait for ever, so they are looked for.
    isLeft: () => sent(target, 0) && (livesInGroup(leader) ?? true),
  }
}

/** False when nobody took it: the group is empty, or all that is left of it is another user's (EPERM), which is beyond our reach either way. */
function sent(target: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    return process.kill(target, signal)
  } catch {
    return false
  }
}
