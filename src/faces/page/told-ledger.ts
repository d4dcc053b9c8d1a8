import { attemptKey, closedRow } from '../../host.ts'
import type { Ledger, LedgerRow } from '../../index.ts'

/** The ledger, and `tell` is told each attempt that is closed in it. */
export function toldLedger(ledger: Ledger, tell: (row: LedgerRow) => void): Ledger {
  const open = new Map<string, LedgerRow>()
  return {
    append(row) {
      ledger.append(row)
      if (row.endedAt === null) open.set(attemptKey(row.turn, row.n), row)
      else tell(row)
    },
    close(turn, n, close) {
      ledger.close(turn, n, close)
      const key = attemptKey(turn, n)
      const row = open.get(key)
      if (row === undefined) return
      open.delete(key)
      tell(closedRow(row, close))
    },
    rows: () => ledger.rows(),
  }
}
