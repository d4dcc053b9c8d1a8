import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path'

/**
 * The absolute path of a program, or null when this machine has none of that name. A link stays as it is: some programs look at the name
 * by which they were called.
 *
 * 1. Entries of PATH that are not absolute are skipped, the empty one for the present directory too: what they name changes with the
 *    directory, and a repository that an agent works in could put its own `claude` there.
 * 2. So are those that `isPassedOver` says, for the same reason. A name with a path in it was written by the operator and is taken as it is.
 *
 * On Windows only `.exe` and `.com` are found: npm's `.cmd` shims need a shell, and there is none here.
 */
export function findProgram(name: string, path: string | undefined, isPassedOver: (directory: string) => boolean = () => false): string | null {
  if (name === '') return null
  if (name.includes('/') || isAbsolute(name)) return executable(resolve(name))
  for (const directory of (path ?? '').split(delimiter)) {
    if (!isAbsolute(directory)) continue
    const found = executable(join(directory, name))
    if (found !== null && !isPassedOver(directory)) return found
  }
  return null
}

/**
 * Whether a directory lies in the folder that a program works in. Runners of packages put `node_modules/.bin` of that folder on PATH, and
 * whoever writes into the folder, an agent too, decides what stands there. A folder so wide that it holds the user's home or the temporary
 * files is none that an agent is kept in: there every program of the user would be passed over.
 */
export function isInWorkFolder(directory: string, folder: string, home: string | undefined): boolean {
  const work = real(folder)
  return isWithin(real(directory), work) && ![home ?? '', homedir(), tmpdir()].some((wide) => isAbsolute(wide) && isWithin(real(wide), work))
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const ENDINGS = process.platform === 'win32' ? ['', '.exe', '.com'] : ['']

function executable(path: string): string | null {
  for (const ending of ENDINGS) if (isExecutable(path + ending)) return path + ending
  return null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
