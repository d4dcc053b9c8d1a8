import { closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { isOpenToOthers } from '../file-fault.ts'
import { asThreadError, notAFile, notPrivate } from './thread-error.ts'

/** The file under a thread. Every call throws what the system says. */
export interface ThreadDisk {
  /** Length of the file in bytes; null when another file, or none, stands at its path. */
  length(): number | null
  read(into: Uint8Array, from: number): number
  /** Appends; how many bytes were taken, which may be fewer. */
  write(bytes: Uint8Array): number
  /** Cuts off what stands behind this length. */
  cut(length: number): void
  /** Makes what was written survive a loss of power. */
  sync(): void
  close(): void
}

/** For this user only: a thread says what people work on, and tells a team what to do. */
const MODE = 0o600
/** Without blocking: a pipe that stands there does not stop the process. */
const APPENDING = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0)

/** Opens a file for appending, or makes it; throws a ThreadError, also of one that others may open. `fsync`: a new file is made to survive a loss of power, too. */
export function openDisk(path: string, fsync: boolean): ThreadDisk {
  try {
    const isNew = statSync(path, { throwIfNoEntry: false }) === undefined
    const descriptor = openSync(path, APPENDING, MODE)
    const own = fstatSync(descriptor)
    if (own.isFile() && !isOpenToOthers(own)) {
      if (isNew && fsync) syncFolder(dirname(path))
      return diskOf(path, descriptor, own)
    }
    closeSync(descriptor)
    throw own.isFile() ? notPrivate(path) : notAFile(path)
  } catch (error) {
    throw asThreadError(path, error)
  }
}

function diskOf(path: string, descriptor: number, own: { readonly dev: number; readonly ino: number }): ThreadDisk {
  return {
    length() {
      const now = statSync(path, { throwIfNoEntry: false })
      return now?.dev === own.dev && now.ino === own.ino ? now.size : null
    },
    read: (into, from) => readSync(descriptor, into, 0, into.length, from),
    write: (bytes) => writeSync(descriptor, bytes),
    cut: (length) => ftruncateSync(descriptor, length),
    sync: () => fsyncSync(descriptor),
    close: () => closeSync(descriptor),
  }
}

/** A disk that takes nothing and says nothing is full. */
export function writeWhole(disk: ThreadDisk, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) {
    const taken = disk.write(bytes.subarray(done))
    if (taken === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' })
    done += taken
  }
}

/** The name of a new file is kept by its folder. Systems that cannot open one or make it last look after names themselves. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // Posts are still made to last, each with its own call, and that one tells what is wrong with the disk.
  }
}
