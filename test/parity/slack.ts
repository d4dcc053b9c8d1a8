import { mismatches } from '../../src/simulate/match.ts'
import type { Scenario, Step } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import type { Trace } from '../../src/simulate/trace.ts'
import { essence } from './essence.ts'
import { deadlineMs } from './expressible.ts'
import { type Chance, seeded } from './seeded.ts'

/**
 * How much later than scripted things may happen before a scenario comes out otherwise.
 *
 * 1. It is measured, not guessed: the scenario is simulated again with its answers, chunks and host steps delayed, each by its own amount.
 * 2. A document that only holds to the millisecond has no slack, and a network cannot be asked to keep it.
 */
const LEVELS_MS = [40_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2]
const VARIANTS: readonly ((chance: Chance, mostMs: number) => Delays)[] = [
  (_, mostMs) => ({ answer: () => mostMs, step: () => 0 }),
  // A request that leaves late starts its deadlines late: seen from there its answer is early.
  (_, mostMs) => ({ answer: () => -mostMs, step: () => 0 }),
  (_, mostMs) => ({ answer: () => 0, step: (place) => (place === 0 ? 0 : mostMs) }),
  (_, mostMs) => ({ answer: () => 0, step: (place) => (place % 2 === 0 ? mostMs : 0) }),
  (chance, mostMs) => ({ answer: () => Math.round(chance() * mostMs), step: () => Math.round(chance() * mostMs) }),
  (chance, mostMs) => ({ answer: () => (chance() < 0.5 ? 0 : mostMs), step: () => (chance() < 0.5 ? 0 : mostMs) }),
]

interface Delays {
  /** Negative: earlier, as far as there is anything to be earlier than. */
  readonly answer: () => number
  /** By the place of the step's instant among all. */
  readonly step: (place: number) => number
}

/** The longest tried delay, in ms of the scenario, that changes nothing but instants; null when even the shortest does. */
export async function slackMs(scenario: Scenario, trace: Trace): Promise<number | null> {
  const expected = essence(trace)
  for (const mostMs of LEVELS_MS) if (await bears(scenario, expected, mostMs)) return mostMs
  return null
}

async function bears(scenario: Scenario, expected: unknown, mostMs: number): Promise<boolean> {
  for (const [index, variant] of VARIANTS.entries()) {
    const { trace } = await simulate(delayed(scenario, variant(seeded(index + 1), mostMs)))
    if (mismatches(expected, essence(trace)).length > 0) return false
  }
  return true
}

function delayed(scenario: Scenario, delays: Delays): Scenario {
  return { ...scenario, script: delayedScript(scenario, delays), steps: delayedSteps(scenario.steps, delays) }
}

function delayedScript(scenario: Scenario, { answer }: Delays): Scenario['script'] {
  const late = (afterMs: number | undefined) => Math.max(0, (afterMs ?? 0) + answer())
  const later = <Item extends { afterMs?: number | undefined }>(item: Item): Item => ({ ...item, afterMs: late(item.afterMs) })
  /** A scripted timeout fails at once; a silent server takes the whole deadline. */
  const kept = <Item extends { afterMs?: number | undefined }>(entry: string, mode: 'call' | 'stream', item: Item): Item => {
    const point = 'timeout' in item ? (item.timeout as Parameters<typeof deadlineMs>[3]) : null
    return point === null ? later(item) : { ...item, afterMs: late(deadlineMs(scenario, entry, mode, point) ?? 0) }
  }
  return Object.fromEntries(
    Object.entries(scenario.script).map(([entry, { call, stream }]) => [
      entry,
      {
        ...(call === undefined ? {} : { call: call.map((item) => kept(entry, 'call', item)) }),
        ...(stream === undefined
          ? {}
          : { stream: stream.map((item) => ('events' in item ? { events: item.events.map(later) } : kept(entry, 'stream', item))) }),
      },
    ]),
  )
}

/** Steps keep their order, and those of one instant stay together: the host takes them in one go. */
function delayedSteps(steps: readonly Step[], { step }: Delays): Step[] {
  const moved = new Map<number, number>()
  let last = 0
  for (const at of [...new Set(steps.map((each) => each.atMs))].sort((left, right) => left - right)) {
    last = Math.max(at + step(moved.size), moved.size === 0 ? 0 : last + 1)
    moved.set(at, last)
  }
  return steps.map((each) => ({ ...each, atMs: moved.get(each.atMs) ?? each.atMs }))
}
