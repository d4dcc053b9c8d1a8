import type { Hold } from '../../model/hold.ts'
import { keepIn, keptLedger } from '../../runtime/kept-ledger.ts'
import type { Ledger } from '../../runtime/ledger.ts'
import type { LedgerFileOptions } from '../../runtime/ledger-file.ts'
import { LedgerStore } from './ledger-store.ts'

export interface SqliteLedgerOptions extends LedgerFileOptions {
  /** How long another process is waited for that keeps the database for itself, in milliseconds; 5 000 when left out. All turns wait with it. */
  readonly busyTimeoutMs?: number | undefined
}

export interface SqliteLedger extends Ledger {
  /** Enters those of the holds in force that it has not entered yet, as what was limited when; for `kernel.holds$`. */
  enterHolds(holds: readonly Hold[], at?: number): void
  /** Lets go of the file. What is entered later opens it again. */
  release(): void
}

const BUSY_TIMEOUT_MS = 5_000

/**
 * A ledger in a SQLite database, for who asks a ledger more than sums (R34). Needs the package `better-sqlite3`.
 *
 * 1. `append` and `close` return when the row is in the database: a process that is killed then loses nothing that it was told. With `fsync` a loss
 *    of power loses nothing either; without it, it may cost the last rows and never the database.
 * 2. Several processes may keep one ledger.
 * 3. Never throws: see kept-ledger.ts.
 */
export function sqliteLedger(path: string, options: SqliteLedgerOptions = {}): SqliteLedger {
  const { onError, fsync = false, held, busyTimeoutMs = BUSY_TIMEOUT_MS } = options
  const store = new LedgerStore(path, globalThis.crypto.randomUUID().slice(0, 13), fsync, busyTimeoutMs)
  const keep = keepIn(path, onError)
  let entered = new Map<string, number>()
  return {
    ...keptLedger(keep, held, (event, attempt, row) => store.write((rows) => rows.enter(event, attempt, row))),
    enterHolds(holds, at = Date.now()) {
      const fresh = holds.filter(({ key, untilAt }) => entered.get(key) !== untilAt)
      if (fresh.length === 0) return
      keep(() => {
        store.write((rows) => {
          for (const hold of fresh) rows.enterHold(hold, at)
        })
        entered = new Map(holds.map(({ key, untilAt }) => [key, untilAt]))
      })
    },
    release: () => store.close(),
  }
}
