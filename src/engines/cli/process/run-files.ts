import { randomUUID } from 'node:crypto'
import { accessSync, constants, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, type Stats, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { processGroup } from './process-group.ts'
import { isUncollected, processStart } from './process-start.ts'

/**
 * A file for each process that runs, so that the next start finds what a host that was killed has left behind.
 *
 * 1. Nothing here throws, and no run fails for it: without a directory that can be trusted there are no run files, which is told once.
 * 2. A file is whole or not there (written beside and renamed), and it is ours: mode 0600 in a directory of mode 0700 that is no link and
 *    is ours. Others could name processes in it for us to end. What is looser is refused and stays as it is, with its path in the warning.
 * 3. `sweep` ends the group of a process whose host is dead, when the process is the one that was written down: same pid, same start. Never
 *    another. An orphan whose leader has ended is left alone, since nothing shows that its group is ours.
 *
 * The directory belongs to one machine: on one that several share the pids of the others mean nothing here. A host that is killed between
 * the start of a process and its file leaves an orphan that no sweep finds.
 */
interface RunFile {
  readonly pid: number
  readonly startedAt: string
  readonly host: { readonly pid: number; readonly startedAt: string }
  readonly program: string
}

const RUN_FILE = /^(\d{1,10})\.json$/
/** One that was being written: the host's pid, then one of a kind. */
const BEGUN_FILE = /^(\d{1,10})\.[0-9a-f-]{1,40}\.begun$/
const LARGEST_FILE_BYTES = 64 * 1024

export class RunFiles {
  readonly #directory: string
  readonly #warn: (message: string) => void
  readonly #told = new Set<string>()

  /** `warn` is told what is refused. */
  constructor(directory: string, warn: (message: string) => void) {
    this.#directory = directory
    this.#warn = warn
  }

  /** Writes down that `pid` runs; asked right after its start, when it cannot be another yet. */
  add(pid: number, program: string): void {
    const startedAt = processStart(pid)
    const hostStartedAt = processStart(process.pid)
    if (startedAt === null || hostStartedAt === null || !this.#isTrusted('make')) return
    const file: RunFile = { pid, startedAt, host: { pid: process.pid, startedAt: hostStartedAt }, program }
    const begun = join(this.#directory, `${process.pid}.${randomUUID()}.begun`)
    attempt(() => {
      writeFileSync(begun, `${JSON.stringify(file)}\n`, { mode: 0o600, flag: 'wx' })
      renameSync(begun, this.#pathOf(pid))
    })
  }

  remove(pid: number): void {
    attempt(() => unlinkSync(this.#pathOf(pid)))
  }

  /** Ends what dead hosts have left behind. */
  sweep(): void {
    if (!this.#isTrusted('as it is')) return
    for (const name of attempt(() => readdirSync(this.#directory)) ?? []) {
      const path = join(this.#directory, name)
      if (RUN_FILE.test(name)) this.#sweepRun(path)
      const writer = BEGUN_FILE.exec(name)?.[1]
      if (writer !== undefined && !isAlive(Number(writer))) attempt(() => unlinkSync(path))
    }
  }

  #sweepRun(path: string): void {
    const entry = attempt(() => lstatSync(path))
    const fault = entry?.isFile() === true ? looseness(entry) : null
    if (fault !== null) return this.#refuse(path, `${fault}; nothing is ended that it names. Delete it, or give it mode 0600`)
    const file = runOf(attempt(() => textOf(path)) ?? '')
    if (file !== null) {
      if (isAlive(file.host.pid, file.host.startedAt)) return
      if (processStart(file.pid) === file.startedAt) processGroup(file.pid).signal('SIGKILL')
    }
    attempt(() => unlinkSync(path))
  }

  /** Whether the directory may be relied on; it is made when it is missing and wanted. */
  #isTrusted(wanted: 'make' | 'as it is'): boolean {
    const fault = directoryFault(this.#directory, wanted)
    if (fault === null || fault === 'missing') return fault === null
    this.#refuse(
      this.#directory,
      `${fault}; runs are not written down, and what a killed host leaves behind is not found. Give it mode 0700, or name another directory`,
    )
    return false
  }

  /** Each path once. */
  #refuse(path: string, why: string): void {
    if (this.#told.has(path)) return
    this.#told.add(path)
    this.#warn(`${path}: ${why}.`)
  }

  #pathOf(pid: number): string {
    return join(this.#directory, `${pid}.json`)
  }
}

/** Whether a host still runs, and is the one that started then. A run that has ended uncollected may leave a group, so only hosts are asked. */
function isAlive(pid: number, startedAt = processStart(pid)): boolean {
  return startedAt !== null && processStart(pid) === startedAt && !isUncollected(pid)
}

/** Why a directory is not relied on; null: it is. */
function directoryFault(directory: string, wanted: 'make' | 'as it is'): string | null {
  try {
    if (wanted === 'make') mkdirSync(directory, { recursive: true, mode: 0o700 })
    const entry = lstatSync(directory)
    // Of the entry itself, so a link is no directory.
    if (!entry.isDirectory()) return 'it is no directory'
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
    return looseness(entry)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' && wanted === 'as it is' ? 'missing' : `it cannot be used (${code ?? 'no code'})`
  }
}

/** What others may do with an entry, or null. Windows has no such rights. */
function looseness({ mode, uid }: Pick<Stats, 'mode' | 'uid'>): string | null {
  if (process.getuid === undefined) return null
  if (uid !== process.getuid()) return 'it belongs to another user'
  return (mode & 0o077) === 0 ? null : `others may open it (mode ${(mode & 0o777).toString(8).padStart(4, '0')})`
}

/** A link is not followed: what it leads to is not ours to read. */
function textOf(path: string): string {
  const entry = lstatSync(path)
  return entry.isFile() && entry.size <= LARGEST_FILE_BYTES ? readFileSync(path, 'utf8') : ''
}

/** The run that a file holds, or null. A pid below 2 means no one process: as a group it would be everybody, or our own. */
export function runOf(text: string): RunFile | null {
  const value: unknown = attempt(() => JSON.parse(text))
  const { pid, startedAt, host, program } = (value ?? {}) as Partial<RunFile>
  if (!isPid(pid) || !isPid(host?.pid) || typeof startedAt !== 'string' || typeof host?.startedAt !== 'string') return null
  return { pid, startedAt, host: { pid: host.pid, startedAt: host.startedAt }, program: String(program) }
}

function isPid(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 1
}

/** What the file system refuses is not done, and that is all. */
function attempt<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
