import { appendFileSync, renameSync, statSync } from 'node:fs'

/** A log of this size is put aside as `<path>.1`, in the place of the one before: two of them are kept. */
const MAX_BYTES = 16 * 1024 * 1024

/** Lines of a file, each taken by the system when `append` returns. `onError` is told the first that was not. */
export class LogFile {
  readonly #path: string
  readonly #onError: (error: unknown) => void
  #bytes = 0
  #failed = false

  constructor(path: string, onError: (error: unknown) => void) {
    this.#path = path
    this.#onError = onError
    this.#bytes = sizeOf(path)
  }

  append(line: string): void {
    try {
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
function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0
  } catch {
    return 0
  }
}
