import { expect, test } from 'vitest'
import { simulateTeam } from '../../src/simulate/simulate-team.ts'
import { readTeamScenario, type TeamScenario } from '../../src/simulate/team-scenario.ts'
import { runRealTeam } from './team-real.ts'
import { teamParityTests } from './team-suite.ts'

await teamParityTests({ count: 30, mostRuns: 6, least: 130 })

function limitedFor(resetInMs: number): TeamScenario {
  const read = readTeamScenario({
    format: 1,
    kind: 'team',
    id: 'TOLD-APART',
    startAt: '2026-03-01T12:00:00Z',
    participants: [{ id: 'ana', provider: 'claude' }],
    engines: { claude: [{ limit: { resetInMs } }, { post: 'ok' }] },
    until: { turns: 2 },
  })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.scenario
}

test('a run by processes is told apart from another: a reset that comes one ms later', async () => {
  const { trace } = await simulateTeam(limitedFor(60_000))
  const same = await runRealTeam(limitedFor(60_000))
  const other = await runRealTeam(limitedFor(60_001))
  expect(same).toEqual(trace)
  expect(other.sleeps).toEqual([{ fromMs: 1_000, toMs: 61_001, wokenBy: 'reset' }])
  expect(other).not.toEqual(trace)
})
