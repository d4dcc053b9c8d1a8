import type { Post } from '../../model/post.ts'
import type { Member } from '../../model/team.ts'
import type { TeamStanding } from '../../model/team-standing.ts'
import { postSays } from './post-says.ts'
import { chargedBy, type TeamMemory, type TeamStart } from './team-memory.ts'
import { messageTaken, posted } from './team-taken.ts'

/**
 * From one process to the next: where the run stood, and where it goes on.
 *
 * 1. Limits and outages are not carried: they are learned anew (T7).
 * 2. A call in flight that had posted is over: its post stands in the thread, and all that the post says is taken from there. It is never made
 *    again. One that had not posted is lost, and its participant has the turn again.
 * 3. A turn that was chosen and not begun is nobody's loss: its participant has it first.
 * 4. What the person said after this was written down stands in the thread, and is taken from there.
 * 5. What names a participant that is no longer there is dropped; so are questions and approvals of one that has no engine any more, which
 *    nobody could have answered for it (G18).
 */
export interface StandingView {
  readonly isPaused: boolean
  readonly elapsedMs: number
  /** The call that was begun last: its place among all calls, its turn, and the newest post when it began. */
  readonly called: { readonly run: number; readonly n: number; readonly lastPost: number; readonly isCut: boolean }
  /** Newest post that the run knows of. */
  readonly heard: number
}

export function standingOf(memory: TeamMemory, { isPaused, elapsedMs, called, heard }: StandingView): TeamStanding {
  const { turn, step, runs, position, begun, ended, iterations, gates, approved, asked, done, repeated, pausing, paused } = memory
  const current = step.to === 'run' ? turn : null
  const isBegun = current !== null && runs === called.run
  const chosen = isBegun ? null : current
  return {
    position,
    begun: chosen === null || chosen.n === called.n ? begun : begun - 1,
    ended,
    iterations,
    chargedMs: chargedBy(memory, elapsedMs),
    paused: isPaused ? (pausing ?? paused) : pausing,
    gates: [...gates],
    approved: [...approved],
    asked,
    done: [...done],
    repeated: chosen === null || chosen.startedBy === 'gate' ? repeated : { id: chosen.participant, position: chosen.position },
    heard,
    run: isBegun ? { ...runOf(current), lastPost: called.lastPost, isCut: called.isCut } : null,
  }
}

type Run = NonNullable<TeamStanding['run']>

function runOf({ n, participant, entry, startedBy, position }: NonNullable<TeamMemory['turn']>): Omit<Run, 'lastPost' | 'isCut'> {
  return { n, participant, engine: entry.engine, startedBy, position }
}

export interface GoesOn {
  readonly start: TeamStart
  /** The call that was in flight and had not posted; null when there was none. */
  readonly lost: TeamStanding['run']
}

export function goesOn(standing: TeamStanding, posts: readonly Post[], members: readonly Member[]): GoesOn {
  const ids = members.map(({ id }) => id)
  const known = (id: string): boolean => ids.includes(id)
  const { run, heard, repeated, asked, begun } = standing
  const { position, iterations, chargedMs, paused } = standing
  const start: TeamStart = {
    position,
    begun,
    ended: begun,
    iterations,
    chargedMs,
    paused,
    gates: new Set(standing.gates.filter(known)),
    approved: standing.approved.filter(known),
    asked: { byPerson: known(asked.byPerson ?? '') ? asked.byPerson : null, byPost: known(asked.byPost ?? '') ? asked.byPost : null },
    done: new Set(standing.done.filter(known)),
    repeated: repeated !== null && known(repeated.id) ? repeated : null,
  }
  const unheard = posts.filter(({ id, participant }) => id > heard && participant === null)
  if (run === null || !known(run.participant)) return { start: answerable(spokenTo(start, unheard, ids), members), lost: null }
  const post = posts.findLast(({ id, participant }) => id > run.lastPost && participant === run.participant)
  const gone = post === undefined ? lostRun(start, run) : postedRun(start, run, post, ids)
  return { start: answerable(spokenTo(gone, unheard, ids), members), lost: post === undefined ? run : null }
}

function answerable(start: TeamStart, members: readonly Member[]): TeamStart {
  const canAsk = (id: string): boolean => members.some((member) => member.id === id && member.entries.length > 0)
  return { ...start, gates: new Set([...start.gates].filter(canAsk)), approved: start.approved.filter(canAsk) }
}

function lostRun(start: TeamStart, { participant: id, startedBy, position }: Run): TeamStart {
  return startedBy === 'gate' ? start : { ...start, repeated: { id, position } }
}

function postedRun(start: TeamStart, run: Run, { text }: Post, ids: readonly string[]): TeamStart {
  const { participant: id, startedBy, position, isCut } = run
  const says = postSays(text, id, ids, !isCut)
  const counted = { ...start, iterations: start.iterations + 1 }
  if (says.waitMin !== null) return startedBy === 'gate' ? counted : { ...counted, repeated: { id, position } }
  const after = { ...counted, ...posted(start, run, says) }
  // An approval that was given since the post asked for it has taken the question away.
  return says.gate && !after.approved.includes(id) ? { ...after, gates: new Set([...after.gates, id]) } : after
}

/** The messages of the person in the order in which they were said. They wake those who were all done, as in the process that took them. */
function spokenTo(start: TeamStart, messages: readonly Post[], ids: readonly string[]): TeamStart {
  let { asked, done } = start
  for (const { text } of messages) ({ asked, done } = messageTaken({ asked }, postSays(text, null, ids).asked))
  const isWoken = messages.length > 0 && start.paused === 'done'
  return { ...start, asked, done, paused: isWoken ? null : start.paused }
}
