import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readScenario, type Scenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import type { Trace } from '../../src/simulate/trace.ts'
import { protocolsFor, whyNot } from './expressible.ts'
import type { Protocols } from './real-run.ts'
import { seeded, shuffled } from './seeded.ts'
import { slackMs } from './slack.ts'

/** What a busy machine may take for one answer, one chunk or one step of the host, in real ms. A scenario runs slowly enough to bear it. */
const LATENESS_MS = 800
/** The longest that one scenario may then take, in real ms. */
const LONGEST_MS = 6000
const FASTEST = 50

export interface Chosen {
  readonly scenario: Scenario
  readonly title: string
  readonly simulated: Trace
  readonly protocols: Protocols
  /** How many times faster than scripted it runs. */
  readonly speed: number
}

export interface Choice {
  readonly chosen: readonly Chosen[]
  /** Reason → ids of the documents that it took out, of those that were looked at. */
  readonly skipped: ReadonlyMap<string, readonly string[]>
}

/** The first `count` documents, in an order that `seed` decides, that can be run over a network and come out the same. */
export async function choose(folders: readonly string[], count: number, seed: number): Promise<Choice> {
  const chosen: Chosen[] = []
  const skipped = new Map<string, string[]>()
  for (const document of shuffled(folders.flatMap(inScope), seeded(seed))) {
    if (chosen.length === count) break
    const read = readScenario(document)
    if ('problems' in read) throw new Error(`${document.id} cannot be read: ${JSON.stringify(read.problems)}`)
    const looked = await lookAt(read.scenario, chosen.length)
    if (typeof looked === 'string') skipped.set(looked, [...(skipped.get(looked) ?? []), document.id])
    else chosen.push({ ...looked, title: `${document.rules.join(' ')} ${document.id}: ${document.title}` })
  }
  return { chosen, skipped }
}

async function lookAt(scenario: Scenario, place: number): Promise<Omit<Chosen, 'title'> | string> {
  const { trace } = await simulate(scenario)
  const problem = whyNot(scenario, trace)
  if (problem !== null) return problem
  const protocols = protocolsFor(scenario, place)
  if (protocols === null) return 'has one profile whose script no single protocol has words for'
  const slack = await slackMs(scenario, trace)
  if (slack === null) return 'comes out otherwise when anything is 2 ms late'
  const speed = Math.min(FASTEST, slack / LATENESS_MS)
  const longest = lengthMs(scenario, trace) / speed
  if (longest > LONGEST_MS) return `would take longer than ${LONGEST_MS} ms at a speed that bears ${LATENESS_MS} ms of lateness`
  return { scenario, simulated: trace, protocols, speed }
}

function lengthMs(scenario: Scenario, trace: Trace): number {
  const steps = scenario.steps.map((step) => step.atMs + ('advance' in step ? step.advance : 0))
  const ends = trace.turns.map((turn) => Number(turn.outcome?.['atMs'] ?? 0))
  return Math.max(0, ...steps, ...ends)
}

interface Document {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
}

function inScope(folder: string): Document[] {
  const files = readdirSync(folder).sort()
  const documents = files.flatMap((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Document[])
  return documents.filter(({ rules }) => rules.every((rule) => rule !== 'R11' && Number(rule.slice(1)) <= 34))
}
