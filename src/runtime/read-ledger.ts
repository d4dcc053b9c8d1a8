import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isBlank, type ReadBytes, rawLines } from './json-lines.ts'
import { asLedgerError, notALedger } from './ledger-error.ts'
import { type LedgerEntry, ledgerEntryOf, MAX_LEDGER_LINE_BYTES } from './ledger-line.ts'

/**
 * Reads a ledger, whatever bytes it has.
 *
 * 1. A line that ends is an attempt, or it is told with what is wrong with it; the others are read all the same.
 * 2. A last line without an end that is no attempt is torn: its writer was ended, or is writing it now.
 * 3. It takes the time of the length of the file and the memory of its longest line.
 */
export type LedgerLine = Place & (LedgerFound | { readonly kind: 'broken' | 'torn'; readonly problem: string })
type LedgerFound = { readonly kind: 'attempt' } & LedgerEntry

interface Place {
  /** From 1. */
  readonly line: number
  /** Where the line begins, in bytes. */
  readonly from: number
}

export interface OpenedLedger {
  /** Bytes of the file when it was opened. */
  readonly size: number
  /** Once through; lines that are appended meanwhile are among them. The file is closed at the end, and when the reader stops before it. */
  lines(): Generator<LedgerLine, void>
}

const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Throws a LedgerError, and so does reading its lines. */
export function openLedger(path: string): OpenedLedger {
  try {
    const descriptor = openSync(path, READING)
    const file = fstatSync(descriptor)
    if (file.isFile()) return { size: file.size, lines: () => linesOf(path, descriptor) }
    closeSync(descriptor)
    throw notALedger(path)
  } catch (error) {
    throw asLedgerError(path, error, 'read')
  }
}

function* linesOf(path: string, descriptor: number): Generator<LedgerLine, void> {
  try {
    yield* readLedger((into, from) => readSync(descriptor, into, 0, into.length, from))
  } catch (error) {
    throw asLedgerError(path, error, 'read')
  } finally {
    closeSync(descriptor)
  }
}

export function* readLedger(read: ReadBytes): Generator<LedgerLine, void> {
  for (const { bytes, line, from, isEnded } of rawLines(read, MAX_LEDGER_LINE_BYTES)) {
    if (bytes !== null && isBlank(bytes)) continue
    const entry = bytes === null ? { problem: `it has more than ${MAX_LEDGER_LINE_BYTES} bytes` } : ledgerEntryOf(bytes)
    if ('row' in entry) yield { kind: 'attempt', line, from, ...entry }
    else yield { kind: isEnded ? 'broken' : 'torn', line, from, problem: entry.problem }
  }
}
