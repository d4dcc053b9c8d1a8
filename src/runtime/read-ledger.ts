import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { isBlank, type ReadBytes, rawLines } from './json-lines.ts'
import { keptInstant } from './kept-row.ts'
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
  /**
   * Once through; lines that are appended meanwhile are among them. The file is closed at the end, and when the reader stops before it. With
   * `ended` every attempt that ended then is among them, and what else there is may be left out, which takes a part of the time.
   */
  lines(ended?: EndedBetween): Generator<LedgerLine, void>
}

/** Instants, both included. */
export interface EndedBetween {
  readonly from: number
  readonly to: number
}

const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

/** Throws a LedgerError, and so does reading its lines. */
export function openLedger(path: string): OpenedLedger {
  try {
    const descriptor = openSync(path, READING)
    const file = fstatSync(descriptor)
    if (file.isFile()) return { size: file.size, lines: (ended) => linesOf(path, descriptor, ended) }
    closeSync(descriptor)
    throw notALedger(path)
  } catch (error) {
    throw asLedgerError(path, error, 'read')
  }
}

function* linesOf(path: string, descriptor: number, ended: EndedBetween | undefined): Generator<LedgerLine, void> {
  try {
    yield* readLedger((into, from) => readSync(descriptor, into, 0, into.length, from), ended)
  } catch (error) {
    throw asLedgerError(path, error, 'read')
  } finally {
    closeSync(descriptor)
  }
}

export function* readLedger(read: ReadBytes, ended?: EndedBetween): Generator<LedgerLine, void> {
  const dates = ended === undefined ? null : datesOf(ended)
  for (const { bytes, line, from, isEnded } of rawLines(read, MAX_LEDGER_LINE_BYTES)) {
    if (bytes !== null && (isBlank(bytes) || dates?.some((date) => bytes.includes(date)) === false)) continue
    const entry = bytes === null ? { problem: `it has more than ${MAX_LEDGER_LINE_BYTES} bytes` } : ledgerEntryOf(bytes)
    if ('row' in entry) yield { kind: 'attempt', line, from, ...entry }
    else yield { kind: isEnded ? 'broken' : 'torn', line, from, problem: entry.problem }
  }
}

/** Of these one stands in every line of an attempt that ended then: an instant is written in UTC. Null where they are too many to be looked for. */
function datesOf({ from, to }: EndedBetween): readonly Buffer[] | null {
  const [first, last] = [from, to].map((at) => Math.floor(keptInstant(at) / DAY_MS)) as [number, number]
  if (last - first >= MOST_DATES) return null
  return Array.from({ length: last - first + 1 }, (_, index) => Buffer.from(new Date((first + index) * DAY_MS).toISOString().slice(0, 10)))
}

const DAY_MS = 86_400_000
const MOST_DATES = 8
