import { randomUUID } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file that is never seen in part: it is written beside and renamed. For this user only. Throws what the system says. */
export function writeWholeFile(path: string, text: string): void {
  const beside = `${path}.${randomUUID()}`
  try {
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx' })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
