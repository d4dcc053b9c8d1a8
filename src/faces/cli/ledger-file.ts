import { dirname, isAbsolute, join } from 'node:path'
import { jsonlLedger, type LedgerError } from '../../host.ts'
import type { Kernel, Ledger, Settings } from '../../index.ts'
import { sqliteLedger } from '../../sqlite.ts'
import { isObject } from './batch.ts'

/** Attempts as they are kept where the settings say. */
export interface KeptLedger {
  readonly ledger: Ledger
  /** Enters the holds of the kernel, too, where the ledger has a place for them. */
  follow(kernel: Kernel): void
  /** Lets go of the file, and of the kernel. */
  release(): void
}

/** The ledger of these settings, which stand in the file `path`; null where they name none. Never throws: `onError` is told why attempts are not being kept. */
export function keptLedgerOf({ jsonl, sqlite }: Settings['ledger'], path: string, onError: (error: LedgerError) => void): KeptLedger | null {
  if (jsonl !== null) return { ledger: jsonlLedger(ledgerPath(path, jsonl), { onError }), follow() {}, release() {} }
  if (sqlite === null) return null
  const ledger = sqliteLedger(ledgerPath(path, sqlite), { onError })
  let leave = (): void => {}
  return {
    ledger,
    follow(kernel) {
      const entering = kernel.holds$.subscribe((holds) => ledger.enterHolds(holds))
      leave = () => entering.unsubscribe()
    },
    release() {
      leave()
      ledger.release()
    },
  }
}

/** Where the settings of the file `path` keep a ledger; null where they name none, or something that is none. */
export function writtenLedger(path: string, written: unknown): string | null {
  const named = isObject(written) && isObject(written['ledger']) ? [written['ledger']['jsonl'], written['ledger']['sqlite']] : []
  const file = named.find((each): each is string => typeof each === 'string' && each !== '')
  return file === undefined ? null : ledgerPath(path, file)
}

/** A ledger is meant from the settings file on, as that is where somebody wrote the path. */
function ledgerPath(settings: string, written: string): string {
  return isAbsolute(written) ? written : join(dirname(settings), written)
}
