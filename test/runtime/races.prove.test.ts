import fc from 'fast-check'
import { describe, test } from 'vitest'
import { race, runRace } from './races.ts'

describe('R15 R27 R30 races: any order of engines, host and clock', () => {
  test.each([1, 2, 3])('one outcome each, nothing after it, nothing left behind (seed %i)', async (seed) => {
    await fc.assert(fc.asyncProperty(fc.scheduler(), race, runRace), { seed, numRuns: 5_000 })
  })
})
