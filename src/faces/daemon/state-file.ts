import { readFileSync, renameSync } from 'node:fs'
import { type TeamStanding, teamStandingSchema } from '../../host.ts'
import type { TeamEnd, TeamStatus } from '../../index.ts'
import { writeWholeFile } from './whole-file.ts'

/**
 * Where a run stands, as `state.json` says it to the next process and to whoever looks.
 *
 * 1. It is written whole at every event; a process that is killed leaves the last one.
 * 2. A run that was cut goes on with all of it. One that had ended begins anew: its budgets, and the pause it ended in, are over; the order,
 *    the questions and who is done are the thread's and stay.
 * 3. A file that cannot be read is put aside and told; the thread is there all the same.
 */
export interface StateFile {
  readonly version: 1
  readonly pid: number
  readonly startedAt: number
  readonly standing: TeamStanding
  readonly status: TeamStatus
  /** Why the run is over; null while it goes on. */
  readonly end: TeamEnd | 'defect' | null
}

export function writeState(path: string, state: StateFile): void {
  writeWholeFile(path, `${JSON.stringify(state)}\n`)
}

export interface ReadState {
  /** Null: nothing to go on from. */
  readonly standing: TeamStanding | null
  /** The process before was killed. */
  readonly wasCut: boolean
  /** One line, when the file could not be used. */
  readonly finding: string | null
}

export function readState(path: string, now: number): ReadState {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { standing: null, wasCut: false, finding: null }
    return unusable(path, now)
  }
  try {
    const { version, standing, end } = JSON.parse(text) as { version?: unknown; standing?: unknown; end?: unknown }
    const read = teamStandingSchema.safeParse(standing)
    if (version !== 1 || !read.success) return unusable(path, now)
    const wasCut = end === null || end === 'defect'
    return { standing: wasCut ? read.data : { ...read.data, iterations: 0, chargedMs: 0, paused: null, run: null }, wasCut, finding: null }
  } catch {
    return unusable(path, now)
  }
}

function unusable(path: string, now: number): ReadState {
  const aside = `${path}.broken-${now}`
  try {
    renameSync(path, aside)
  } catch {
    // It is read no more in this run, and the next write takes its place.
    return {
      standing: null,
      wasCut: false,
      finding: `${path}: the state cannot be read, and not be put aside; the run begins from the thread alone.`,
    }
  }
  return {
    standing: null,
    wasCut: false,
    finding: `${path}: the state cannot be read; it was moved to ${aside}, and the run begins from the thread alone.`,
  }
}
