import { RelevoError } from './errors.ts'
import { type FileFault, fileFaultOf } from './file-fault.ts'

export type LedgerErrorCode =
  | 'ledger_no_file'
  | 'ledger_no_folder'
  | 'ledger_not_a_file'
  | 'ledger_not_permitted'
  | 'ledger_not_private'
  | 'ledger_read_only'
  | 'ledger_disk_full'
  | 'ledger_not_a_ledger'
  | 'ledger_later_version'
  | 'ledger_damaged'
  | 'ledger_locked'
  | 'ledger_no_driver'
  | 'ledger_unusable'

/** A ledger that cannot be read or written. The message is one line: where, what, what to do. */
export class LedgerError extends RelevoError {
  static override readonly marker: symbol = Symbol.for('relevo.error.LedgerError')
  declare readonly code: LedgerErrorCode
  readonly path: string

  constructor(code: LedgerErrorCode, path: string, what: string, remedy: string, cause?: unknown) {
    super(code, `${path}: ${what}. ${remedy}`.replace(/[\s\p{Cc}]+/gu, ' '), cause === undefined ? undefined : { cause })
    this.path = path
  }
}

type Fault = readonly [code: LedgerErrorCode, what: string, remedy: string]

const NO_FILE: Fault = ['ledger_no_file', 'the ledger does not exist', 'Name another file; a ledger is made when its first attempt begins.']
const FAULTS: Readonly<Record<FileFault, Fault>> = {
  no_folder: ['ledger_no_folder', 'the folder of the ledger does not exist', 'Create it, or name another one.'],
  not_a_file: ['ledger_not_a_file', 'the ledger is no regular file', 'Name a file, or take away what stands in its place.'],
  read_only: ['ledger_read_only', 'the ledger stands on a disk that takes no writing', 'Mount it for writing, or name another folder.'],
  disk_full: ['ledger_disk_full', 'there is no room for another attempt', 'Make room; every attempt before it is kept.'],
  not_permitted: ['ledger_not_permitted', 'the ledger may not be used', 'Give this user the rights to the file and its folder.'],
}

export function notALedger(path: string): LedgerError {
  const [code, what, remedy] = FAULTS.not_a_file
  return new LedgerError(code, path, what, remedy)
}

/** A ledger that others may read or write takes no attempt: it says what people work with, and is what a budget goes by. */
export function notPrivate(path: string): LedgerError {
  const remedy = `Run \`chmod 600 ${path}\`, or name a file on a disk that keeps permissions.`
  return new LedgerError('ledger_not_private', path, 'others than its owner may open the ledger, and nothing is entered', remedy)
}

/** What the system says of a file, in words. What is missing is the folder where it was to be made, and the file where it was to be read. */
export function asLedgerError(path: string, error: unknown, use: 'read' | 'append'): LedgerError {
  if (LedgerError.isInstance(error)) return error
  const reason = String((error as NodeJS.ErrnoException | null)?.code ?? error)
  const [code, what, remedy] = use === 'read' && reason === 'ENOENT' ? NO_FILE : faultOf(reason)
  return new LedgerError(code, path, what, remedy, error)
}

function faultOf(reason: string): Fault {
  const fault = fileFaultOf(reason)
  return fault !== undefined ? FAULTS[fault] : ['ledger_unusable', `the ledger cannot be used (${reason})`, 'Look after its disk.']
}
