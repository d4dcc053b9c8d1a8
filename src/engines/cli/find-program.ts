import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/**
 * The absolute path of a program, or null when this machine has none of that name. A link stays as it is: some programs look at the name
 * by which they were called.
 *
 * Entries of PATH that are not absolute are skipped, the empty one for the present directory too: what they name changes with the
 * directory, and a repository that an agent works in could put its own `claude` there.
 *
 * On Windows only `.exe` and `.com` are found: npm's `.cmd` shims need a shell, and there is none here.
 */
export function findProgram(name: string, path: string | undefined): string | null {
  if (name === '') return null
  if (name.includes('/') || isAbsolute(name)) return executable(resolve(name))
  for (const directory of (path ?? '').split(delimiter)) {
    if (!isAbsolute(directory)) continue
    const found = executable(join(directory, name))
    if (found !== null) return found
  }
  return null
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
