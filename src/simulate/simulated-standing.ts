import type { RunState, TeamEnd, TeamFact } from '../model/team.ts'
import { type RunningCall, type StatusView, type TeamStatus, teamStatus } from '../policy/team/team-status.ts'

/** How a simulated team stands, by the facts that were told. There is no thread: no post has a number. */
export class SimulatedStanding {
  #state: RunState = 'running'
  #since = 0
  #running: RunningCall | null = null
  #end: TeamEnd | null = null

  take(fact: TeamFact): void {
    if (fact.type === 'state.entered') {
      this.#state = fact.state
      this.#since = fact.at
    }
    if (fact.type === 'run.started') {
      const { n, participant, entry, startedBy } = fact.run
      this.#running = { n, participant, engine: entry.engine, startedBy, since: fact.at }
    }
    if (fact.type === 'run.ended') this.#running = null
    if (fact.type === 'team.ended') this.#end = fact.reason
  }

  status(view: Pick<StatusView, 'members' | 'memory' | 'now' | 'elapsedMs'>): TeamStatus {
    const stood = { state: this.#state, since: this.#since, running: this.#running, end: this.#end }
    return teamStatus({ ...view, ...stood, gatePosts: new Map(), lastPost: 0 })
  }
}
