import type { Observable } from 'rxjs'
import type { PromptedParticipant } from '../../config/team/check-team.ts'
import type { TeamInput } from '../../config/team/team-schema.ts'
import type { Post } from '../../model/post.ts'
import type { TeamEnd } from '../../model/team.ts'
import type { TeamEvent } from '../../model/team-event.ts'
import type { TeamStanding } from '../../model/team-standing.ts'
import type { ChoiceRule } from '../../policy/team/order.ts'
import type { TeamStatus } from '../../policy/team/team-status.ts'
import type { Thread } from '../thread/thread.ts'
import type { TeamClock } from './team-clock.ts'

/** A participant as a host states it. */
export type TeamParticipant = Pick<PromptedParticipant, 'id' | 'provider' | 'prompt'> & Partial<Pick<PromptedParticipant, 'model' | 'failover'>>

/** Who works, on what, and by which rules. */
export interface Team {
  /** At least one; they stand in the order in which they are listed. */
  readonly participants: readonly TeamParticipant[]
  /** Bounds, slices and the order; `team` of the kernel's settings when left out. */
  readonly settings?: Partial<TeamInput> | undefined
  /** Where posts are kept; in memory when left out. */
  readonly thread?: Thread | undefined
  /** A pure function that says who is next; who is asked for, then the order, when left out. */
  readonly choice?: ChoiceRule | undefined
  /** IANA zone of the times in log lines; that of this process when left out. */
  readonly zone?: string | undefined
  /** Where programs work unless their profile says otherwise; where this process does. */
  readonly directory?: string | undefined
  /** Beginning of the names of its turns in the ledger; minted when left out. */
  readonly id?: string | undefined
  /** Ends the run before anything new once it holds: how many turns have ended, and the wall clock (epoch ms). */
  readonly until?: ((turns: number, now: number) => boolean) | undefined
  /** Where a run that another process began stood when it ended (`TeamHandle.standing`). */
  readonly standing?: TeamStanding | undefined
  /** The clock of the kernel when that was given one, else those of the machine. */
  readonly clock?: TeamClock | undefined
  /** Called once a slice of a wait, so that whoever watches sees that the process lives (T17). */
  readonly onHeartbeat?: (() => void) | undefined
}

/** A line of the log, in the words that rules.md §7–9 give. */
export interface TeamLine {
  readonly at: number
  readonly line: string
}

/** `defect`: a fault of relevo itself ended the run; `error` is what was thrown. */
export interface TeamResult {
  readonly reason: TeamEnd | 'defect'
  readonly status: TeamStatus
  readonly error?: unknown
}

/** A team at work. It begins at the end of the task in which it was made. */
export interface TeamHandle {
  /** Lines from now on; replays nothing. */
  readonly log$: Observable<TeamLine>
  /** How it stands: now, and again at each change. */
  readonly state$: Observable<TeamStatus>
  /** Posts from now on; those before stand in `thread`. */
  readonly thread$: Observable<Post>
  /** Everything that happens, from now on, without any text of a post. A subscriber is called in the moment in which it happens. */
  readonly events$: Observable<TeamEvent>
  readonly thread: Thread
  readonly status: TeamStatus
  /** What another process needs to go on; limits are not in it (T7). */
  readonly standing: TeamStanding
  /** Posts for the person. Throws ThreadError, and nothing is posted then. */
  say(text: string): Post
  /** A call in flight is let end (G22). */
  pause(): void
  resume(): void
  /** Grants what a participant asked for by a `gate` play; false when it asked for nothing (G23). */
  approve(participant: string): boolean
  /** A call in flight is let end, unless `immediate`. Resolves as `done` does. */
  stop(options?: { readonly immediate?: boolean }): Promise<TeamResult>
  /** When the run is over. Never rejects. */
  readonly done: Promise<TeamResult>
}
