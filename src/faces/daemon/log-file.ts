import { appendFileSync, renameSync, type Stats, statSync } from 'node:fs'
import { isOpenToOthers } from '../../host.ts'

/** A log of this size is put aside as `<path>.1`, in the place of the one before: two of them are kept. */
const MAX_BYTES = 16 * 1024 * 1024

/**
 * Lines of a file, each taken by the system when `append` returns, for this user only: none is added to a file that others may open. `onError`
 * is told the first that was not taken.
 */
export class LogFile {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  readonly #isPrivate: boolean
  #bytes: number
  #failed = false

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path
    this.#onError = onError
    const stands = standingAt(path)
    this.#isPrivate = stands === null || !stands.isFile() || !isOpenToOthers(stands)
    this.#bytes = stands?.size ?? 0
  }

  append(line: string): void {
    try {
      if (!this.#isPrivate) throw new Error('others than its owner may open it')
      if (this.#bytes > MAX_BYTES) {
        renameSync(this.#path, `${this.#path}.1`)
        this.#bytes = 0
      }
      appendFileSync(this.#path, line, { mode: 0o600 })
      this.#bytes += Buffer.byteLength(line)
      this.#failed = false
    } catch (error) {
      if (!this.#failed) this.#onError(error)
      this.#failed = true
    }
  }
}

/** What cannot be looked at cannot be written either, which is told then. */
function standingAt(path: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null
  } catch {
    return null
  }
}
