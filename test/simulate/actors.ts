import type { AnyMachineSnapshot, InspectionEvent } from 'xstate'
import type { Scenario } from '../../src/simulate/scenario.ts'
import type { Trace, TurnTrace } from '../../src/simulate/trace.ts'

/**
 * What is always true of the actors of a simulated scenario, whatever it expects: the state in which an actor ends says the same as the trace.
 *
 * 1. A turn ends in the state of its outcome, a stream in the state of its attempt, on its side of the replay boundary (R27).
 * 2. An engine stands in the state of its hold, and is available without one.
 * 3. The supervisor is choosing without turns, rate limited when all of them wait for a hold, and running otherwise.
 * 4. Nothing is left running, and no engine is left held beyond its hold.
 */
export class ActorWatch {
  readonly #startAt: number
  readonly #seen = new Map<string, Seen[]>([
    ['turn', []],
    ['stream', []],
    ['engine', []],
    ['supervisor', []],
  ])
  readonly #problems: string[] = []

  constructor(scenario: Pick<Scenario, 'startAt'>) {
    this.#startAt = scenario.startAt === undefined ? 0 : Date.parse(scenario.startAt)
  }

  readonly inspect = (event: InspectionEvent): void => {
    if (event.type === '@xstate.event') this.#seenOf(event.actorRef)?.told.push(event.event.type)
    if (event.type !== '@xstate.snapshot') return
    const seen = this.#seenOf(event.actorRef)
    if (seen === undefined) return
    seen.last = event.snapshot as AnyMachineSnapshot
    seen.taken.push(event.event.type)
    if (seen.chart === 'supervisor') this.#checkSupervisor(seen.last, seen.taken)
  }

  /** Everything that is wrong with the actors of a scenario that is over, a line each. */
  problems(trace: Trace): readonly string[] {
    return [
      ...this.#problems,
      ...this.#running(),
      ...paired(
        'turn',
        this.#of('turn').filter((seen) => seen.last !== null),
        trace.turns.filter((turn) => !isUnstarted(turn)),
        turnProblem,
      ),
      ...this.#streamProblems(trace.turns),
      ...this.#of('engine').flatMap((seen) => engineProblem(seen, trace, this.#startAt)),
    ]
  }

  #streamProblems(turns: readonly TurnTrace[]): string[] {
    const results = turns.flatMap((turn) =>
      turn.attempts.filter((attempt) => attempt.mode === 'stream').map((attempt) => ({ at: attempt.atMs, result: attempt.result })),
    )
    const inOrder = results.sort((left, right) => left.at - right.at)
    return paired('stream', this.#of('stream'), inOrder, streamProblem)
  }

  #running(): string[] {
    return ['turn', 'stream', 'supervisor'].flatMap((chart) =>
      this.#of(chart).flatMap((seen) => (seen.last?.status === 'done' ? [] : [`a ${chart} is left ${String(seen.last?.value)}`])),
    )
  }

  #checkSupervisor({ value, context }: AnyMachineSnapshot, taken: readonly string[]): void {
    if (value === 'stopped') return
    const count = (...types: string[]) => taken.filter((each) => types.includes(each)).length
    const inFlight = count('turn.started') - count('xstate.done.actor.turn', 'xstate.error.actor.turn')
    const waiting = count('turn.waiting') - count('turn.resumed')
    const counted = context as { inFlight: number; waiting: number }
    if (counted.inFlight !== inFlight || counted.waiting !== waiting) {
      this.#problems.push(`the supervisor counts ${counted.waiting} of ${counted.inFlight} turns waiting, and it is ${waiting} of ${inFlight}`)
    }
    const expected = inFlight === 0 ? 'choosing' : waiting === inFlight ? 'rateLimited' : 'running'
    if (value !== expected) this.#problems.push(`the supervisor is ${String(value)} with ${waiting} of ${inFlight} turns waiting`)
  }

  #of(chart: string): readonly Seen[] {
    return this.#seen.get(chart) ?? []
  }

  #seenOf(actor: Actor): Seen | undefined {
    const chart = (actor as { logic?: { id?: string } }).logic?.id ?? ''
    const all = this.#seen.get(chart)
    if (all === undefined) return undefined
    const present = all.find((seen) => seen.actor === actor)
    if (present !== undefined) return present
    const seen: Seen = { chart, actor, told: [], taken: [], last: null }
    all.push(seen)
    return seen
  }
}

type Actor = InspectionEvent['actorRef']

interface Seen {
  readonly chart: string
  readonly actor: Actor
  /** Events that were sent to it, and those that it has taken. */
  readonly told: string[]
  readonly taken: string[]
  last: AnyMachineSnapshot | null
}

const STATE_OF_OUTCOME: Readonly<Record<string, string>> = {
  ok: 'served',
  incomplete: 'served',
  interrupted: 'interrupted',
  refused: 'refused',
  cancelled: 'cancelled',
}
const STATE_OF_HOLD: Readonly<Record<string, string>> = { cooldown: 'cooling', limit: 'limited', outage: 'unreachable' }

/** A turn that could not be planned, or was cancelled in the instant of its start, has no actor. */
function isUnstarted(turn: TurnTrace): boolean {
  const kind = turn.outcome?.['kind']
  return kind === 'config_error' || (kind === 'cancelled' && turn.attempts.length === 0 && turn.waits.length === 0)
}

function paired<Expected>(
  chart: string,
  actors: readonly Seen[],
  expected: readonly Expected[],
  problemOf: (seen: Seen, expected: Expected) => string | null,
): string[] {
  if (actors.length !== expected.length) return [`${actors.length} actors of ${chart} for ${expected.length} in the trace`]
  return expected.flatMap((each, index) => problemOf(actors[index] as Seen, each) ?? [])
}

function turnProblem({ last }: Seen, turn: TurnTrace): string | null {
  const kind = String(turn.outcome?.['kind'])
  const state = STATE_OF_OUTCOME[kind] ?? 'exhausted'
  return last?.value === state ? null : `turn ${turn.id} came to ${kind} and its actor to ${String(last?.value)}`
}

function streamProblem({ last, told }: Seen, { result }: { result: string | null }): string | null {
  const states = statesOf(result, told.includes('output.committed'))
  return states.includes(String(last?.value)) ? null : `a stream came to ${result} and its actor to ${String(last?.value)}`
}

/** A refusal is an end in order, with words or without (R22); any other failure depends on the boundary. */
function statesOf(result: string | null, committed: boolean): readonly string[] {
  if (result === 'ok' || result === 'incomplete') return ['finished']
  if (result === 'empty' || result === 'cancelled') return [result]
  if (result === 'refusal') return ['finished', 'empty']
  return [committed ? 'interrupted' : 'truncated']
}

function engineProblem({ last }: Seen, trace: Trace, startAt: number): string[] {
  if (last === null) return []
  const { key, hold } = last.context as { key: string; hold: { reason: string; untilAt: number } | null }
  const state = hold === null ? 'available' : (STATE_OF_HOLD[hold.reason] ?? '')
  if (last.value !== state) return [`engine ${key} is ${String(last.value)} with ${hold?.reason ?? 'no hold'}`]
  const reason = trace.holds[key]?.reason
  if (reason !== undefined && hold?.reason !== reason) return [`engine ${key} has ${hold?.reason ?? 'no hold'} and the trace ${reason}`]
  const lastEnd = Math.max(0, ...trace.turns.map((turn) => Number(turn.outcome?.['atMs'] ?? 0)))
  return hold !== null && hold.untilAt - startAt < lastEnd ? [`engine ${key} is held beyond its hold`] : []
}
