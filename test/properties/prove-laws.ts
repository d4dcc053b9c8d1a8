import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { scenario, type WrittenScenario } from './arbitraries.ts'
import { LAWS } from './laws.ts'
import { type Played, play } from './play.ts'
import type { Law } from './seen.ts'

/** How often the interesting things happened, so that a generator that has gone dull is noticed. */
interface Tally {
  turns: number
  readonly kinds: Map<string, number>
  readonly facts: Map<string, number>
}

function count(tally: Tally, played: Played): void {
  for (const outcome of played.outcomes.values()) {
    tally.turns++
    tally.kinds.set(outcome.kind, (tally.kinds.get(outcome.kind) ?? 0) + 1)
  }
  for (const moment of played.moments) {
    const name = moment.type === 'event' ? moment.event.type : moment.type
    tally.facts.set(name, (tally.facts.get(name) ?? 0) + 1)
  }
}

const EXPECTED_KINDS = [
  'ok',
  'incomplete',
  'refused',
  'exhausted',
  'all_held',
  'budget',
  'context_window',
  'interrupted',
  'cancelled',
  'provider_tools_without_final',
]
const EXPECTED_FACTS = [
  'entry.skipped',
  'output.committed',
  'recovery.started',
  'history.shortened',
  'hold.set',
  'wait.started',
  'text',
  'reasoning',
  'draft',
  'answer',
  'cancel',
]

/**
 * Plays `numRuns` scenarios once, judges each by every law, and reports each law as a test of its own. A law that was broken is run again
 * alone, so that fast-check shows the smallest scenario that breaks it.
 */
export function proveLaws(seed: number, numRuns: number): void {
  const broken = new Map<Law, unknown>()
  const tally: Tally = { turns: 0, kinds: new Map(), facts: new Map() }

  beforeAll(async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async (written) => {
        const played = await play(written)
        count(tally, played)
        for (const [, law] of LAWS) if (!broken.has(law) && breaks(law, written, played)) broken.set(law, written)
      }),
      { seed, numRuns, endOnFailure: true },
    )
  }, 600_000)

  describe(`${numRuns} random scenarios, seed ${seed}`, () => {
    test.each(LAWS)(
      '%s',
      async (_, law) => {
        if (!broken.has(law)) return
        await fc.assert(
          fc.asyncProperty(scenario, async (written) => law(written, await play(written))),
          { seed, numRuns, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
        )
        throw new Error(`broken once, and not again: ${JSON.stringify(broken.get(law))}`)
      },
      120_000,
    )

    test('every kind of outcome and of event came up', () => {
      for (const kind of EXPECTED_KINDS) expect(tally.kinds.get(kind) ?? 0, kind).toBeGreaterThan(0)
      for (const fact of EXPECTED_FACTS) expect(tally.facts.get(fact) ?? 0, fact).toBeGreaterThan(0)
      expect(tally.turns).toBeGreaterThan(numRuns)
      console.info(`${tally.turns} turns: ${[...tally.kinds].map(([kind, number]) => `${kind} ${number}`).join(', ')}`)
    })
  })
}

function breaks(law: Law, written: WrittenScenario, played: Played): boolean {
  try {
    law(written, played)
    return false
  } catch {
    return true
  }
}
