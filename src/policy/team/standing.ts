import type { Post } from '../../model/post.ts'
import type { RunState } from '../../model/team.ts'
import type { TeamStanding } from '../../model/team-standing.ts'
import { mentioned } from './mention.ts'
import { endOfTurn } from './plays.ts'
import { chargedBy, type TeamMemory, type TeamStart } from './team-memory.ts'

/**
 * From one process to the next: where the run stood, and where it goes on.
 *
 * 1. Limits and outages are not carried: they are learned anew (T7).
 * 2. A call in flight that had posted is over: its post stands in the thread, and all that the post says is taken from there. It is never made
 *    again. One that had not posted is lost, and its participant has the turn again.
 * 3. What names a participant that is no longer there is dropped.
 */
export interface StandingView {
  readonly state: RunState
  /** A call is in flight. */
  readonly isRunning: boolean
  readonly elapsedMs: number
  /** Newest post when that call began. */
  readonly lastPost: number
}

export function standingOf(memory: TeamMemory, { state, isRunning, elapsedMs, lastPost }: StandingView): TeamStanding {
  const { turn, position, begun, ended, iterations, gates, approved, asked, done, repeated, pausing, paused } = memory
  const run = isRunning && turn !== null ? { ...runOf(turn), lastPost } : null
  return {
    position,
    begun,
    ended,
    iterations,
    chargedMs: chargedBy(memory, elapsedMs),
    paused: state === 'paused' ? (paused ?? 'pause') : pausing,
    gates: [...gates],
    approved: [...approved],
    asked,
    done: [...done],
    repeated,
    run,
  }
}

function runOf({ n, participant, entry, startedBy, position }: NonNullable<TeamMemory['turn']>): Omit<NonNullable<TeamStanding['run']>, 'lastPost'> {
  return { n, participant, engine: entry.engine, startedBy, position }
}

export interface GoesOn {
  readonly start: TeamStart
  /** The call that was in flight and had not posted; null when there was none. */
  readonly lost: TeamStanding['run']
}

export function goesOn(standing: TeamStanding, posts: readonly Post[], ids: readonly string[]): GoesOn {
  const known = (id: string): boolean => ids.includes(id)
  const { run, repeated, asked, begun } = standing
  const start: TeamStart = {
    ...standing,
    ended: begun,
    gates: new Set(standing.gates.filter(known)),
    approved: standing.approved.filter(known),
    asked: { byPerson: asked.byPerson !== null && known(asked.byPerson) ? asked.byPerson : null, byPost: asked.byPost },
    done: new Set(standing.done.filter(known)),
    repeated: repeated !== null && known(repeated.id) ? repeated : null,
  }
  if (run === null || !known(run.participant)) return { start, lost: null }
  const post = posts.findLast(({ id, participant }) => id > run.lastPost && participant === run.participant)
  return post === undefined ? { start: lostRun(start, run), lost: run } : { start: postedRun(start, run, post, ids), lost: null }
}

type Run = NonNullable<TeamStanding['run']>

function lostRun(start: TeamStart, { participant: id, startedBy, position }: Run): TeamStart {
  return startedBy === 'gate' ? start : { ...start, repeated: { id, position } }
}

function postedRun(start: TeamStart, { participant: id, startedBy, position }: Run, post: Post, ids: readonly string[]): TeamStart {
  const { play } = endOfTurn(post.text)
  const done = new Set([...start.done].filter((each) => each !== id))
  if (play?.kind === 'done') done.add(id)
  return {
    ...start,
    position,
    iterations: start.iterations + 1,
    approved: startedBy === 'gate' ? start.approved.filter((each) => each !== id) : start.approved,
    gates: play?.kind === 'gate' ? new Set([...start.gates, id]) : start.gates,
    asked: { ...start.asked, byPost: mentioned(post.text, id, ids) },
    done,
  }
}
