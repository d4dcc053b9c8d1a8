import type { LedgerRow } from '../model/usage.ts'
import { keptRow } from './kept-row.ts'
import { attemptKey, closedRow, type Ledger, memoryLedger } from './ledger.ts'
import { asLedgerError, type LedgerError } from './ledger-error.ts'
import type { LedgerEvent } from './ledger-line.ts'

/**
 * What every ledger in a file has in common, whatever the file is.
 *
 * 1. An attempt is entered when it starts, and again when it ends, then with all of it: what was missed at the start the end brings.
 * 2. Nothing is thrown: a ledger that cannot be written costs no turn its answer. Why it cannot is told once, until something is entered again.
 */

/** Carries out what enters something, and never throws. */
export type Keep = (enter: () => void) => void

/** `onError` is told why attempts are not being kept; a warning of the process when left out. */
export function keepIn(path: string, onError: (error: LedgerError) => void = warn): Keep {
  let told: string | null = null
  return (enter) => {
    try {
      enter()
      told = null
    } catch (cause) {
      const error = asLedgerError(path, cause, 'append')
      if (error.code !== told) tell(onError, error)
      told = error.code
    }
  }
}

/** A ledger whose attempts `enter` puts into a file, each as one can keep it. `attempt` names one among all of all processes. */
export function keptLedger(keep: Keep, held: number | undefined, enter: (event: LedgerEvent, attempt: string, row: LedgerRow) => void): Ledger {
  const memory = memoryLedger(held)
  const open = new Map<string, { readonly attempt: string; readonly row: LedgerRow }>()
  const prefix = globalThis.crypto.randomUUID().slice(0, 13)
  let appended = 0
  return {
    append(row) {
      memory.append(row)
      const attempt = `${prefix}-${++appended}`
      if (row.endedAt !== null) return keep(() => enter('attempt.ended', attempt, keptRow(row)))
      open.set(attemptKey(row.turn, row.n), { attempt, row })
      keep(() => enter('attempt.started', attempt, keptRow(row)))
    },
    close(turn, n, close) {
      memory.close(turn, n, close)
      const started = open.get(attemptKey(turn, n))
      if (started === undefined) return
      open.delete(attemptKey(turn, n))
      keep(() => enter('attempt.ended', started.attempt, keptRow(closedRow(started.row, close))))
    },
    rows: () => memory.rows(),
  }
}

/** A listener that throws has been told all the same. */
function tell(onError: (error: LedgerError) => void, error: LedgerError): void {
  try {
    onError(error)
  } catch {}
}

function warn(error: LedgerError): void {
  process.emitWarning(error)
}
