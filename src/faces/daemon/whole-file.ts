import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file that is never seen in part: it is written beside and renamed. For this user only. Throws what the system says. One process
 * writes it, so that what a kill left half written has the name of the next one and does not pile up.
 */
export function writeWholeFile(path: string, text: string): void {
  const beside = `${path}.begun`
  try {
    writeFileSync(beside, text, { mode: 0o600 })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
