import type { Database, Statement } from 'better-sqlite3'
import type { Hold } from '../../model/hold.ts'
import type { LedgerRow } from '../../model/usage.ts'
import { keptInstant, type LedgerEvent } from '../../runtime/ledger-line.ts'

/** A column of SQLite. */
type Value = string | number | bigint | null

/** The largest whole number that SQLite keeps. */
const LARGEST = 2n ** 63n - 1n

/**
 * Enters attempts and holds into an open ledger. Each call is a part of the transaction that its caller began.
 *
 * 1. An attempt that ends is closed where it was begun, or entered whole where its beginning was missed.
 * 2. A turn is entered with its first attempt. Later ones find it by its name, among those of the same writer: a caller may use a name again.
 */
export class LedgerRows {
  readonly #writer: string
  readonly #findTurn: Statement<[Value, Value, Value, Value, Value], number>
  readonly #addTurn: Statement<[Value, Value, Value, Value, Value]>
  readonly #addAttempt: Statement<Record<string, Value>>
  readonly #endAttempt: Statement<Record<string, Value>>
  readonly #addUsage: Statement<Record<string, Value>>
  readonly #addHold: Statement<[Value, Value, Value, Value]>

  /** `writer` names who enters, among all of all processes. */
  constructor(database: Database, writer: string) {
    this.#writer = writer
    this.#findTurn = database
      .prepare<[Value, Value, Value, Value, Value], number>(
        'SELECT id FROM turn WHERE writer = ? AND turn = ? AND participant IS ? AND requested_profile = ? AND requested_model = ? ORDER BY id DESC LIMIT 1',
      )
      .pluck()
    this.#addTurn = database.prepare('INSERT INTO turn (writer, turn, participant, requested_profile, requested_model) VALUES (?, ?, ?, ?, ?)')
    this.#addAttempt = database.prepare(
      `INSERT INTO attempt (attempt, turn_id, n, provider_ref, model, mode, started_at, ended_at, outcome, accepted, cost_pico_usd)
       VALUES (@attempt, @turnId, @n, @profile, @model, @mode, @startedAt, @endedAt, @outcome, @accepted, @cost)`,
    )
    this.#endAttempt = database.prepare(
      'UPDATE attempt SET ended_at = @endedAt, outcome = @outcome, accepted = @accepted, cost_pico_usd = @cost WHERE attempt = @attempt',
    )
    this.#addUsage = database.prepare(
      'INSERT INTO usage (attempt_id, input, cached_input, output) SELECT id, @input, @cachedInput, @output FROM attempt WHERE attempt = @attempt',
    )
    this.#addHold = database.prepare('INSERT INTO limit_event (at, hold_key, reason, until_at) VALUES (?, ?, ?, ?)')
  }

  enter(event: LedgerEvent, attempt: string, row: LedgerRow): void {
    const end = endOf(attempt, row)
    if (event === 'attempt.started' || this.#endAttempt.run(end).changes === 0) {
      const { n, profile, model, mode } = row
      this.#addAttempt.run({ ...end, turnId: this.#turnOf(row), n, profile, model, mode, startedAt: keptInstant(row.startedAt) })
    }
    if (row.usage === null) return
    const { input, cachedInput, output } = row.usage
    this.#addUsage.run({ attempt, input: keptCount(input), cachedInput: keptCount(cachedInput), output: keptCount(output) })
  }

  enterHold({ key, reason, untilAt }: Hold, at: number): void {
    this.#addHold.run(keptInstant(at), key, reason, keptInstant(untilAt))
  }

  #turnOf({ turn, n, participant, requested }: LedgerRow): number | bigint {
    const asked: [Value, Value, Value, Value, Value] = [this.#writer, turn, participant ?? null, requested.profile, requested.model]
    const found = n === 1 ? undefined : this.#findTurn.get(...asked)
    return found ?? this.#addTurn.run(...asked).lastInsertRowid
  }
}

function endOf(attempt: string, { endedAt, outcome, accepted, costPicoUsd }: LedgerRow): Record<string, Value> {
  return { attempt, endedAt: endedAt === null ? null : keptInstant(endedAt), outcome, accepted: accepted ? 1 : 0, cost: keptCost(costPicoUsd) }
}

/** What an engine that was handed in tells may be no count; it is unknown then, and the attempt is entered all the same. */
function keptCount(count: number | undefined): number | null {
  return count !== undefined && Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** A cost past nine million dollars is not kept: another amount in its place would be wrong. */
function keptCost(pico: number | null): bigint | null {
  if (pico === null || !Number.isInteger(pico)) return null
  const whole = BigInt(pico)
  return whole > LARGEST || whole < -LARGEST ? null : whole
}
