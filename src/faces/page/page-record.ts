import { closeSync, openSync, writeSync } from 'node:fs'
import { plainLine } from '../../host.ts'
import type { PageEvent } from './page-event.ts'
import type { PageSink, PageSources } from './page-sources.ts'
import type { Opening } from './page-viewers.ts'

/**
 * A recording: the events of a page in a file, a line each, for this user only.
 *
 * 1. Each is taken by the system when it has happened, so that a process that is killed leaves all but the last.
 * 2. No text of a post is in it, whatever a page beside it shows (R36), and no order can be given from it.
 * 3. A file that can take nothing more ends the recording, which is told, and nothing else.
 */
export interface PageRecord {
  close(): void
}

/** Throws what the system says where the file cannot be written. `onError` is told why it ends before its time. */
export function recordPage(sources: PageSources, path: string, opening: Omit<Opening, 'takesOrders'>, onError: (error: unknown) => void): PageRecord {
  const file = new RecordFile(path, onError)
  const at = sources.now()
  file.take({ type: 'page.opened', at, version: 1, showsText: false, takesOrders: false, ...opening })
  // Whoever plays it moves the clock.
  file.take({ type: 'page.time', at, rate: 0 })
  sources.tell(file)
  sources.watchActors()
  return { close: () => file.close() }
}

class RecordFile implements PageSink {
  readonly showsText = false
  readonly #onError: (error: unknown) => void
  #descriptor: number | null

  constructor(path: string, onError: (error: unknown) => void) {
    this.#onError = onError
    this.#descriptor = openSync(path, 'w', 0o600)
  }

  take(event: PageEvent): void {
    if (this.#descriptor === null) return
    try {
      writeSync(this.#descriptor, `${plainLine(JSON.stringify(event))}\n`)
    } catch (error) {
      this.close()
      this.#onError(error)
    }
  }

  close(): void {
    if (this.#descriptor === null) return
    const descriptor = this.#descriptor
    this.#descriptor = null
    try {
      closeSync(descriptor)
    } catch {
      // What was written stands.
    }
  }
}
