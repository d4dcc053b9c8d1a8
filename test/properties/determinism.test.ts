import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { scenario } from './arbitraries.ts'
import { eventsOf, play } from './play.ts'

/** A simulation is a proof only if it says the same thing twice, and the same thing as the kernel that a host has. */
test('the same scenario gives the same trace, twice in simulation and once beside it', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (written) => {
      const read = readScenario(written)
      if ('problems' in read) throw new Error(JSON.stringify(read.problems))
      const [first, second] = [await simulate(read.scenario), await simulate(read.scenario)]
      expect(second).toEqual(first)
      // Within one instant a simulation takes cancels first; beside it steps are taken as they are listed.
      if (new Set(written.steps.map((step) => step.atMs)).size < written.steps.length) return
      const played = await play(written)
      for (const turn of first.trace.turns) {
        const started = eventsOf(played, turn.id).flatMap((event) =>
          event.type === 'attempt.started' ? [[event.n, event.entry, event.mode, event.at]] : [],
        )
        expect(started).toEqual(turn.attempts.map((attempt) => [attempt.n, attempt.entry, attempt.mode, attempt.atMs]))
        expect(played.outcomes.get(turn.id)?.kind).toBe(turn.outcome?.['kind'])
      }
    }),
    { seed: 20_260_301, numRuns: 120 },
  )
})
