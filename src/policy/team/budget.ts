import type { RunResult, TeamEnd, TeamSettings } from '../../model/team.ts'

const MINUTE_MS = 60_000

/** What a run of a team has used up. */
export interface Spent {
  readonly iterations: number
  readonly chargedMs: number
}

/** Whether a turn that ends with this result is an iteration: one in which every run was limited or out of reach is none (G01). */
export function isIteration(result: RunResult['kind']): boolean {
  return result !== 'limited' && result !== 'network'
}

/** Which budget is used up; asked before anything new is begun (T19, G12, G28). */
export function spentBudget({ iterations, chargedMs }: Spent, settings: TeamSettings): Extract<TeamEnd, 'maxIterations' | 'maxRuntimeMin'> | null {
  const { maxIterations, maxRuntimeMin } = settings
  if (maxIterations !== null && iterations >= maxIterations) return 'maxIterations'
  return maxRuntimeMin !== null && chargedMs >= maxRuntimeMin * MINUTE_MS ? 'maxRuntimeMin' : null
}
