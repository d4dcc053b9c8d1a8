import type { PauseCause, RunResult, RunState, StartedBy, TeamEnd, WokenBy } from '../model/team.ts'

/** What a simulated scenario of a team printed (docs/scenarios.md). All times are ms from the scenario's start. */
export interface TeamTrace {
  readonly format: 1
  readonly id: string
  readonly turns: readonly TeamTraceTurn[]
  readonly log: readonly { readonly atMs: number; readonly line: string }[]
  readonly states: readonly { readonly atMs: number; readonly state: RunState }[]
  readonly sleeps: readonly { readonly fromMs: number; readonly toMs: number | null; readonly wokenBy: WokenBy | null }[]
  /** Those that are still in the future at the end. */
  readonly limits: Readonly<Record<string, { readonly untilMs: number }>>
  readonly iterations: number
  readonly chargedRuntimeMs: number
  readonly end: { readonly state: RunState; readonly reason: TeamEndReason; readonly atMs: number }
}

/** One row is one run; the runs of one turn share `n` and `startedBy`. */
export interface TeamTraceTurn {
  readonly n: number
  readonly participant: string
  readonly engine: string
  readonly atMs: number
  /** Null: still in flight at the end. */
  readonly result: RunResult['kind'] | null
  readonly startedBy: StartedBy
  readonly unscripted?: true
}

/** `cap`: the scenario came to no end of its own. */
export type TeamEndReason = TeamEnd | PauseCause | 'cap' | 'unscripted'
