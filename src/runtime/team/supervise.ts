import type { InspectionEvent } from 'xstate'
import type { Checked } from '../../config/check.ts'
import { invalidSetting } from '../../config/diagnostics.ts'
import { checkTeam } from '../../config/team/check-team.ts'
import type { Diagnostic } from '../../model/plan.ts'
import type { Settings } from '../../model/settings.ts'
import { localZone } from '../../model/zone.ts'
import { membersOf } from '../../policy/team/chain.ts'
import { ConfigError } from '../errors.ts'
import { memoryThread } from '../thread/thread.ts'
import { SupervisedTeam } from './supervised-team.ts'
import type { TeamHost } from './team-call.ts'
import type { TeamClock } from './team-clock.ts'
import type { Team } from './team-door.ts'
import { TeamEngines } from './team-engines.ts'

/** What a kernel lends to its teams. */
export interface SupervisingKernel extends TeamHost {
  readonly settings: () => Settings
  /** The settings as they were written. */
  readonly written: () => unknown
  readonly check: (config: unknown) => Checked
  readonly clock: TeamClock
  /** Of this kernel, for names of teams that have none. */
  readonly prefix: string
  /** A team of that name is at work. */
  readonly isAtWork: (id: string) => boolean
  readonly inspect: ((event: InspectionEvent) => void) | undefined
}

/** Makes a team ready to begin. Throws ConfigError with every problem of its participants, settings and providers. */
export function supervise(kernel: SupervisingKernel, team: Team): SupervisedTeam {
  const { team: settings, profiles } = kernel.settings()
  const checked = checkTeam(team, settings, [...profiles.keys()])
  refuse(checked.errors)
  const id = team.id ?? `${kernel.prefix}-team`
  if (kernel.isAtWork(id)) refuse([invalidSetting(['id'], 'is that of a team at work', 'Give it another one, or leave it out.')])
  const { turnTimeoutMin, stallMin } = checked.settings
  const engines = new TeamEngines(kernel.check, kernel.written, { turnTimeoutMin, stallMin, directory: team.directory ?? null })
  const members = membersOf(checked.participants, (provider) => engines.isInstalled(provider))
  refuse(engines.problemsOf(members.flatMap(({ entries }) => entries)))
  return new SupervisedTeam(
    {
      host: kernel,
      engines,
      members,
      checked,
      thread: team.thread ?? memoryThread(),
      clock: team.clock ?? kernel.clock,
      zone: team.zone ?? localZone(),
      id,
      inspect: kernel.inspect,
    },
    team,
  )
}

function refuse(problems: readonly Diagnostic[]): void {
  if (problems.length > 0) throw new ConfigError(problems)
}
