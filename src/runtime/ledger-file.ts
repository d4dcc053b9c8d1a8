import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { isOpenToOthers } from './file-fault.ts'
import { keepIn, keptLedger } from './kept-ledger.ts'
import type { Ledger } from './ledger.ts'
import { type LedgerError, notALedger, notPrivate } from './ledger-error.ts'
import { ledgerLine } from './ledger-line.ts'

/**
 * A ledger in a file that is only appended to: a line when an attempt starts, and one when it ends, which says all of it (R34).
 *
 * 1. `append` and `close` return when the system has taken the line: a process that is killed then loses nothing that it was told. An attempt
 *    that started and never ended was lost with its process. With `fsync` a loss of power loses nothing either.
 * 2. Nothing is ever cut off or changed, and a line is one write: several processes may keep one ledger. A line that was torn is given its end
 *    before the next one is written; cutting it off could hit what another process is writing.
 * 3. No descriptor is held: a file that was moved away, as rotation does, is begun anew.
 * 4. It is for this user only. A file that others may open is not written, which is told with its path; who reads one is not stopped.
 * 5. A line that was missed is not made up for, except that the one of the end says what the one of the start would have.
 */
export interface LedgerFileOptions {
  /** Told why attempts are not being kept; a warning of the process when left out. */
  readonly onError?: ((error: LedgerError) => void) | undefined
  /** Make each line survive a loss of power, at some milliseconds a line. */
  readonly fsync?: boolean | undefined
  /** How many rows of this process `rows()` holds; 1 000 when left out. */
  readonly held?: number | undefined
}

const MODE = 0o600
/** Without blocking: a pipe that stands there does not stop the process. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)
const LINE_FEED = 0x0a

/** A ledger for the port of a kernel. Never throws. `rows()` has the rows of this process; `openLedger` reads the file. */
export function jsonlLedger(path: string, { onError, fsync = false, held }: LedgerFileOptions = {}): Ledger {
  return keptLedger(keepIn(path, onError), held, (event, attempt, row) => appendLine(path, ledgerLine(event, attempt, row), fsync))
}

function appendLine(path: string, line: Buffer, fsync: boolean): void {
  const descriptor = openSync(path, APPENDING, MODE)
  try {
    const file = fstatSync(descriptor)
    if (!file.isFile()) throw notALedger(path)
    if (isOpenToOthers(file)) throw notPrivate(path)
    writeWhole(descriptor, isEnded(descriptor, file.size) ? line : Buffer.concat([Buffer.from('\n'), line]))
    if (fsync) fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Looked at each time: it may be another process that was ended while it wrote. */
function isEnded(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size === 0 || readSync(descriptor, last, 0, 1, size - 1) === 0 || last[0] === LINE_FEED
}

/** A disk that is full takes a part, or nothing and says nothing. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const taken = writeSync(descriptor, bytes, done)
    if (taken === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' })
    done += taken
  }
}
