import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { simulateTeam } from '../../src/simulate/simulate-team.ts'
import { readTeamScenario, type TeamScenario } from '../../src/simulate/team-scenario.ts'
import type { TeamTrace } from '../../src/simulate/team-trace.ts'
import { seeded, shuffled } from './seeded.ts'
import { runRealTeam } from './team-real.ts'
import { whyNot } from './team-script.ts'

export const CORPUS = join(import.meta.dirname, '../corpus/team')
/** Scenarios of our own, beside those that were handed to us. */
export const OWN = join(import.meta.dirname, '../team-scenarios')
const DEFAULT_SEED = 20_260_301

interface Document {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
  readonly expect: Readonly<Record<string, unknown>>
}

interface Playable {
  readonly document: Document
  readonly scenario: TeamScenario
  readonly simulated: TeamTrace
}

export interface TeamParity {
  /** How many documents are played; all that can be when left out. */
  readonly count?: number
  /** Of these only such as have no more calls. */
  readonly mostRuns?: number
  /** How many have to be playable. */
  readonly least: number
  /** Where documents stand; those that were handed to us when left out. */
  readonly folders?: readonly string[]
}

/**
 * Registers the parity tests of team documents, chosen in the order of the seed (`RELEVO_PARITY_SEED`), and prints the seed, who was chosen
 * and who cannot be played and why.
 */
export async function teamParityTests({
  count = Number.POSITIVE_INFINITY,
  mostRuns = Number.POSITIVE_INFINITY,
  least,
  folders = [CORPUS],
}: TeamParity): Promise<void> {
  const seed = Number(process.env['RELEVO_PARITY_SEED'] ?? DEFAULT_SEED)
  const { playable, skipped, total } = await lookThrough(folders)
  const short = playable.filter(({ simulated }) => simulated.turns.length <= mostRuns)
  const chosen = shuffled(short, seeded(seed)).slice(0, count)
  console.log(
    [
      `team parity: ${playable.length} of ${total} documents can be played by programs; seed ${seed} chose ${chosen.length}: ${chosen.map(({ document }) => document.id).join(' ')}`,
      ...[...skipped].map(([reason, ids]) => `  ${ids.length} that ${ids.length === 1 ? 'is' : 'are'} not: ${reason}: ${ids.join(' ')}`),
    ].join('\n'),
  )

  test(`at least ${least} documents can be played by programs`, () => {
    expect(playable.length).toBeGreaterThanOrEqual(least)
    expect(chosen.length).toBe(Math.min(count, short.length))
  })

  describe.concurrent('simulation and real processes come to the same', () => {
    for (const { document, scenario, simulated } of chosen) {
      test(`${document.rules.join(' ')} ${document.id}: ${document.title} (${simulated.turns.length} calls)`, async () => {
        const real = await runRealTeam(scenario)
        expect(mismatches(document.expect, real)).toEqual([])
        expect(real).toEqual(simulated)
      })
    }
  })
}

async function lookThrough(folders: readonly string[]): Promise<{ playable: Playable[]; skipped: Map<string, string[]>; total: number }> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((file) => join(folder, file)),
  )
  const documents = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Document[])
  const playable: Playable[] = []
  const skipped = new Map<string, string[]>()
  for (const document of documents) {
    const read = readTeamScenario(document)
    const reason = 'problems' in read ? 'it is written to be refused' : whyNot(read.scenario)
    if (reason !== null) skipped.set(reason, [...(skipped.get(reason) ?? []), document.id])
    else if (!('problems' in read)) {
      const { trace } = await simulateTeam(read.scenario)
      playable.push({ document, scenario: read.scenario, simulated: trace })
    }
  }
  return { playable, skipped, total: documents.length }
}
