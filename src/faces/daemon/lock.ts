import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isOpenToOthers, isUncollected, processStart } from '../../host.ts'
import { DaemonError } from './daemon-error.ts'

/**
 * One daemon a folder: the file `lock` with the pid and the start of the process that runs.
 *
 * 1. It is made whole or not at all (written beside, then linked): whoever reads it knows whose it is.
 * 2. It is stale when no process has that pid and that start: a pid is given out again, and so is one after a boot.
 * 3. A stale one is removed by one process alone: by the one that holds a lock of its own on the removal, named after the stale lock, and it
 *    looks again before it removes. So of any number that take over at once one has the lock afterwards, wherever another one of them ends.
 * 4. A file that is no lock of ours is not removed: nobody knows whose it is.
 * 5. None is taken in a folder that others may look into or write: whoever can remove a lock can have two daemons work on one thread, and the
 *    state, the log and the ledger stand beside it.
 */
export interface Lock {
  /** False when somebody removed or replaced the file; true while it cannot be read. */
  readonly isHeld: boolean
  release(): void
}

interface Holder {
  readonly id: string
  readonly pid: number
  readonly start: string | null
}

const NAME = 'lock'
const MOST_TRIES = 1_000

/** Throws DaemonError when another process has it, or when the folder cannot be written. */
export function takeLock(folder: string): Lock {
  const me: Holder = { id: randomUUID(), pid: process.pid, start: processStart(process.pid) }
  try {
    if (isOpenToOthers(statSync(folder)))
      throw new DaemonError(`${folder}: others than its owner may open the folder of the state. Run \`chmod 700 ${folder}\`, then start again.`)
    take(folder, NAME, me)
  } catch (error) {
    if (error instanceof DaemonError) throw error
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    throw new DaemonError(`${join(folder, NAME)}: the lock cannot be made (${code}). See to the permissions of the folder, and to its room.`)
  }
  const path = join(folder, NAME)
  return {
    get isHeld() {
      const stands = holderIfRead(path)
      return stands === 'unread' || (stands !== null && stands !== 'unknown' && stands.id === me.id)
    },
    release() {
      const stands = holderIfRead(path)
      if (stands === null || typeof stands === 'string' || stands.id !== me.id) return
      try {
        rmSync(path, { force: true })
      } catch {
        // It stays, and is stale when this process has ended.
      }
    },
  }
}

function take(folder: string, name: string, me: Holder): void {
  const path = join(folder, name)
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    if (made(path, me)) return
    const stands = holderOf(path)
    if (stands === null) continue
    if (stands === 'unknown')
      throw new DaemonError(`${path}: this is no lock of relevo, and nobody knows whose it is. See that no daemon runs, then remove it.`)
    if (isAlive(stands))
      throw new DaemonError(
        `${path}: a daemon runs here already (pid ${stands.pid}). Talk to it with \`relevo status\`, or end it with \`relevo stop\`.`,
      )
    removeStale(folder, path, stands, me)
  }
  throw new DaemonError(`${path}: the lock changes hands all the time. See which programs start daemons here.`)
}

/** True when the file was not there and is ours now. */
function made(path: string, me: Holder): boolean {
  const beside = `${path}.${randomUUID()}`
  try {
    writeFileSync(beside, `${JSON.stringify(me)}\n`, { mode: 0o600, flag: 'wx' })
    linkSync(beside, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(beside, { force: true })
  }
}

function removeStale(folder: string, path: string, stale: Holder, me: Holder): void {
  const removal = `${NAME}.over-${stale.id}`
  take(folder, removal, me)
  try {
    const stands = holderOf(path)
    if (stands !== null && stands !== 'unknown' && stands.id === stale.id) rmSync(path, { force: true })
  } finally {
    rmSync(join(folder, removal), { force: true })
  }
}

/** Of a lock that is held already: a disk that does not answer for a moment takes it from nobody. */
function holderIfRead(path: string): Holder | 'unknown' | 'unread' | null {
  try {
    return holderOf(path)
  } catch {
    return 'unread'
  }
}

/** Null: no file. */
function holderOf(path: string): Holder | 'unknown' | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const { id, pid, start } = JSON.parse(text) as Partial<Holder>
    // The id becomes a part of a name of a file.
    const isOurs = typeof id === 'string' && /^[0-9a-f-]{36}$/.test(id) && Number.isSafeInteger(pid) && (start === null || typeof start === 'string')
    return isOurs ? { id, pid: pid as number, start } : 'unknown'
  } catch {
    return 'unknown'
  }
}

/** Where the system does not tell the start of a process, one with that pid is taken for it: refusing can be mended, two daemons cannot. */
function isAlive({ pid, start }: Holder): boolean {
  if (isUncollected(pid)) return false
  const now = processStart(pid)
  if (now !== null && start !== null) return now === start
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
