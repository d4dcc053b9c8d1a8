import { memoryLedger } from '../../index.ts'
import type { SimulationPorts, TeamScenario, TeamSimulationPorts } from '../../testing.ts'
import { PageSources } from '../page/page-sources.ts'
import { teamEvent } from '../page/told-team.ts'
import type { Io } from './io.ts'
import { recorded } from './page-option.ts'

/** A simulated scenario, recorded on its own clock as the page would have been told of it. */
export interface RecordedPlay {
  callPorts(): SimulationPorts
  teamPorts(scenario: TeamScenario): TeamSimulationPorts
  close(): void
}

/** What a recording calls the kernel of the scenario. */
const KERNEL = 'simulated'

/** `startAt`: epoch ms at which the scenario begins. Throws BadInput where the file cannot be written. */
export function recordedPlay(io: Io, path: string, title: string, startAt: number): RecordedPlay {
  const clock = { now: (): number => startAt }
  const sources = new PageSources(() => clock.now())
  const record = recorded(io, sources, path, { title }, (line) => void io.stderr.write(`${line}\n`))
  return {
    callPorts: () => ({
      ...sources.ports(KERNEL, { ledger: memoryLedger(Number.POSITIVE_INFINITY), clock }),
      onKernel: (kernel, own) => {
        clock.now = () => own.now()
        sources.follow(KERNEL, kernel, own)
      },
    }),
    teamPorts(scenario) {
      let at = startAt
      clock.now = () => at
      sources.add({ type: 'team.opened', at, name: title, participants: participantsOf(scenario).map((id) => ({ id, path: null })) })
      return {
        inspect: sources.ports(KERNEL, { clock }).inspect as NonNullable<TeamSimulationPorts['inspect']>,
        onFact: (fact, status) => {
          at = fact.at
          sources.add(teamEvent(fact, status))
        },
      }
    },
    close() {
      sources.close()
      record.close()
    },
  }
}

function participantsOf({ participants }: TeamScenario): readonly string[] {
  return participants.map(({ id }) => id)
}
