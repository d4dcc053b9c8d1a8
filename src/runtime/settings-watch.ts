import { resolve } from 'node:path'
import type { Diagnostic } from '../model/plan.ts'
import { ConfigError, RelevoError } from './errors.ts'
import { fingerprintOf, keyFilesOf, type ReadSettings, readSettingsFile } from './settings-watch-file.ts'
import { PathWatch } from './settings-watch-paths.ts'

/**
 * A settings file taken anew whenever it, or a key file that it names, has changed.
 *
 * 1. What is handed on is whole: files are read when nothing has happened to them for `quietMs`, and one that is missing is waited for a
 *    while longer, since that is how many programs replace a file.
 * 2. What is refused changes nothing, and is told once, until it is another fault or was right in between.
 * 3. The same text with the same keys is no change, however often it is written.
 * 4. No finding holds what stands in a key file, and of a text that cannot be read only where and why.
 * 5. Nothing keeps the process alive, and nothing is called after `close`.
 */
export interface SettingsWatchOptions {
  /** Takes the settings as written: `(written) => kernel.reload(written)`. What it refuses it throws, as a ConfigError with every problem. */
  readonly reload: (written: unknown) => void
  /** After `reload` has taken the settings. */
  readonly onReloaded?: (() => void) | undefined
  /** Everything that is wrong with the file; the settings before it stay in force. */
  readonly onRefused?: ((problems: readonly Diagnostic[]) => void) | undefined
  /** The text that the settings in force were read from; that of the file when the watch begins. */
  readonly text?: string | undefined
  /** Where `{ file }` credentials with a relative path are looked for; the working directory, as `createKernel` does. */
  readonly keyFolder?: string | undefined
  /** How long nothing must have happened to the files; 200. */
  readonly quietMs?: number | undefined
}

export interface SettingsWatch {
  close(): void
}

/** Watches a settings file and hands on what is right. Environment variables are those of the process and do not change. */
export function watchSettings(path: string, options: SettingsWatchOptions): SettingsWatch {
  return new WatchedSettings(resolve(path), options)
}

const QUIET_MS = 200
/** A file that is missing is waited for so many times as long. */
const MISSING_FACTOR = 5

/** The settings file and the key files that it names, as they were read at one time. */
interface Seen {
  readonly read: ReadSettings
  readonly print: string
  readonly isWhole: boolean
}

class WatchedSettings implements SettingsWatch {
  readonly #path: string
  readonly #options: SettingsWatchOptions
  readonly #quietMs: number
  readonly #watch = new PathWatch(() => this.#lookIn(this.#quietMs, false))
  /** Of the text that was seen last. */
  #keyFiles: readonly string[] = []
  /** Fingerprints. */
  #inForce: string | null
  #seen: string | null
  /** What was refused last, and not followed by what is right. */
  #told: string | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #isClosed = false

  constructor(path: string, options: SettingsWatchOptions) {
    this.#path = path
    this.#options = options
    this.#quietMs = options.quietMs ?? QUIET_MS
    const { read, print } = this.#see()
    const isInForce = options.text === undefined || options.text === read.text
    this.#inForce = isInForce ? print : null
    this.#seen = this.#inForce
    if (!isInForce) this.#lookIn(this.#quietMs, false)
  }

  close(): void {
    this.#isClosed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#watch.close()
  }

  /** `isLast`: what is missing then is missing. */
  #lookIn(ms: number, isLast: boolean): void {
    if (this.#isClosed) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#look(isLast), ms).unref()
  }

  #look(isLast: boolean): void {
    const { read, print, isWhole } = this.#see()
    if (!isWhole && !isLast) return this.#lookIn(this.#quietMs * MISSING_FACTOR, true)
    if (print === this.#seen) return
    this.#seen = print
    if (print === this.#inForce) this.#told = null
    else if ('problems' in read) this.#refuse(read.problems)
    else this.#take(read.written, print)
  }

  /** Files are watched before they are read, so that a change in between is looked at once more. */
  #see(): Seen {
    this.#watch.of([this.#path, ...this.#keyFiles])
    const read = readSettingsFile(this.#path)
    const keyFiles = 'written' in read ? keyFilesOf(read.written, this.#options.keyFolder ?? process.cwd()) : []
    if (keyFiles.some((path) => !this.#keyFiles.includes(path))) this.#watch.of([this.#path, ...keyFiles])
    this.#keyFiles = keyFiles
    return { read, ...fingerprintOf(read.text, keyFiles) }
  }

  #take(written: unknown, print: string): void {
    try {
      // A host may well be asynchronous here, although the type does not ask for it: a rejection nobody handles ends a process.
      const taken: unknown = this.#options.reload(written)
      if (taken instanceof Promise) {
        taken.then(
          () => this.#taken(print),
          (error) => this.#refuse(this.#problemsOf(error)),
        )
        return
      }
    } catch (error) {
      return this.#refuse(this.#problemsOf(error))
    }
    this.#taken(print)
  }

  #taken(print: string): void {
    this.#inForce = print
    this.#told = null
    if (!this.#isClosed) telling(() => this.#options.onReloaded?.())
  }

  #refuse(problems: readonly Diagnostic[]): void {
    const told = JSON.stringify(problems)
    if (told === this.#told || this.#isClosed) return
    this.#told = told
    telling(() => this.#options.onRefused?.(problems))
  }

  /** The words of an error that is none of ours may hold anything, also what stands in the file. */
  #problemsOf(error: unknown): readonly Diagnostic[] {
    if (ConfigError.isInstance(error)) return error.problems
    const own = RelevoError.isInstance(error) ? error : null
    const message = own?.message ?? `What takes the settings failed (${error instanceof Error ? error.name : typeof error}).`
    return [{ code: own?.code ?? 'reload_failed', path: this.#path, message, remedy: 'The settings before it stay in force.' }]
  }
}

/** A listener of the host that throws, at once or later, is reported and harms nobody. */
function telling(tell: () => unknown): void {
  try {
    const told = tell()
    if (told instanceof Promise) told.catch(report)
  } catch (error) {
    report(error)
  }
}

function report(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error))
}
