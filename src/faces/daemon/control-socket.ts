import { closeSync, constants, openSync } from 'node:fs'
import { basename, dirname } from 'node:path'

/** What the address of a socket may have on Linux, its end left out; macOS has four fewer. */
const LONGEST = process.platform === 'darwin' ? 103 : 107

/** A socket can be reached by this path while `release` was not called. */
export interface SocketPath {
  readonly path: string
  release(): void
}

/**
 * A path that fits into the address of a socket. Of a deep folder the folder itself is opened, and the socket named from there, which Linux
 * alone can do. Throws with one line where that cannot be.
 */
export function socketPath(path: string): SocketPath {
  if (Buffer.byteLength(path) <= LONGEST) return { path, release() {} }
  if (process.platform !== 'linux')
    throw new Error(`${path}: the path is too long for a socket (more than ${LONGEST} bytes); move the team to a shorter one`)
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  let isOpen = true
  return {
    path: `/proc/self/fd/${folder}/${basename(path)}`,
    // Once: its number may be another file's by then.
    release() {
      if (isOpen) closeSync(folder)
      isOpen = false
    },
  }
}
