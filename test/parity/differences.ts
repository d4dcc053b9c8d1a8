import { type Mismatch, mismatches } from '../../src/simulate/match.ts'
import type { Trace, TurnTrace } from '../../src/simulate/trace.ts'
import { essence } from './essence.ts'

/** One step of the clock between reading it and being told the time, in real ms. */
const TICK_MS = 2

/**
 * Where a real run came out otherwise than its simulation. What does not depend on time must be equal; a deadline may be later, and a wait
 * for it shorter, by as much as the run itself was late, and not more.
 */
export function differences(simulated: Trace, real: Trace, speed: number): Mismatch[] {
  const latestMs = latenessMs(simulated, real) + TICK_MS * speed
  const earliestMs = -TICK_MS * speed
  const different = mismatches(essence(simulated), essence(real))
  return different.length > 0 ? different : [...holdDifferences(simulated, real, earliestMs, latestMs), ...waitDifferences(simulated, real, latestMs)]
}

/** By how much the latest attempt, wait or end came later than simulated, in ms of the scenario. */
function latenessMs(simulated: Trace, real: Trace): number {
  const planned = simulated.turns.flatMap(instants)
  const actual = real.turns.flatMap(instants)
  return Math.max(0, ...planned.map((at, index) => (actual[index] ?? at) - at))
}

function instants(turn: TurnTrace): number[] {
  return [...turn.attempts.map((attempt) => attempt.atMs), ...turn.waits.map((wait) => wait.atMs), Number(turn.outcome?.['atMs'])]
}

function holdDifferences(simulated: Trace, real: Trace, earliestMs: number, latestMs: number): Mismatch[] {
  const holds = Object.entries(simulated.holds).map(([key, hold]) => ({
    path: `holds.${key}.untilMs`,
    expected: hold.untilMs,
    actual: real.holds[key]?.untilMs,
  }))
  const returns = simulated.turns.map((turn, index) => ({
    path: `turns[${index}].outcome.retryAtMs`,
    expected: turn.outcome?.['retryAtMs'] ?? null,
    actual: real.turns[index]?.outcome?.['retryAtMs'] ?? null,
  }))
  return [...holds, ...returns].filter(({ expected, actual }) => !isWithin(Number(actual) - Number(expected), earliestMs, latestMs))
}

function waitDifferences(simulated: Trace, real: Trace, latestMs: number): Mismatch[] {
  return simulated.turns.flatMap((turn, at) =>
    turn.waits.flatMap((wait, index): Mismatch[] => {
      const actual = real.turns[at]?.waits[index]?.ms
      return isWithin(Number(actual) - wait.ms, -latestMs, latestMs) ? [] : [{ path: `turns[${at}].waits[${index}].ms`, expected: wait.ms, actual }]
    }),
  )
}

function isWithin(value: number, least: number, most: number): boolean {
  return value >= least && value <= most
}
