import type { Member } from '../../model/team.ts'
import { spentBudget } from './budget.ts'
import { failedCallUntil } from './failed-call.ts'
import { keepsTurn } from './handoff.ts'
import { freeEntry, movedTo } from './place.ts'
import { isLimited, lifted, type Register } from './register.ts'
import { sleepOf } from './sleep.ts'
import { chargedBy, placeOf, type TeamFixed, type TeamMemory, type TeamNews, type TeamTurn, type TeamWait } from './team-memory.ts'
import { type Whose, whoseTurn } from './whose-turn.ts'

/**
 * What is done next, when nothing runs: end, pause, wait, or a turn; and what follows a run that was limited or out of reach.
 *
 * 1. The order is fixed: stop, pause, the host's bound, the budgets, the wait that is due, then lifting, then the choice (G28).
 * 2. Limits are lifted here and nowhere else, so an engine is chosen when a turn starts and never during one (T14, T15, G24).
 * 3. A hop belongs to its turn; it is not made once the run is to stop or pause, nor for an approved turn (T9, T12, G22).
 */
export function teamChosen(fixed: TeamFixed, memory: TeamMemory): Partial<TeamMemory> {
  const bound = boundOf(fixed, memory)
  if (bound !== null) return { ...bound, news: [] }
  const due = dueWait(fixed, memory)
  if (due !== null) return due
  if (isAllDone(fixed, memory)) return { step: { to: 'pause' }, paused: 'done', news: [{ type: 'line.written', line: fixed.narrator.done() }] }
  const register = lifted(memory.register, memory.now)
  const { members, choice } = fixed
  const { position, gates, approved, repeated, giver, done } = memory
  const asked = memory.asked.byPerson ?? memory.asked.byPost
  const whose = whoseTurn({ members, register, choice, position, gates, approved, repeated, giver, asked, done })
  return whose.kind === 'turn' ? begun(fixed, memory, register, whose) : asleep(fixed, memory, register, whose)
}

/** Handed on within the chain, or over; then the choice is who takes it (T9, T11, T12). */
export function teamHandedOn(fixed: TeamFixed, memory: TeamMemory): Partial<TeamMemory> {
  const { turn, stopping, pausing, register } = memory
  if (turn === null) return { step: { to: 'choose' }, news: [] }
  const mayHop = turn.startedBy !== 'gate' && !stopping && pausing === null && !fixed.until(memory.ended, memory.now)
  const at = mayHop ? freeEntry(memberOf(fixed, turn.participant), register, turn.at) : -1
  if (at !== -1) return ran(fixed, memory, { ...turn, at }, register)
  return { ...turnOver(fixed, memory, turn), ended: memory.ended + 1, step: { to: 'choose' }, news: [] }
}

/**
 * A limited or unreachable turn: who keeps it repeats it, anybody else hands it off. The order stays where it was, and whoever asked for its
 * participant asks still (G03).
 */
function turnOver({ members }: TeamFixed, { gates, asked }: TeamMemory, turn: TeamTurn): Partial<TeamMemory> {
  const { participant: id, startedBy, position, heard } = turn
  const still = { asked: { byPerson: asked.byPerson ?? heard.byPerson, byPost: asked.byPost ?? heard.byPost } }
  if (startedBy === 'gate') return still
  if (keepsTurn({ id, startedBy, gates, size: members.length })) return { ...still, repeated: { id, position } }
  return { ...still, giver: { id, position } }
}

function boundOf(fixed: TeamFixed, memory: TeamMemory): Partial<TeamMemory> | null {
  const { stopping, pausing, ended, now, iterations, elapsedMs } = memory
  if (stopping) return { step: { to: 'end', reason: 'stop' } }
  if (pausing !== null) return { step: { to: 'pause' }, paused: pausing, pausing: null }
  if (fixed.until(ended, now)) return { step: { to: 'end', reason: 'until' } }
  const reason = spentBudget({ iterations, chargedMs: chargedBy(memory, elapsedMs) }, fixed.settings)
  return reason === null ? null : { step: { to: 'end', reason } }
}

/** The wait after a failed call or a wait play, unless its time has passed (T19, G27, G30). */
function dueWait({ members }: TeamFixed, memory: TeamMemory): Partial<TeamMemory> | null {
  const { due, register, now, elapsedMs } = memory
  if (due === null) return null
  const team = members.flatMap(({ entries }) => entries)
  const until = due.why === 'failed' ? failedCallUntil(due.untilAt, team, register) : ({ at: due.untilAt, by: 'probe' } as const)
  if (until.at <= now) return null
  const wait: TeamWait = {
    number: nextWait(memory),
    untilAt: until.at,
    by: until.by,
    state: due.why === 'failed' ? 'backingOff' : 'waiting',
  }
  return { step: { to: 'wait' }, wait, chargedSince: elapsedMs, news: [] }
}

/** Nobody who could have a turn wants one, and none is owed. */
function isAllDone({ members }: TeamFixed, { done, approved, repeated }: TeamMemory): boolean {
  return approved.length === 0 && repeated === null && members.every(({ id, entries }) => done.has(id) || entries.length === 0)
}

/** Nobody can take the turn: a sleep, which is not charged (T16, T17, T18). */
function asleep(fixed: TeamFixed, memory: TeamMemory, register: Register, { kept }: Extract<Whose, { kind: 'nobody' }>): Partial<TeamMemory> {
  const sleep = sleepOf({ members: fixed.members, register, kept, done: memory.done })
  // A team without an engine is refused before it runs; were one to get here, it would stop and not spin.
  if (sleep === null) return { step: { to: 'end', reason: 'stop' }, news: [] }
  const line = fixed.narrator.sleep(sleep, kept?.id ?? null, memory.now)
  // Who is done could have the turn, and the person may ask for it: such a wait is one that a message ends.
  const isIdle = kept === null && fixed.members.some((member) => memory.done.has(member.id) && freeEntry(member, register) !== -1)
  const wait: TeamWait = { number: nextWait(memory), untilAt: sleep.untilAt, by: sleep.by, state: isIdle ? 'waiting' : sleep.state }
  return { step: { to: 'wait' }, register, wait, due: null, giver: null, news: line === null ? [] : [{ type: 'line.written', line }] }
}

function begun(fixed: TeamFixed, memory: TeamMemory, register: Register, whose: Extract<Whose, { kind: 'turn' }>): Partial<TeamMemory> {
  const { id, at, startedBy, position, giver } = whose
  const entry = memberOf(fixed, id).entries[at]
  if (entry === undefined) return { step: { to: 'end', reason: 'stop' }, news: [] }
  const { asked, heard } = heardBy(memory.asked, id)
  const turn: TeamTurn = { n: memory.begun + 1, participant: id, entry, startedBy, at, position, heard }
  const told = giver !== null && memberOf(fixed, giver).entries.some((each) => isLimited(register, each))
  const step = ran(fixed, memory, turn, register)
  return {
    ...step,
    news: [...(told ? [{ type: 'line.written', line: fixed.narrator.handoff(giver, id) } as const] : []), ...(step.news ?? [])],
    begun: memory.begun + 1,
    due: null,
    asked,
    done: without(memory.done, id),
    // An approved turn comes between; what was to be repeated or handed off still is.
    ...(startedBy === 'gate' ? {} : { repeated: null, giver: null }),
  }
}

/** Who has been asked for has the turn now: what is asked still, and what was heard by that. */
function heardBy(
  { byPerson, byPost }: TeamMemory['asked'],
  id: string,
): { readonly asked: TeamMemory['asked']; readonly heard: TeamMemory['asked'] } {
  const isHeard = (by: string | null): boolean => by === id
  return {
    asked: { byPerson: isHeard(byPerson) ? null : byPerson, byPost: isHeard(byPost) ? null : byPost },
    heard: { byPerson: isHeard(byPerson) ? byPerson : null, byPost: isHeard(byPost) ? byPost : null },
  }
}

function without(done: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return done.has(id) ? new Set([...done].filter((each) => each !== id)) : done
}

/** The call on the entry at which the turn stands now, and what is told of the move there. */
function ran(fixed: TeamFixed, memory: TeamMemory, turn: TeamTurn, register: Register): Partial<TeamMemory> {
  const member = memberOf(fixed, turn.participant)
  const { place, news } = movedTo(member, placeOf(memory, member.id), turn.at, register)
  const line: TeamNews[] = news === null ? [] : [{ type: 'line.written', line: fixed.narrator.place(member.id, news) }]
  return {
    step: { to: 'run' },
    register,
    turn: { ...turn, entry: member.entries[turn.at] ?? turn.entry },
    runs: memory.runs + 1,
    places: new Map(memory.places).set(member.id, place),
    chargedSince: memory.elapsedMs,
    news: line,
  }
}

function nextWait({ wait }: TeamMemory): number {
  return (wait?.number ?? 0) + 1
}

function memberOf({ members }: TeamFixed, id: string): Member {
  return members.find((member) => member.id === id) ?? { id, entries: [] }
}
