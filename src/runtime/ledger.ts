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
  const rows = new Map<number, LedgerRow>()
  const open = new Map<string, number>()
  let appended = 0
  return {
    append(row) {
      const place = appended++
      rows.set(place, row)
      if (row.endedAt === null) open.set(keyOf(row.turn, row.n), place)
      if (rows.size > limit) rows.delete(rows.keys().next().value as number)
    },
    close(turn, n, close) {
      const key = keyOf(turn, n)
      const place = open.get(key)
      if (place === undefined) return
      open.delete(key)
      const row = rows.get(place)
      if (row !== undefined) rows.set(place, { ...row, ...close })
    },
    rows: () => [...rows.values()],
  }
}

function keyOf(turn: string, n: number): string {
  return `${n} ${turn}`
}
