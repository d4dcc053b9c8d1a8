import type { Member, PauseCause, RunResult, RunState, TeamEnd, TeamRun, TeamSettings, WokenBy } from '../../model/team.ts'
import type { Narrator } from './narrate.ts'
import type { ChoiceRule } from './order.ts'
import { FIRST_PLACE, type Place } from './place.ts'
import { EMPTY_REGISTER, type Register } from './register.ts'
import type { Given } from './whose-turn.ts'

/**
 * What a run of a team remembers from step to step. It lives as long as the run does. A restart brings back where the thread stood
 * (`TeamStart`) and nothing of limits and outages, which are learned anew (T7).
 */
export interface TeamFixed {
  readonly members: readonly Member[]
  readonly settings: TeamSettings
  readonly choice: ChoiceRule
  readonly narrator: Narrator
  /** The host's own bound, asked before anything new is begun: how many turns have ended, and the wall clock (G33). */
  readonly until: (turns: number, now: number) => boolean
}

/** Time, as every event brings it. */
export interface TeamFacts {
  /** The wall clock, epoch ms. */
  readonly now: number
  /** A clock that stands still while the machine is suspended, ms; what is charged goes by it (G12). */
  readonly elapsedMs: number
}

/** A turn in progress or the last one. */
export interface TeamTurn extends TeamRun {
  /** The entry that runs, as a place in the chain. */
  readonly at: number
  /** Where the order stands once the turn has come off. */
  readonly position: number
  /** By whom its participant had been asked for when it began. */
  readonly heard: TeamMemory['asked']
}

export interface TeamWait {
  /** From 1; fences a wait, as the number of a run does a run. */
  readonly number: number
  readonly untilAt: number
  readonly by: 'reset' | 'probe'
  readonly state: 'rateLimited' | 'unreachable' | 'backingOff' | 'waiting'
}

/** A wait that a failed call or a wait play asks for; it begins when nothing else is due before it (G28). */
export interface Due {
  readonly why: 'failed' | 'played'
  readonly untilAt: number
}

export type TeamStep =
  | { readonly to: 'run' }
  | { readonly to: 'wait' }
  | { readonly to: 'pause' }
  | { readonly to: 'end'; readonly reason: TeamEnd }
  | { readonly to: 'choose' }

/** What a step brought, for whoever watches. */
export type TeamNews =
  | { readonly type: 'line.written'; readonly line: string }
  | { readonly type: 'run.ended'; readonly run: TeamRun; readonly result: RunResult['kind'] }
  | { readonly type: 'wait.ended'; readonly wokenBy: WokenBy }
  /** Entered for an instant, before the state that is to stand. */
  | { readonly type: 'state.passed'; readonly state: RunState }

export interface TeamMemory extends TeamFacts {
  readonly register: Register
  readonly places: ReadonlyMap<string, Place>
  /** Where the order stands. */
  readonly position: number
  readonly turn: TeamTurn | null
  /** How many calls were begun; it fences a run. */
  readonly runs: number
  /** How many turns were begun, and how many of them have ended. */
  readonly begun: number
  readonly ended: number
  readonly repeated: Given | null
  readonly giver: Given | null
  readonly gates: ReadonlySet<string>
  readonly approved: readonly string[]
  /** Whom the person asked to go on, until they do, and whom the newest post of a participant asks. The person comes first. */
  readonly asked: { readonly byPerson: string | null; readonly byPost: string | null }
  /** Participants that see nothing left to do, since the person last spoke. */
  readonly done: ReadonlySet<string>
  /** Failed calls in a row, of the whole run (G20). */
  readonly failedRow: number
  /** Silent turns in a row, by participant (G20). */
  readonly silentRows: ReadonlyMap<string, number>
  /** Wait plays in a row. */
  readonly playedRow: number
  readonly due: Due | null
  readonly wait: TeamWait | null
  readonly iterations: number
  readonly chargedMs: number
  /** Since when time is charged, on the clock of `elapsedMs`; null while none is. */
  readonly chargedSince: number | null
  /** Asked for while a call runs, which is let end (G22). */
  readonly stopping: boolean
  readonly pausing: PauseCause | null
  /** Why the run is paused, or was last. */
  readonly paused: PauseCause | null
  readonly step: TeamStep
  readonly news: readonly TeamNews[]
}

/** What a run goes on with that another process began. */
export type TeamStart = Pick<
  TeamMemory,
  'position' | 'begun' | 'ended' | 'repeated' | 'gates' | 'approved' | 'asked' | 'done' | 'iterations' | 'chargedMs' | 'paused'
>

export function teamMemory({ now, elapsedMs }: TeamFacts, start: Partial<TeamStart> = {}): TeamMemory {
  return {
    now,
    elapsedMs,
    register: EMPTY_REGISTER,
    places: new Map(),
    position: 0,
    turn: null,
    runs: 0,
    begun: 0,
    ended: 0,
    repeated: null,
    giver: null,
    gates: new Set(),
    approved: [],
    asked: { byPerson: null, byPost: null },
    done: new Set(),
    failedRow: 0,
    silentRows: new Map(),
    playedRow: 0,
    due: null,
    wait: null,
    iterations: 0,
    chargedMs: 0,
    chargedSince: null,
    stopping: false,
    pausing: null,
    paused: null,
    step: { to: 'choose' },
    news: [],
    ...start,
  }
}

export function placeOf({ places }: Pick<TeamMemory, 'places'>, id: string): Place {
  return places.get(id) ?? FIRST_PLACE
}

/** What is charged to the runtime by now: calls, waits after failed calls and wait plays; no sleep, no pause (T17, G12). */
export function chargedBy({ chargedMs, chargedSince }: Pick<TeamMemory, 'chargedMs' | 'chargedSince'>, elapsedMs: number): number {
  return chargedSince === null ? chargedMs : chargedMs + elapsedMs - chargedSince
}
