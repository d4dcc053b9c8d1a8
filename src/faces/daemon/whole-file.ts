import { renameSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Writes a file that is never seen in part: it is written beside and renamed. Throws what the system says.
 *
 * 1. It is for this user only, whatever stood in its place: what stands beside is taken away first, as a file keeps the rights that it has
 *    and a link leads elsewhere.
 * 2. One process writes it, so that what a kill left half written has the name of the next one and does not pile up.
 */
export function writeWholeFile(path: string, text: string): void {
  const beside = `${path}.begun`
  try {
    rmSync(beside, { force: true })
    writeFileSync(beside, text, { mode: 0o600, flag: 'wx' })
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}
