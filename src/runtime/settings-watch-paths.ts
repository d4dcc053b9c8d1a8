import { lstatSync, readlinkSync, watch } from 'node:fs'
import { basename, join, parse, resolve, sep } from 'node:path'

/**
 * Tells that one of some files may have been written, replaced, removed, or be reached by another way than before.
 *
 * 1. Folders are watched, never files: a file that is replaced is another file, and a watch on the first one hears nothing of it.
 * 2. A symbolic link on the way to a file is watched where it stands, since pointing it elsewhere changes the file (`..data` of a mounted
 *    Kubernetes volume, `current` of a deployment).
 * 3. Where a file or a folder on its way is missing, the folder in which it is missing is watched for it.
 * 4. Nothing here keeps a process alive.
 */
export class PathWatch {
  readonly #onChange: () => void
  readonly #watch: typeof watch
  #open: readonly (() => void)[] = []

  /** `watchFolder`: `fs.watch`, unless another is given. */
  constructor(onChange: () => void, watchFolder: typeof watch = watch) {
    this.#onChange = onChange
    this.#watch = watchFolder
  }

  /** Watches these files from here on and no others. Whoever reads them afterwards misses no change. */
  of(paths: readonly string[]): void {
    this.close()
    const steps = new Map<string, Set<string>>()
    for (const path of paths) addSteps(resolve(path), steps)
    this.#open = [...steps].map(([folder, names]) => this.#folder(folder, names))
  }

  close(): void {
    for (const close of this.#open) close()
    this.#open = []
  }

  #folder(folder: string, names: ReadonlySet<string>): () => void {
    try {
      const watcher = this.#watch(folder, { persistent: false }, (_event, name) => {
        // By its own name a folder tells that it was moved or removed itself.
        if (name === null || names.has(name) || name === basename(folder)) this.#onChange()
      })
      watcher.on('error', () => this.#onChange())
      return () => watcher.close()
    } catch {
      const timer = setInterval(this.#onChange, UNWATCHED_MS).unref()
      return () => clearInterval(timer)
    }
  }
}

/** A folder that the system cannot watch (no watches left, a network share, no right to list it) is looked at this often. */
const UNWATCHED_MS = 5_000
/** As many links as Linux follows. */
const MAX_LINKS = 40

/** Adds what has to be watched for one file: each folder of which an entry decides what file it is, and the names of these entries. */
function addSteps(path: string, steps: Map<string, Set<string>>): void {
  let { root: folder } = parse(path)
  const ahead = partsOf(path)
  for (let links = 0; ahead.length > 0; ) {
    const name = ahead.shift() as string
    const target = entryAt(join(folder, name))
    if (target !== 'there' || ahead.length === 0) steps.set(folder, (steps.get(folder) ?? new Set()).add(name))
    if (target === 'missing') return
    if (target === 'there') folder = join(folder, name)
    else {
      if (++links > MAX_LINKS) return
      const leadsTo = resolve(folder, target.leadsTo)
      ahead.unshift(...partsOf(leadsTo))
      folder = parse(leadsTo).root
    }
  }
}

function partsOf(path: string): string[] {
  return path
    .slice(parse(path).root.length)
    .split(sep)
    .filter((part) => part !== '')
}

function entryAt(path: string): 'there' | 'missing' | { readonly leadsTo: string } {
  try {
    return lstatSync(path).isSymbolicLink() ? { leadsTo: readlinkSync(path) } : 'there'
  } catch {
    return 'missing'
  }
}
