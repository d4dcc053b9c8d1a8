import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Witness } from './witness.ts'

/** A program that stays until it is ended, and tells the witness that it has come. */
export const STAYS = (name: string) => `import { comeAs } from './witness.mjs'; await comeAs('${name}')`

/** A pid that is nobody's: that of a process which has been and is collected. */
export async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  return child.pid ?? 0
}

/** A process in a group of its own that no table knows of. */
export async function stranger(directory: string, witness: Witness, name: string): Promise<number> {
  const file = join(directory, `${name}.mjs`)
  writeFileSync(file, STAYS(name))
  const child = spawn(process.execPath, [file], { detached: true, stdio: 'ignore', env: { WITNESS: witness.path } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return witness.arrived(name)
}
