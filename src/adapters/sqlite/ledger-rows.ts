import type { Database, Statement } from 'better-sqlite3'
import type { Hold } from '../../model/hold.ts'
import type { LedgerRow } from '../../model/usage.ts'
import { keptInstant } from '../../runtime/kept-row.ts'
import type { LedgerEvent } from '../../runtime/ledger-line.ts'

/** A column of SQLite. */
type Value = string | number | bigint | null
/** What a turn is entered by and found by. */
type Asked = [writer: string, turn: string, participant: string | null, caller: string | null, profile: string, model: string]

/**
 * Enters attempts and holds into an open ledger. Each call is a part of the transaction that its caller began.
 *
 * 1. An attempt that ends is closed where it was begun, or entered whole where its beginning was missed.
 * 2. A turn is entered with its first attempt. Later ones find it by its name, among those of the same writer: a caller may use a name again.
 */
export class LedgerRows {
  readonly #writer: string
  readonly #findTurn: Statement<Asked, number>
  readonly #addTurn: Statement<Asked>
  readonly #addAttempt: Statement<Record<string, Value>>
  readonly #endAttempt: Statement<Record<string, Value>>
  readonly #addUsage: Statement<Record<string, Value>>
  readonly #addHold: Statement<[Value, Value, Value, Value]>

  /** `writer` names who enters, among all of all processes. */
  constructor(database: Database, writer: string) {
    this.#writer = writer
    this.#findTurn = database
      .prepare<Asked, number>(
        'SELECT id FROM turn WHERE writer = ? AND turn = ? AND participant IS ? AND caller IS ? AND requested_profile = ? AND requested_model = ? ORDER BY id DESC LIMIT 1',
      )
      .pluck()
    this.#addTurn = database.prepare(
      'INSERT INTO turn (writer, turn, participant, caller, requested_profile, requested_model) VALUES (?, ?, ?, ?, ?, ?)',
    )
    this.#addAttempt = database.prepare(
      `INSERT INTO attempt (attempt, turn_id, n, provider_ref, model, mode, started_at, ${Object.keys(END_COLUMNS).join(', ')})
       VALUES (@attempt, @turnId, @n, @profile, @model, @mode, @startedAt, ${Object.values(END_COLUMNS).join(', ')})`,
    )
    const sets = Object.entries(END_COLUMNS).map(([column, value]) => `${column} = ${value}`)
    this.#endAttempt = database.prepare(`UPDATE attempt SET ${sets.join(', ')} WHERE attempt = @attempt`)
    this.#addUsage = database.prepare(
      'INSERT INTO usage (attempt_id, input, cached_input, output) SELECT id, @input, @cachedInput, @output FROM attempt WHERE attempt = @attempt',
    )
    this.#addHold = database.prepare('INSERT INTO limit_event (at, hold_key, reason, until_at) VALUES (?, ?, ?, ?)')
  }

  enter(event: LedgerEvent, attempt: string, row: LedgerRow): void {
    const end = endOf(attempt, row)
    if (event === 'attempt.started' || this.#endAttempt.run(end).changes === 0) {
      const { n, profile, model, mode } = row
      this.#addAttempt.run({ ...end, turnId: this.#turnOf(row), n, profile, model, mode, startedAt: row.startedAt })
    }
    if (row.usage === null) return
    const { input, cachedInput, output } = row.usage
    this.#addUsage.run({ attempt, input: input ?? null, cachedInput: cachedInput ?? null, output: output ?? null })
  }

  enterHold({ key, reason, untilAt }: Hold, at: number): void {
    this.#addHold.run(keptInstant(at), key, reason, keptInstant(untilAt))
  }

  #turnOf({ turn, n, iteration, participant, caller, requested }: LedgerRow): number | bigint {
    const asked: Asked = [this.#writer, turn, participant ?? null, caller ?? null, requested.profile, requested.model]
    const isFirst = n === 1 && (iteration ?? 1) === 1
    const found = isFirst ? undefined : this.#findTurn.get(...asked)
    return found ?? this.#addTurn.run(...asked).lastInsertRowid
  }
}

/** What the end of an attempt says, by column. */
const END_COLUMNS = {
  iteration: '@iteration',
  ended_at: '@endedAt',
  outcome: '@outcome',
  accepted: '@accepted',
  cost_pico_usd: '@cost',
  cost_basis: '@costBasis',
  price_source: '@priceSource',
  price_version: '@priceVersion',
  price_model: '@priceModel',
  reported_pico_usd: '@reported',
}

function endOf(attempt: string, row: LedgerRow): Record<string, Value> {
  const { iteration, endedAt, outcome, accepted, costPicoUsd, costBasis, price, reportedPicoUsd } = row
  return {
    attempt,
    iteration,
    endedAt,
    outcome,
    accepted: accepted ? 1 : 0,
    cost: costPicoUsd,
    costBasis,
    priceSource: price?.source ?? null,
    priceVersion: price?.version ?? null,
    priceModel: price?.model ?? null,
    reported: reportedPicoUsd,
  }
}
