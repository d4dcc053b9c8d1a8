import type { Observable } from 'rxjs'
import type { RunResult, TeamFact, TeamRun } from '../../../src/model/team.ts'
import { membersOf } from '../../../src/policy/team/chain.ts'
import { RunningTeam, type TeamAsk } from '../../../src/runtime/team/running-team.ts'
import { VirtualTeamClock } from '../../../src/simulate/team-clock.ts'

export const POSTED = { kind: 'posted', limit: null } as const
export const UNBOUND = { maxIterations: null, maxRuntimeMin: null, maxWaitMin: null, sleepSliceMs: 60_000 }
export const HOUR = 3_600_000

export type Call = (run: TeamRun, number: number) => Observable<RunResult>

/** A team of ana on claude and bo on codex, or of up to three on the providers that are given, its facts, and a clock that a test moves. */
export function rig(call: Call, ask: Partial<TeamAsk> = {}, providers: readonly string[] = ['claude', 'codex']) {
  const clock = new VirtualTeamClock(0)
  const facts: TeamFact[] = []
  const runs: TeamRun[] = []
  let heartbeats = 0
  const members = membersOf(
    ['ana', 'bo', 'cy'].slice(0, providers.length).map((id, index) => ({ id, provider: providers[index] ?? '', model: null, failover: [] })),
    () => true,
  )
  const team = new RunningTeam(
    { members, settings: UNBOUND, zone: 'UTC', ...ask },
    {
      clock,
      run: (run) => call(run, runs.push(run)),
      onFact: (fact) => facts.push(fact),
      onHeartbeat: () => heartbeats++,
    },
  )
  return {
    team,
    clock,
    runs,
    kinds: () => facts.map(({ type }) => type),
    states: () => facts.flatMap((fact) => (fact.type === 'state.entered' ? [fact.state] : [])),
    last: () => facts.at(-1),
    heartbeats: () => heartbeats,
    /** Lets time pass, ringing each timer at its instant. */
    pass(ms: number) {
      const until = clock.sinceStartMs + ms
      for (let nextMs = clock.nextMs; nextMs !== null && nextMs <= until; nextMs = clock.nextMs) {
        clock.moveTo(nextMs)
        clock.ring()
      }
      clock.moveTo(until)
    },
  }
}
