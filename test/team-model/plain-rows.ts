import type { RunResult } from '../../src/model/team.ts'
import type { Worker } from './plain-order.ts'

const MINUTE = 60_000
const CRASH_WAITS = [1_000, MINUTE, 2 * MINUTE, 4 * MINUTE, 8 * MINUTE, 15 * MINUTE, 30 * MINUTE]

/** A wait that a turn asks for. */
export interface Due {
  readonly until: number
  readonly failed: boolean
}

/** What is counted in a row, and what follows of it (T17, T19, T20, G20, G30). */
export class Rows {
  failed = 0
  due: Due | null = null
  #plays = 0
  readonly #longestWait: number | null

  constructor(longestWaitMin: number | null) {
    this.#longestWait = longestWaitMin
  }

  posted(worker: Worker): void {
    worker.silent = 0
    this.failed = 0
    this.#plays = 0
  }

  waits(worker: Worker, minutes: number, now: number): void {
    worker.silent = 0
    this.failed = 0
    this.#plays++
    const doubled = minutes * 2 ** (this.#plays - 1)
    this.due = { until: now + Math.min(doubled, this.#longestWait ?? doubled) * MINUTE, failed: false }
  }

  /** Why the run is paused now, and the line that says so; null: it is not. */
  fails(worker: Worker, engine: string, result: RunResult, now: number): { readonly cause: string; readonly line: string } | null {
    this.failed++
    this.#plays = 0
    if (result.kind === 'silent') worker.silent++
    this.due = { until: now + (CRASH_WAITS[this.failed - 1] ?? 60 * MINUTE), failed: true }
    if (worker.silent === 3)
      return { cause: 'silent', line: `${worker.id} ended three turns in a row without a post; run paused — resume to try again` }
    if (this.failed < 12) return null
    const what = `${engine} ${whatFailed(result)}`
    return { cause: 'gave_up', line: `Gave up after 12 failed attempts in a row, over five hours (${what}); run paused — resume to try again` }
  }
}

function whatFailed(result: RunResult): string {
  if (result.kind !== 'failed') return 'ended without a post'
  if (result.fault.kind === 'exited') return `exited ${result.fault.code}`
  return result.fault.kind === 'timed_out' ? 'timed out' : `failed: ${result.fault.failure}`
}
