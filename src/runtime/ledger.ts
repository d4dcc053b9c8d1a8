import type { AttemptResult, LedgerRow, Usage } from '../model/usage.ts'

/** Where attempts are entered (R34). A row is appended when its attempt starts and closed once. */
export interface Ledger {
  append(row: LedgerRow): void
  close(turn: string, n: number, close: RowClose): void
  /** Rows in order of start; a bounded ledger has only the latest. */
  rows(): readonly LedgerRow[]
}

export interface RowClose {
  readonly endedAt: number
  readonly outcome: AttemptResult
  readonly accepted: boolean
  readonly usage: Usage | null
  readonly cost: number | null
}

const DEFAULT_LIMIT = 1_000

/** A ledger in memory that keeps the latest `limit` rows (1 000 by default), so that a long-lived kernel does not grow. */
export function memoryLedger(limit = DEFAULT_LIMIT): Ledger {
  const rows = new Map<string, LedgerRow>()
  return {
    append(row) {
      rows.set(keyOf(row.turn, row.n), row)
      if (rows.size > limit) rows.delete(rows.keys().next().value as string)
    },
    close(turn, n, close) {
      const key = keyOf(turn, n)
      const row = rows.get(key)
      if (row !== undefined && row.outcome === null) rows.set(key, { ...row, ...close })
    },
    rows: () => [...rows.values()],
  }
}

function keyOf(turn: string, n: number): string {
  return `${n} ${turn}`
}
