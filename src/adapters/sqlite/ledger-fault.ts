import { accessSync, constants } from 'node:fs'
import { dirname } from 'node:path'
import { asLedgerError, LedgerError, type LedgerErrorCode } from '../../runtime/ledger-error.ts'

type Use = 'read' | 'append'
type Fault = readonly [code: LedgerErrorCode, what: string, remedy: string]

const NOT_A_LEDGER: Fault = ['ledger_not_a_ledger', 'the file is no ledger', 'Name another file, or take this one away.']
const DAMAGED: Fault = ['ledger_damaged', 'the ledger is damaged', 'Name another one, and save what is left with `sqlite3 FILE .recover`.']
const LOCKED: Fault = ['ledger_locked', 'another program keeps the ledger for itself', 'End what has begun a transaction in it.']
const NOT_INSTALLED: Fault = [
  'ledger_no_driver',
  'the ledger needs `better-sqlite3`, which is not installed',
  'Run `npm install better-sqlite3@12` where relevo is installed, or keep the ledger in `ledger.jsonl`.',
]
const NOT_LOADED: Fault = [
  'ledger_no_driver',
  '`better-sqlite3` does not load: its binary is missing, or made for another Node',
  'Run `npm rebuild better-sqlite3` where relevo is installed, or keep the ledger in `ledger.jsonl`.',
]
const NO_ROOM: Fault = ['ledger_disk_full', 'there is no room for another attempt', 'Make room; every attempt before it is kept.']
/** A file may be too long, or the disk broken: SQLite does not say which. */
const NOT_TAKEN: Fault = ['ledger_unusable', 'the disk of the ledger did not take a write', 'Make room on it, or look after it.']

/** SQLite's own code → words; a longer code falls back to its stem. */
const FAULTS: Readonly<Record<string, Fault>> = {
  SQLITE_NOTADB: NOT_A_LEDGER,
  SQLITE_CORRUPT: DAMAGED,
  SQLITE_BUSY: LOCKED,
  SQLITE_LOCKED: LOCKED,
  SQLITE_FULL: NO_ROOM,
  SQLITE_IOERR_WRITE: NOT_TAKEN,
  SQLITE_IOERR_SHMSIZE: NOT_TAKEN,
}

/** What SQLite or the system says of a database, in words. */
export function asDatabaseFault(path: string, error: unknown, use: Use): LedgerError {
  if (LedgerError.isInstance(error)) return error
  const code = String((error as NodeJS.ErrnoException | null)?.code ?? '')
  const fault = FAULTS[code] ?? FAULTS[code.split('_', 2).join('_')]
  if (fault !== undefined) return new LedgerError(...at(path, fault), error)
  // Which right is missing, and of what, SQLite does not say. The file itself may not be opened to see: ledger-database.ts, 2.
  const denied = /^SQLITE_(?:READONLY|CANTOPEN|PERM|AUTH)/.test(code) ? deniedBy(path, use) : null
  return asLedgerError(path, denied ?? error, use)
}

function at(path: string, [code, what, remedy]: Fault): [LedgerErrorCode, string, string, string] {
  return [code, path, what, remedy]
}

/** A reader needs the folder, too: a database that is being written has two more files there. */
function deniedBy(path: string, use: Use): unknown {
  try {
    accessSync(path, use === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK)
    accessSync(dirname(path), constants.W_OK)
    return null
  } catch (error) {
    return error
  }
}

/** A database, or another file, that is not for us to write. */
export function notOurs(path: string): LedgerError {
  return new LedgerError(...at(path, NOT_A_LEDGER))
}

export function laterVersion(path: string, version: number, known: number): LedgerError {
  const what = `the ledger has version ${version}, and this relevo knows up to ${known}`
  return new LedgerError('ledger_later_version', path, what, 'Update relevo, or name another file.')
}

/** Why there is no driver. */
export function noDriver(path: string, error: unknown): LedgerError {
  const { code, message } = error as NodeJS.ErrnoException
  const isMissing = code === 'MODULE_NOT_FOUND' && message.includes("'better-sqlite3'")
  return new LedgerError(...at(path, isMissing ? NOT_INSTALLED : NOT_LOADED), error)
}
