import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FakeCliScript, installFakeClis } from '../../testing.ts'

/**
 * A folder with the fake programs of the demo.
 *
 * 1. It is gone when the demo is over, and also when the process exits before that.
 * 2. Where it cannot be made, or no program may run in it, nothing is left of it.
 */
export interface ProgramFolder {
  readonly path: string
  /** What the programs do from now on; runs that were used stay used. */
  install(script: FakeCliScript): Promise<void>
  remove(): void
}

const NAMES = ['claude', 'codex', 'agy'] as const

/** The folder, or why there is none: a sentence with what to do. */
export async function programFolder(script: FakeCliScript): Promise<ProgramFolder | { readonly missing: string }> {
  const parent = tmpdir()
  let path: string
  try {
    path = mkdtempSync(join(parent, 'relevo-demo-'))
  } catch (error) {
    return { missing: `no folder can be made in ${parent} (${wordsOf(error)}). ${REMEDY}` }
  }
  const remove = (): void => {
    process.off('exit', remove)
    try {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // What the system does not let go of is left to it, as all of that folder is.
    }
  }
  process.on('exit', remove)
  const install = async (next: FakeCliScript): Promise<void> => {
    await installFakeClis({ directory: path, script: next, names: NAMES })
  }
  const missing = await reasonNotTo(() => install(script), path)
  if (missing === null) return { path, install, remove }
  remove()
  return { missing }
}

const REMEDY = 'Set TMPDIR to a folder that may hold programs.'

async function reasonNotTo(install: () => Promise<void>, path: string): Promise<string | null> {
  try {
    await install()
  } catch (error) {
    return isSystemError(error) ? `no program can be written in ${path} (${wordsOf(error)}). ${REMEDY}` : wordsOf(error)
  }
  try {
    for (const name of NAMES) accessSync(join(path, name), constants.X_OK)
    return null
  } catch (error) {
    return `no program may run in ${path} (${wordsOf(error)}). ${REMEDY}`
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
