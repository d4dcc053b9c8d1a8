import { createRequire } from 'node:module'
import { join } from 'node:path'
import type Driver from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { openSqliteLedger } from '../../../src/adapters/sqlite/read-sqlite-ledger.ts'
import { type SqliteLedger, type SqliteLedgerOptions, sqliteLedger } from '../../../src/adapters/sqlite/sqlite-ledger.ts'
import type { LedgerRow } from '../../../src/model/usage.ts'
import type { LedgerError } from '../../../src/runtime/ledger-error.ts'
import { folder } from '../../runtime/ledger-file/rig.ts'

/** Why the driver cannot be used here, null where it can: it is an optional peer with a binary that an install may have left out. */
export const absent: string | null = (() => {
  try {
    ;new (driver())(':memory:').close()
    return null
  } catch (error) {
    return `skipped: better-sqlite3 does not load here (${String(error).split('\n', 1)[0]})`
  }
})()
if (absent !== null) console.log(absent)

/** The driver itself, to look at a database as a person does. */
function driver(): typeof Driver {
  return createRequire(import.meta.url)('better-sqlite3')
}

export function raw(path: string, options: Driver.Options = {}): Driver.Database {
  const database = new (driver())(path, options)
  onTestFinished(() => void database.close())
  return database
}

const refuse = (error: LedgerError): never => {
  throw error
}

export const databaseFile = () => join(folder(), 'ledger.db')

export function kept(path: string, options: SqliteLedgerOptions = {}): SqliteLedger {
  const ledger = sqliteLedger(path, { onError: refuse, ...options })
  onTestFinished(() => ledger.release())
  return ledger
}

/** Rows in the database, in order of start. */
export function rowsIn(path: string): LedgerRow[] {
  return [...openSqliteLedger(path).lines()].map((line) => {
    if (line.kind !== 'attempt') throw new Error(line.problem)
    return line.row
  })
}
