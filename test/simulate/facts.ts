import type { Scenario } from '../../src/simulate/scenario.ts'
import type { Trace, TurnTrace } from '../../src/simulate/trace.ts'

/**
 * What is always true of the facts that a simulated scenario logs, whatever it expects.
 *
 * 1. Every wait that starts ends, and before the next one.
 * 2. A recovery is told once when something is asked after a stream, with the cause that the outcome names, and never without a stream.
 * 3. A shortening is told once when the answer's history was shortened, never twice, and never without an overflow.
 * 4. A hold that is left at the end was there before or was told.
 */
export class FactWatch {
  readonly #facts: Fact[] = []
  readonly #preset: Scenario['holds']
  readonly logger = { debug: this.#keeper(), info: this.#keeper(), warn: this.#keeper(), error: this.#keeper() }

  constructor(scenario: Pick<Scenario, 'holds'>) {
    this.#preset = scenario.holds
  }

  /** Everything that is wrong with the facts of a scenario that is over, a line each. */
  problems(trace: Trace): readonly string[] {
    return [...trace.turns.flatMap((turn) => this.#turnProblems(turn)), ...this.#holdProblems(trace)]
  }

  #keeper(): (fields: object, message: string) => void {
    return (fields, message) => void this.#facts.push({ ...fields, type: message })
  }

  #turnProblems(turn: TurnTrace): string[] {
    const facts = this.#facts.filter((fact) => fact.turn === turn.id)
    return [waitProblem(facts), recoveryProblem(facts, turn), shorteningProblem(facts, turn)].flatMap((problem) =>
      problem === null ? [] : [`turn ${turn.id}: ${problem}`],
    )
  }

  #holdProblems(trace: Trace): string[] {
    const told = new Set(this.#facts.filter((fact) => fact.type === 'hold.set').map((fact) => fact.hold?.key))
    if (told.has(undefined)) return ['a hold was told that is none']
    return Object.keys(trace.holds).flatMap((key) => (told.has(key) || this.#preset?.[key] !== undefined ? [] : [`the hold on ${key} was not told`]))
  }
}

interface Fact {
  readonly type: string
  readonly turn?: string
  readonly from?: string
  readonly hold?: { readonly key: string } | null
}

function waitProblem(facts: readonly Fact[]): string | null {
  const waits = facts.filter((fact) => fact.type === 'wait.started' || fact.type === 'wait.ended')
  const inTurn = waits.every((fact, index) => fact.type === (index % 2 === 0 ? 'wait.started' : 'wait.ended'))
  return inTurn && waits.length % 2 === 0 ? null : `waits are told as ${waits.map((fact) => fact.type).join(', ')}`
}

function recoveryProblem(facts: readonly Fact[], turn: TurnTrace): string | null {
  const told = facts.filter((fact) => fact.type === 'recovery.started')
  const stream = turn.attempts.findIndex((attempt) => attempt.mode === 'stream')
  if (stream === -1) return told.length === 0 ? null : 'a recovery is told without a stream'
  if (turn.attempts.length > stream + 1 && told.length !== 1) return `${told.length} recoveries are told`
  const from = turn.outcome?.['recoveredFrom'] ?? null
  return from === null || told[0]?.from === from ? null : `a recovery from ${told[0]?.from} is told, and the outcome says ${from}`
}

function shorteningProblem(facts: readonly Fact[], turn: TurnTrace): string | null {
  const told = facts.filter((fact) => fact.type === 'history.shortened').length
  const overflowed = turn.failures.some((failure) => failure.kind === 'context_window')
  if (told > 1) return `a shortening is told ${told} times`
  if (told === 1 && !overflowed) return 'a shortening is told without an overflow'
  return turn.outcome?.['historyShortened'] === true && told === 0 ? 'a shortening is not told' : null
}
