import type { ToldFact } from '../../../host.ts'
import type { PageEvent } from '../page-event.ts'
import type { Draft } from './draft.ts'
import { type Attempt, BOUNDS, keyOf, type Turn } from './state.ts'

type TurnTold = Extract<PageEvent, { readonly type: 'turn.told' }>
type Fact<Type extends ToldFact['type']> = Extract<ToldFact, { readonly type: Type }>

/**
 * A fact of a turn. A turn whose beginning was told to nobody here is known from its first fact on.
 */
export function tellTurn(draft: Draft, { kernel, participant, fact }: TurnTold): void {
  const turns = draft.map('turns')
  const key = keyOf(kernel, fact.turn)
  const known = turns.get(key)
  const before = known === undefined || startsAgain(known, fact) ? blank(key, kernel, participant, fact) : known
  const after = told(before, fact)
  // A name that is used again is a new turn, and stands where new ones stand.
  if (known !== undefined && before !== known) turns.delete(key)
  turns.set(key, after)
  count(draft, after.attempts.length - (known?.attempts.length ?? 0))
  if (fact.type === 'turn.ended') draft.say(ending(fact))
  if (fact.type === 'hold.set') draft.say(`${fact.hold.key} is held: ${fact.hold.reason}`)
}

function startsAgain({ endedAt }: Turn, { type }: ToldFact): boolean {
  return endedAt !== null && type === 'turn.started'
}

function blank(key: string, kernel: string, participant: string | null, { turn, at }: ToldFact): Turn {
  const none = { endedAt: null, kind: null, requested: null, served: null, cost: null }
  return { key, kernel, turn, participant, startedAt: at, ...none, attempts: [], waits: [], remarks: [] }
}

/** Whole turns are let go, the oldest first, until the rest is within bounds. */
function count(draft: Draft, more: number): void {
  let { held, gone } = draft.state.attempts
  held += more
  const turns = draft.map('turns')
  while ((held > BOUNDS.attempts || turns.size > BOUNDS.turns) && turns.size > 1) {
    const [key, { attempts }] = turns.entries().next().value as [string, Turn]
    turns.delete(key)
    held -= attempts.length
    gone += attempts.length
  }
  draft.set('attempts', { held, gone })
}

function told(turn: Turn, fact: ToldFact): Turn {
  switch (fact.type) {
    case 'turn.started':
      return { ...turn, startedAt: fact.at, requested: fact.requested }
    case 'attempt.started':
      return { ...turn, attempts: [...turn.attempts, begun(fact)].slice(-BOUNDS.attemptsOfATurn) }
    case 'output.committed':
      return changed(turn, fact.n, { committedAt: fact.at })
    case 'attempt.ended':
      return changed(turn, fact.n, { endedAt: fact.at, result: fact.result, accepted: fact.accepted, cost: fact.cost })
    case 'attempt.failed':
      return turn
    case 'wait.started': {
      const { at, ms, why, key } = fact
      const wait = { startedAt: at, endedAt: null, ms, why, key, cut: false }
      return { ...turn, waits: [...turn.waits, wait].slice(-BOUNDS.attemptsOfATurn) }
    }
    case 'wait.ended':
      return { ...turn, waits: turn.waits.map((wait) => (wait.endedAt === null ? { ...wait, endedAt: fact.at, cut: fact.cut } : wait)) }
    case 'turn.ended':
      return { ...turn, endedAt: fact.at, kind: fact.kind, requested: fact.requested ?? turn.requested, served: fact.served, cost: fact.cost }
    default:
      return { ...turn, remarks: [...turn.remarks, { at: fact.at, text: remark(fact) }].slice(-BOUNDS.remarksOfATurn) }
  }
}

function begun({ n, entry, mode, at }: Fact<'attempt.started'>): Attempt {
  return { n, entry, mode, startedAt: at, endedAt: null, committedAt: null, result: null, accepted: false, cost: null }
}

/** Changes the latest attempt of that number: a turn whose name is used twice has two. */
function changed(turn: Turn, n: number, change: Partial<Attempt>): Turn {
  const place = turn.attempts.findLastIndex((attempt) => attempt.n === n)
  const attempt = turn.attempts[place]
  return attempt === undefined ? turn : { ...turn, attempts: turn.attempts.with(place, { ...attempt, ...change }) }
}

function remark(fact: Fact<'warning.raised' | 'entry.skipped' | 'recovery.started' | 'history.shortened' | 'hold.set'>): string {
  switch (fact.type) {
    case 'warning.raised':
      return `warning: ${fact.warning.message}`
    case 'entry.skipped':
      return `${fact.entry} skipped: ${fact.event.reason.replaceAll('_', ' ')}`
    case 'recovery.started':
      return `recovery after ${fact.from.replaceAll('_', ' ')}`
    case 'history.shortened':
      return `history shortened: ${fact.kept} kept, ${fact.dropped} dropped`
    case 'hold.set':
      return `hold on ${fact.hold.key}: ${fact.hold.reason}`
  }
}

function ending({ turn, kind, served, attempts }: Fact<'turn.ended'>): string {
  const by = served === null ? kind.replaceAll('_', ' ') : `${kind.replaceAll('_', ' ')} by ${served.profile}`
  return `turn ${turn}: ${by}, ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`
}
