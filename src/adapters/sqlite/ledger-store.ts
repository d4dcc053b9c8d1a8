import { rmSync, type Stats, statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { openForWriting, regularFile } from './ledger-database.ts'
import { asDatabaseFault } from './ledger-fault.ts'
import { LedgerRows } from './ledger-rows.ts'

/**
 * A database that is open while it is written.
 *
 * 1. What is written together is one transaction: all of it or nothing is there, also after a kill.
 * 2. After an error the database is let go and opened anew for the next write: what was in the way may be gone by then.
 * 3. Who keeps the database for itself is waited for once; then, until a write comes off, each is tried without waiting. A wait blocks every turn
 *    of the process.
 * 4. One that was moved away or deleted is let go with all that was written to it, and begun anew in its place.
 */
interface Opened {
  readonly database: Database
  readonly rows: LedgerRows
  readonly files: Files
}

/** Which files they were: the database, and what SQLite keeps beside it. */
interface Files {
  readonly ledger: string | null
  readonly log: string | null
  readonly index: string | null
}

export class LedgerStore {
  readonly #path: string
  readonly #writer: string
  readonly #fsync: boolean
  readonly #waitMs: number
  #isWaiting = true
  #opened: Opened | null = null

  constructor(path: string, writer: string, fsync: boolean, waitMs: number) {
    this.#path = path
    this.#writer = writer
    this.#fsync = fsync
    this.#waitMs = waitMs
  }

  /** Throws a LedgerError, and then nothing of it was written. */
  write(enter: (rows: LedgerRows) => void): void {
    try {
      const { database, rows } = this.#current()
      database.transaction(() => enter(rows)).immediate()
      if (!this.#isWaiting) database.pragma(`busy_timeout = ${this.#waitMs}`)
      this.#isWaiting = true
    } catch (error) {
      this.close()
      const fault = asDatabaseFault(this.#path, error, 'append')
      if (fault.code === 'ledger_locked') this.#isWaiting = false
      throw fault
    }
  }

  close(): void {
    this.#opened?.database.close()
    this.#opened = null
  }

  #current(): Opened {
    if (this.#opened !== null && ledgerAt(this.#path) !== this.#opened.files.ledger) this.#leave(this.#opened)
    this.#opened ??= this.#open()
    return this.#opened
  }

  #open(): Opened {
    const database = openForWriting(this.#path, this.#isWaiting ? this.#waitMs : 0, this.#fsync)
    try {
      return { database, rows: new LedgerRows(database, this.#writer), files: filesAt(this.#path) }
    } catch (error) {
      database.close()
      throw error
    }
  }

  /**
   * The file has another name or none, and SQLite goes by the old one: what it keeps beside it has to be brought into the file by hand, and taken
   * away so that it is not taken for that of the next one. Where somebody else has begun the next one with a part of it, both are left alone.
   */
  #leave({ database, files }: Opened): void {
    const there = filesAt(this.#path)
    const areOurs = there.log === files.log && there.index === files.index
    const areOthers = there.log !== files.log && there.index !== files.index
    if (areOurs || areOthers) database.pragma('wal_checkpoint(TRUNCATE)')
    this.close()
    if (areOurs) for (const ending of ['-wal', '-shm']) rmSync(this.#path + ending, { force: true })
  }
}

function filesAt(path: string): Files {
  const beside = (ending: string): string | null => nameOf(statSync(path + ending, { throwIfNoEntry: false }))
  return { ledger: ledgerAt(path), log: beside('-wal'), index: beside('-shm') }
}

function ledgerAt(path: string): string | null {
  return nameOf(regularFile(path) ?? undefined)
}

function nameOf(file: Stats | undefined): string | null {
  return file === undefined ? null : `${file.dev}:${file.ino}`
}
