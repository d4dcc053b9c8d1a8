import type { PauseCause, RunFault, RunResult, Said, TeamRun, WokenBy } from '../../model/team.ts'
import { isIteration } from './budget.ts'
import { failedCallWaitMs, MOST_FAILED_CALLS } from './failed-call.ts'
import { whatFailed } from './narrate.ts'
import { type Register, reached, withLimit, withOutage } from './register.ts'
import { MOST_SILENT_TURNS, silentRow } from './silence.ts'
import { chargedBy, type TeamFacts, type TeamFixed, type TeamMemory, type TeamNews, type TeamTurn } from './team-memory.ts'
import { waitPlayMs } from './wait-play.ts'

/**
 * What a finished run changes, and what orders and the end of a wait do.
 *
 * 1. A post counts, whatever came after it: the limit is recorded, an outage is none (T13, G26).
 * 2. A limit and an outage end no turn here: the chain comes first, in the next step (T9).
 * 3. A failed call, a silent turn and a wait play are repeated by the same participant (G30, G31). Of a row that pauses the run the silence
 *    is named before the failures (G28).
 */
export function teamTaken(fixed: TeamFixed, before: TeamMemory, result: RunResult, facts: TeamFacts): Partial<TeamMemory> {
  const { turn } = before
  if (turn === null) return { ...facts, news: [] }
  const known = recorded(fixed, before.register, turn, result, facts.now)
  const told: TeamNews[] = [{ type: 'run.ended', run: runOf(turn), result: result.kind }, ...known.news]
  const settled = { ...facts, ...charged(before, facts), register: known.register }
  if (!isIteration(result.kind)) return { ...settled, news: told }
  const over = { ...settled, ended: before.ended + 1, iterations: before.iterations + 1 }
  return { ...over, ...outcomeOf(fixed, { ...before, ...over }, turn, result, told) }
}

function recorded(fixed: TeamFixed, before: Register, { entry }: TeamTurn, result: RunResult, now: number): { register: Register; news: TeamNews[] } {
  const { provider } = entry
  if (result.kind === 'network') {
    const register = withOutage(before, entry, now)
    const untilAt = register.outages.get(provider)?.untilAt ?? now
    return { register, news: [{ type: 'line.written', line: fixed.narrator.outage(provider, untilAt, now) }] }
  }
  const register = reached(before, entry)
  const news: TeamNews[] = register === before ? [] : [{ type: 'line.written', line: fixed.narrator.reachable(provider) }]
  const limit = result.kind === 'limited' || result.kind === 'posted' ? result.limit : null
  return { register: limit === null ? register : withLimit(register, entry, limit, now, fixed.settings.minHoldMs), news }
}

/** What the end of a turn that came to something changes. */
function outcomeOf(fixed: TeamFixed, memory: TeamMemory, turn: TeamTurn, result: RunResult, told: readonly TeamNews[]): Partial<TeamMemory> {
  const { participant: id, position } = turn
  const silent = silentRow(memory.silentRows.get(id) ?? 0, result.kind)
  const silentRows = new Map(memory.silentRows).set(id, silent)
  const isGate = turn.startedBy === 'gate'
  switch (result.kind) {
    case 'posted':
      return { silentRows, failedRow: 0, playedRow: 0, ...posted(memory, turn, result), news: told }
    case 'waiting': {
      const playedRow = memory.playedRow + 1
      const untilAt = memory.now + waitPlayMs(result.minutes, playedRow, fixed.settings.maxWaitMin)
      const repeated = isGate ? memory.repeated : { id, position }
      return { silentRows, failedRow: 0, playedRow, due: { why: 'played', untilAt }, repeated, news: told }
    }
    case 'failed':
    case 'silent': {
      const failedRow = memory.failedRow + 1
      const untilAt = memory.now + failedCallWaitMs(failedRow)
      const repeated = isGate ? memory.repeated : { id, position }
      const failed = { silentRows, failedRow, playedRow: 0, due: { why: 'failed', untilAt } as const, repeated }
      const pause = pauseOf(fixed, turn, { silent, failedRow, fault: result.kind === 'failed' ? result.fault : null })
      if (pause === null) return { ...failed, news: told }
      return { ...failed, pausing: pause.cause, news: [...told, { type: 'line.written', line: pause.line }] }
    }
    case 'limited':
    case 'network':
      return { news: told }
  }
}

type Spoken = Pick<TeamMemory, 'repeated' | 'approved' | 'asked' | 'done'>

/** What a post changes of what comes next, in the process that made it and in one that finds it in the thread. */
export function posted(
  { repeated, approved, asked, done }: Spoken,
  { participant: id, startedBy, position }: Pick<TeamTurn, 'participant' | 'startedBy' | 'position'>,
  said: Said,
): Spoken & Pick<TeamMemory, 'position'> {
  return {
    position,
    repeated: repeated?.id === id ? null : repeated,
    approved: startedBy === 'gate' ? approved.slice(1) : approved,
    asked: { ...asked, byPost: said.asked ?? null },
    done: doneAfter(done, id, said),
  }
}

/** Who is done by now. Whom somebody else asks for looks again. */
function doneAfter(done: ReadonlySet<string>, id: string, { asked = null, done: isDone = false }: Said): ReadonlySet<string> {
  const added = isDone ? new Set([...done, id]) : done
  return asked === null || asked === id || !added.has(asked) ? added : new Set([...added].filter((each) => each !== asked))
}

interface Rows {
  readonly silent: number
  readonly failedRow: number
  readonly fault: RunFault | null
}

/** Whether the run is paused for a row of failures, and what is written then (T19, T20). */
function pauseOf({ narrator }: TeamFixed, turn: TeamTurn, rows: Rows): { cause: PauseCause; line: string } | null {
  const { silent, failedRow, fault } = rows
  if (silent >= MOST_SILENT_TURNS) return { cause: 'silent', line: narrator.silent(turn.participant) }
  if (failedRow < MOST_FAILED_CALLS) return null
  return { cause: 'gave_up', line: narrator.gaveUp(failedRow, whatFailed(turn.entry.engine, fault)) }
}

/** The wait is over, by its time or cut short: what was due is not taken up again (T17, T19, G19). */
export function teamWoken(memory: TeamMemory, facts: TeamFacts, wokenBy: WokenBy): Partial<TeamMemory> {
  return { ...facts, ...charged(memory, facts), due: null, news: [{ type: 'wait.ended', wokenBy }] }
}

/** The person has spoken: whom they asked for comes first, and who was done looks again. */
export function messageTaken({ asked }: Pick<TeamMemory, 'asked'>, mentioned: string | null): Pick<TeamMemory, 'asked' | 'done'> {
  return { asked: { ...asked, byPerson: mentioned ?? asked.byPerson }, done: new Set() }
}

/** A call is broken off: it came to nothing, and what it took until then is charged (G12). */
export function teamBrokenOff(memory: TeamMemory, facts: TeamFacts): Partial<TeamMemory> {
  return { ...facts, ...charged(memory, facts), news: [] }
}

/**
 * The run goes on after a pause: at once, and the choice is made anew (G19, G22). After it had given up the rows begin anew, or "resume to
 * try again" would buy one attempt.
 */
export function teamResumed(memory: TeamMemory, facts: TeamFacts): Partial<TeamMemory> {
  const anew = memory.paused === 'pause' ? {} : { failedRow: 0, silentRows: new Map<string, number>() }
  const done = memory.paused === 'done' ? { done: new Set<string>() } : {}
  return { ...facts, ...anew, ...done, pausing: null, due: null, giver: null, news: [{ type: 'state.passed', state: 'running' }] }
}

/** A gate of a participant is pending from now on; of one without an engine it would never be answered. */
export function gateOpened({ members }: TeamFixed, { gates }: TeamMemory, id: string): Partial<TeamMemory> {
  return members.some((member) => member.id === id && member.entries.length > 0) ? { gates: new Set([...gates, id]) } : {}
}

/** An approval without a pending gate is ignored (G23). */
export function gateApproved({ gates, approved }: TeamMemory, id: string): Partial<TeamMemory> {
  if (!gates.has(id)) return {}
  return { gates: new Set([...gates].filter((each) => each !== id)), approved: [...approved, id] }
}

function charged(memory: TeamMemory, { elapsedMs }: TeamFacts): Pick<TeamMemory, 'chargedMs' | 'chargedSince'> {
  return { chargedMs: chargedBy(memory, elapsedMs), chargedSince: null }
}

function runOf({ n, participant, entry, startedBy }: TeamTurn): TeamRun {
  return { n, participant, entry, startedBy }
}
