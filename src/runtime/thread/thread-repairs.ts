import type { Diagnostic } from '../../model/plan.ts'
import { openDisk, type ThreadDisk, writeWhole } from './thread-disk.ts'

/** The one repair of a thread, and what is said of lines that need another. */
interface Place {
  readonly line: number
}

/**
 * Puts a torn last line aside and cuts it off. A process that ends in between leaves it in both places, and the next one does it again: twice
 * kept is better than once lost.
 */
export function tornLine(path: string, line: number, disk: ThreadDisk, from: number, fsync: boolean): Diagnostic {
  const aside = `${path}.torn`
  const kept = openDisk(aside, fsync)
  try {
    const chunk = Buffer.alloc(64 * 1024)
    let at = from
    for (let length = disk.read(chunk, at); length > 0; length = disk.read(chunk, at)) {
      writeWhole(kept, chunk.subarray(0, length))
      at += length
    }
    writeWhole(kept, Buffer.from('\n'))
    if (fsync) kept.sync()
  } finally {
    kept.close()
  }
  disk.cut(from)
  return {
    code: 'thread_torn',
    path: `${path}:${line}`,
    message: `The last line of the thread was torn, as by a process that was ended while it wrote; it was moved to ${aside}.`,
    remedy: 'Nothing is to be done; the post that it began was never taken.',
  }
}

export function brokenLine(path: string, { line, problem }: Place & { readonly problem: string }): Diagnostic {
  return {
    code: 'thread_line_broken',
    path: `${path}:${line}`,
    message: `Line ${line} of the thread is no post, as ${problem}; it is left where it stands.`,
    remedy: 'Correct or remove it while no run is on, if it matters.',
  }
}

export function renumbered(path: string, { line }: Place): Diagnostic {
  return {
    code: 'thread_id_order',
    path: `${path}:${line}`,
    message: `The post in line ${line} of the thread has an id that does not follow those before it; it is counted on from them.`,
    remedy: 'Nothing is to be done, unless two programs wrote the file at once.',
  }
}

export function moreBroken(path: string, count: number): Diagnostic {
  return {
    code: 'thread_line_broken',
    path,
    message: `${count} more lines of the thread are no posts or have an id out of order; they are left where they stand.`,
    remedy: 'Look whether this is the file that is meant.',
  }
}
