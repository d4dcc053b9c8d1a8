import { closeSync, constants, openSync, type Stats, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import type Driver from 'better-sqlite3'
import { isOpenToOthers } from '../../runtime/file-fault.ts'
import { LedgerError, notALedger, notPrivate } from '../../runtime/ledger-error.ts'
import { noDriver } from './ledger-fault.ts'
import { bringUpToDate, versionOf } from './ledger-schema.ts'

/**
 * Opens ledgers, and is the only one to know the driver.
 *
 * 1. The driver is an optional peer: it is loaded when the first ledger is opened, and whoever opens none needs none.
 * 2. A file that SQLite may have open in this process is opened by nobody else: closing a second descriptor would take the locks of the first
 *    away (POSIX), and another process could then change the file under it. So what there is to know of it is asked by `stat`.
 * 3. Only its owner may read a ledger, and one that others may open is not written; the two files that SQLite adds beside it while it is
 *    written take over its rights.
 * 4. What is no ledger is not written, not even its journal mode.
 */
type Database = Driver.Database

const load = createRequire(import.meta.url)
const CREATING = constants.O_RDWR | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)
const MODE = 0o600
/** Never changes, so that waiting for it is a pause. */
const NOTHING = new Int32Array(new SharedArrayBuffer(4))
const AGAIN_MS = 2

/** Made when there is none. `waitMs`: how long others are waited for. */
export function openForWriting(path: string, waitMs: number, fsync: boolean): Database {
  const driver = driverFor(path)
  const stands = regularFile(path)
  if (stands === null) closeSync(openSync(path, CREATING, MODE))
  return opened(driver, path, waitMs, (database) => {
    versionOf(database, path)
    if (stands !== null && isOpenToOthers(stands)) throw notPrivate(path)
    // Asked first, as changing it needs the file for oneself. Where a disk has no shared memory it stays as it is, which is slower and as safe.
    if (database.pragma('journal_mode', { simple: true }) !== 'wal') database.pragma('journal_mode = wal')
    database.pragma(`synchronous = ${fsync ? 'FULL' : 'NORMAL'}`)
    bringUpToDate(database, path)
  })
}

/** It may be written meanwhile. Not opened for reading only: who leaves last clears away what SQLite added beside it, and may have to. */
export function openForReading(path: string, waitMs: number): Database {
  statSync(path)
  regularFile(path)
  return opened(driverFor(path), path, waitMs, (database) => {
    database.pragma('query_only = 1')
    versionOf(database, path)
  })
}

function driverFor(path: string): typeof Driver {
  // The driver leaves it out, and would open another file.
  if (path.trimEnd() !== path) throw new LedgerError('ledger_unusable', path, 'the name of the ledger ends in white space', 'Name it otherwise.')
  try {
    const driver: typeof Driver = load('better-sqlite3')
    // It loads its binary only now; without one no file is to be made.
    new driver(':memory:').close()
    return driver
  } catch (error) {
    throw noDriver(path, error)
  }
}

/** SQLite waits by itself for most of what is in the way, though not for two that make a ledger at once: one of them has to come again. */
function opened(driver: typeof Driver, path: string, waitMs: number, prepare: (database: Database) => void): Database {
  const until = performance.now() + waitMs
  for (;;) {
    try {
      return openedNow(driver, path, waitMs, prepare)
    } catch (error) {
      if (!String((error as NodeJS.ErrnoException).code).startsWith('SQLITE_BUSY') || performance.now() >= until) throw error
      Atomics.wait(NOTHING, 0, 0, AGAIN_MS)
    }
  }
}

function openedNow(driver: typeof Driver, path: string, timeout: number, prepare: (database: Database) => void): Database {
  // Whole, as some names mean another thing to the driver.
  const database = new driver(resolve(path), { timeout, fileMustExist: true })
  try {
    prepare(database)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/** Null when there is none. SQLite would wait for the other end of a pipe. */
export function regularFile(path: string): Stats | null {
  const file = statSync(path, { throwIfNoEntry: false })
  if (file === undefined) return null
  if (!file.isFile()) throw notALedger(path)
  return file
}
