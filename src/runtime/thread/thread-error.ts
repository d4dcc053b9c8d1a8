import { RelevoError } from '../errors.ts'
import { type FileFault, fileFaultOf } from '../file-fault.ts'

export type ThreadErrorCode =
  | 'thread_no_folder'
  | 'thread_not_a_file'
  | 'thread_not_permitted'
  | 'thread_not_private'
  | 'thread_read_only'
  | 'thread_disk_full'
  | 'thread_changed'
  | 'thread_closed'
  | 'thread_unusable'
  | 'invalid_post'

/** A thread that cannot be opened or written. The message is one line: where, what, what to do. A post that was not taken is not in it. */
export class ThreadError extends RelevoError {
  static override readonly marker: symbol = Symbol.for('relevo.error.ThreadError')
  declare readonly code: ThreadErrorCode
  readonly path: string

  constructor(code: ThreadErrorCode, path: string, what: string, remedy: string, cause?: unknown) {
    super(code, `${path}: ${what}. ${remedy}`.replace(/[\s\p{Cc}]+/gu, ' '), cause === undefined ? undefined : { cause })
    this.path = path
  }
}

type Fault = readonly [code: ThreadErrorCode, what: string, remedy: string]

const FAULTS: Readonly<Record<FileFault, Fault>> = {
  no_folder: ['thread_no_folder', 'the folder of the thread does not exist', 'Create it, or name another one.'],
  not_a_file: ['thread_not_a_file', 'the thread is no regular file', 'Name a file, or take away what stands in its place.'],
  not_permitted: ['thread_not_permitted', 'the thread may not be read and written', 'Give this user the rights to the file and its folder.'],
  read_only: ['thread_read_only', 'the thread stands on a disk that takes no writing', 'Mount it for writing, or name another folder.'],
  disk_full: ['thread_disk_full', 'there is no room for another post', 'Make room and resume; every post before it is kept.'],
}

export function notAFile(path: string): ThreadError {
  const [code, what, remedy] = FAULTS.not_a_file
  return new ThreadError(code, path, what, remedy)
}

export function notPrivate(path: string): ThreadError {
  const remedy = `Run \`chmod 600 ${path}\`, or name a file on a disk that keeps permissions.`
  return new ThreadError('thread_not_private', path, 'others than its owner may open the thread', remedy)
}

/** What the system says of a file, in words. */
export function asThreadError(path: string, error: unknown): ThreadError {
  if (ThreadError.isInstance(error)) return error
  const reason = String((error as NodeJS.ErrnoException | null)?.code ?? error)
  const fault = fileFaultOf(reason)
  const unusable: Fault = ['thread_unusable', `the thread cannot be used (${reason})`, 'Look after its disk, then open it again.']
  const [code, what, remedy] = fault === undefined ? unusable : FAULTS[fault]
  return new ThreadError(code, path, what, remedy, error)
}
