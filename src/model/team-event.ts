import type { TeamFact, TeamRun } from './team.ts'

/** What a supervised team tells of itself. Texts of posts and prompts are in none of it (R36). */
export type TeamEvent = TeamFact | ({ readonly at: number } & ThreadFact)

export type ThreadFact =
  /** `participant` null: the person. `post` is its id in the thread. */
  | { readonly type: 'post.appended'; readonly post: number; readonly participant: string | null; readonly engine: string | null }
  /** The thread took no post. It is kept, and put into the thread before the participant is asked again. */
  | { readonly type: 'post.refused'; readonly participant: string; readonly code: string; readonly message: string }
  /** The run is over, and the thread still took no post that was kept: its text is gone. */
  | { readonly type: 'post.lost'; readonly participant: string; readonly code: string }
  | { readonly type: 'gate.opened'; readonly participant: string; readonly post: number }
  | { readonly type: 'gate.approved'; readonly participant: string }
  /** The last line of a post begins like a play and is none. */
  | { readonly type: 'play.unread'; readonly participant: string; readonly post: number }
  /** A call was in flight when the process before this one ended, and had not posted. */
  | { readonly type: 'run.lost'; readonly run: Pick<TeamRun, 'n' | 'participant' | 'startedBy'> & { readonly engine: string } }
