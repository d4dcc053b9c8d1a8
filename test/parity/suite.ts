import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { choose } from './choose.ts'
import { differences } from './differences.ts'
import { runReal } from './real-run.ts'

export const CORPUS = join(import.meta.dirname, '../corpus/routing')
/** Scenarios of our own, beside those that were handed to us. */
export const OWN = join(import.meta.dirname, '../scenarios')
const DEFAULT_SEED = 20_260_301

/**
 * Registers the parity tests of the first `count` documents that a network can carry, in the order of the seed (`RELEVO_PARITY_SEED`), and
 * prints the seed and who was passed over and why. `least`: how many there have to be.
 */
export async function parityTests(count: number, least: number, folders: readonly string[] = [CORPUS]): Promise<void> {
  const seed = Number(process.env['RELEVO_PARITY_SEED'] ?? DEFAULT_SEED)
  const { chosen, skipped } = await choose(folders, count, seed)
  const reasons = [...skipped].map(
    ([reason, ids]) => `  ${ids.length} ${ids.length === 1 ? 'document' : 'documents'} that ${reason}: ${ids.join(' ')}`,
  )
  console.log([`parity: seed ${seed}, ${chosen.length} documents; passed over on the way to them:`, ...reasons].join('\n'))

  test(`at least ${least} documents can be carried by a network`, () => {
    expect(chosen.length).toBeGreaterThanOrEqual(least)
  })

  describe.concurrent('simulation and real HTTP come to the same', () => {
    for (const { scenario, title, simulated, protocols, speed } of chosen) {
      const spoken = Object.entries(protocols).map(([profile, protocol]) => `${profile} ${protocol}`)
      test(`${title} (${spoken.join(', ')}; ${speed.toPrecision(2)} times as fast)`, async () => {
        const real = await runReal(scenario, protocols, speed)
        expect(real.problems).toEqual([])
        expect(differences(simulated, real.trace, speed)).toEqual([])
      })
    }
  })
}
