import type { AttemptResult, Bill, LedgerRow } from '../model/usage.ts'

/** Where attempts are entered (R34). A row is appended when its attempt starts and closed once; one that comes with its end is entered whole. */
export interface Ledger {
  append(row: LedgerRow): void
  close(turn: string, n: number, close: RowClose): void
  /** Rows in order of start; a bounded ledger has only the latest. */
  rows(): readonly LedgerRow[]
}

export interface RowClose extends Bill {
  readonly iteration: number | null
  readonly endedAt: number
  readonly outcome: AttemptResult
  readonly accepted: boolean
}

const DEFAULT_LIMIT = 1_000

/**
 * A ledger in memory that keeps the latest `limit` rows (1 000 by default), so that a long-lived kernel does not grow. A turn whose name was
 * used before adds rows and replaces none.
 */
export function memoryLedger(limit = DEFAULT_LIMIT): Ledger {
  /** A ring once it is full: the row of place p stands at p modulo the limit. */
  const rows: LedgerRow[] = []
  const open = new Map<string, number>()
  let appended = 0
  return {
    append(row) {
      const place = appended++
      rows[place % limit] = row
      if (row.endedAt === null) open.set(attemptKey(row.turn, row.n), place)
    },
    close(turn, n, close) {
      const key = attemptKey(turn, n)
      const place = open.get(key)
      if (place === undefined) return
      open.delete(key)
      if (place >= appended - limit) rows[place % limit] = closedRow(rows[place % limit] as LedgerRow, close)
    },
    rows() {
      const oldest = Math.max(0, appended - limit) % limit
      return [...rows.slice(oldest), ...rows.slice(0, oldest)]
    },
  }
}

/** A row with its end. Field by field, since it is made for each attempt, and spreads are dear. */
export function closedRow(row: LedgerRow, close: RowClose): LedgerRow {
  return {
    turn: row.turn,
    n: row.n,
    iteration: close.iteration,
    ...(row.participant === undefined ? undefined : { participant: row.participant }),
    ...(row.caller === undefined ? undefined : { caller: row.caller }),
    requested: row.requested,
    profile: row.profile,
    model: row.model,
    mode: row.mode,
    startedAt: row.startedAt,
    endedAt: close.endedAt,
    outcome: close.outcome,
    accepted: close.accepted,
    usage: close.usage,
    costPicoUsd: close.costPicoUsd,
    cost: close.cost,
    costBasis: close.costBasis,
    price: close.price,
    reportedPicoUsd: close.reportedPicoUsd,
  }
}

/** Tells the attempts of a process apart. */
export function attemptKey(turn: string, n: number): string {
  return `${n} ${turn}`
}
