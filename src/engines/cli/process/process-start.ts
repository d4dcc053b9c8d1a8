import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * Which process a pid means. A pid is given out again, so a process is known by its pid and its start together.
 *
 * 1. Never throws. Null: there is no such process, or the system does not say.
 * 2. A start is compared and never read. On Linux it is field 22 of `/proc/<pid>/stat`, which counts from the boot, with the boot's id: a
 *    machine that boots the same way each time gives out the same pids at the same ticks. Elsewhere it is what `ps` prints, in seconds.
 */
export function processStart(pid: number, platform: NodeJS.Platform = process.platform): string | null {
  if (platform === 'win32') return null
  if (platform !== 'linux') return startByPs(pid)
  const start = statOf(pid)?.start
  return start === undefined ? null : `${start} ${bootId()}`
}

/**
 * Whether a process has ended and nobody has collected it: it still has its pid and its start, and keeps them for ever in a container whose
 * first process collects none. False where the system does not say.
 */
export function isUncollected(pid: number): boolean {
  return hasEnded(statOf(pid)?.state)
}

function hasEnded(state: string | undefined): boolean {
  return state === 'Z' || state === 'X'
}

/** Whether a process of this group is left that has not ended. Read from /proc, which elsewhere is not there: null. */
export function livesInGroup(group: number): boolean | null {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return null
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue
    const stat = statOf(Number(name))
    if (stat !== null && stat.group === group && !hasEnded(stat.state)) return true
  }
  return false
}

interface Stat {
  readonly state: string
  readonly group: number
  readonly start: string
}

/** The second field is the name of the program in brackets, and may hold brackets and spaces: what counts begins behind its last bracket. */
function statOf(pid: number): Stat | null {
  const text = textOf(`/proc/${pid}/stat`)
  const fields = text === null ? [] : text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, , group] = fields
  const start = fields[19]
  return state === undefined || group === undefined || start === undefined ? null : { state, group: Number(group), start }
}

let boot: string | null = null

function bootId(): string {
  boot ??= textOf('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return boot
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** In one language and one zone, so that two processes with other settings read the same. */
function startByPs(pid: number): string | null {
  const { stdout, status } = spawnSync('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { LC_ALL: 'C', TZ: 'UTC' } })
  const start = status === 0 ? stdout.trim() : ''
  return start === '' ? null : start
}
