/**
 * Nouns of a team: participants that work one thread, turn by turn, on engines that run dry (T1–T23).
 */

/** A participant as its file says. */
export interface Participant {
  readonly id: string
  /** Bare name of a CLI, or the id of a profile (T1). */
  readonly provider: string
  /** Pinned model of the primary; it never travels along the chain (T10). Null: the provider's own choice. */
  readonly model: string | null
  /** The chain as written: `provider[:model]`, in order (T8). */
  readonly failover: readonly string[]
}

/** One position of a participant's chain that this machine can run. */
export interface ChainEntry {
  /** What shares a limit: `provider`, or `provider:model` when a chain entry names a model (T6). */
  readonly engine: string
  readonly provider: string
  readonly model: string | null
  /** The participant's own provider, and not an entry of its chain. */
  readonly primary: boolean
}

export interface Member {
  readonly id: string
  /** Empty when this machine has none of its programs. */
  readonly entries: readonly ChainEntry[]
}

/** Null: no bound. */
export interface TeamSettings {
  readonly maxIterations: number | null
  readonly maxRuntimeMin: number | null
  readonly maxWaitMin: number | null
  /** Longest stretch of a wait without a look at the wall clock (T17). */
  readonly sleepSliceMs: number
  /** A limit holds at least so long, whatever reset was stated (G14); 0 when left out. */
  readonly minHoldMs?: number | undefined
}

/** The settings of a team as the operator writes them, defaults filled in. */
export interface TeamConfig extends TeamSettings {
  /** Longest turn; null: what the profile of its engine says. */
  readonly turnTimeoutMin: number | null
  /** Longest silence of a turn; null: what the profile of its engine says. */
  readonly stallMin: number | null
  readonly minHoldMs: number
  /** How much of the thread a participant is handed. */
  readonly contextCharacters: number
  /** Every participant in turn, or a list of ids that is gone through again and again. */
  readonly order: 'rotation' | readonly string[]
}

/** A usage limit as a run reported it; null when no reset could be read (T5). */
export interface ReportedLimit {
  readonly resetAt: number | null
}

/** How a call failed that reported neither a limit nor an outage. */
export type RunFault =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'timed_out' }
  /** A provider without an exit code; `failure` is the kind of its failure. */
  | { readonly kind: 'failed'; readonly failure: string }

/** What a post says of what comes next. */
export interface Said {
  /** Whom it asks to go on: the participant that it mentions (`@id`). */
  readonly asked?: string | null | undefined
  /** Its author sees nothing left to do. */
  readonly done?: boolean | undefined
}

/** What one run came to: one call of one engine for one participant. */
export type RunResult =
  /** Whatever came after the post: the post stays (T13). `limit`: one that was reported after it. */
  | ({ readonly kind: 'posted'; readonly limit: ReportedLimit | null } & Said)
  | { readonly kind: 'limited'; readonly limit: ReportedLimit }
  | { readonly kind: 'network' }
  | { readonly kind: 'failed'; readonly fault: RunFault }
  /** A `wait` play. */
  | { readonly kind: 'waiting'; readonly minutes: number }
  | { readonly kind: 'silent' }

/** Why a turn was begun. `retry`: the last turn of the same participant is repeated because it did not come off. */
export type StartedBy = 'pick' | 'handoff' | 'gate' | 'retry'

export type RunState = 'running' | 'rate_limited' | 'unreachable' | 'backing_off' | 'waiting' | 'paused' | 'stopped'

/** What ended a wait. `probe`: the time was up, without a reset that anybody had stated. */
export type WokenBy = 'reset' | 'probe' | 'stop' | 'pause' | 'message'

/** `done`: every participant sees nothing left to do. */
export type PauseCause = 'pause' | 'gave_up' | 'silent' | 'done'

/** Why a run of a team is over. `until`: the host's own bound. */
export type TeamEnd = 'until' | 'stop' | 'maxIterations' | 'maxRuntimeMin'

/** One call, as it is told and as it is asked for. */
export interface TeamRun {
  /** Number of the turn, from 1; the runs of one turn share it. */
  readonly n: number
  readonly participant: string
  readonly entry: ChainEntry
  readonly startedBy: StartedBy
}

/** What a run of a team tells of itself, as it happens. Texts of posts and prompts are in none of it (R36). */
export type TeamFact = { readonly at: number } & (
  | { readonly type: 'state.entered'; readonly state: RunState }
  | { readonly type: 'line.written'; readonly line: string }
  | { readonly type: 'run.started'; readonly run: TeamRun }
  | { readonly type: 'run.ended'; readonly run: TeamRun; readonly result: RunResult['kind'] }
  | { readonly type: 'wait.started'; readonly untilAt: number }
  | { readonly type: 'wait.ended'; readonly wokenBy: WokenBy }
  | { readonly type: 'team.ended'; readonly reason: TeamEnd }
  /** A defect of ours; the run is over. */
  | { readonly type: 'team.failed'; readonly error: unknown }
)
