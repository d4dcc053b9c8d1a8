import type { ChainEntry, Member, StartedBy } from '../../model/team.ts'
import { keepsTurn } from './handoff.ts'
import { type Choice, type ChoiceRule, type ChoiceView, listedOrder } from './order.ts'
import { freeEntry } from './place.ts'
import { isFree, type Register } from './register.ts'

/**
 * Whose turn is next, and on which entry (T11, T12, T15, G03–G08, G18, G31).
 *
 * 1. In this order: an approved turn, a turn that is repeated, a teammate for one that is handed off, then the order.
 * 2. A turn that was limited or out of reach leaves the order where it was (G03). A handoff is the taker's place in it (G04).
 * 3. A participant without a free engine is gone around in silence, but not one with a pending gate, which waits for its own (G05, G08).
 * 4. An approved turn runs on its participant's own provider or not at all, and does not move the order (T12, G08).
 * 5. Who is done is gone around until somebody asks for them or the person speaks.
 * 6. A choice rule of a host that names nobody who could have the turn does not stop the run: listed order then decides.
 */
export interface WhoseView {
  readonly members: readonly Member[]
  /** As lifted for the turn that starts. */
  readonly register: Register
  readonly choice: ChoiceRule
  /** Where the order stands. */
  readonly position: number
  readonly gates: ReadonlySet<string>
  /** Participants whose gate was approved and who have not had that turn. */
  readonly approved: readonly string[]
  /** The turn that its participant repeats: a failed call, a wait play, or a limited one that nobody else may have. */
  readonly repeated: Given | null
  /** The turn that is handed off. */
  readonly giver: Given | null
  /** Who is asked to go on. */
  readonly asked: string | null
  /** Participants that see nothing left to do. */
  readonly done: ReadonlySet<string>
}

/** A turn that did not come off. */
export interface Given {
  readonly id: string
  /** Where the order stands behind it. */
  readonly position: number
}

export type Whose =
  | {
      readonly kind: 'turn'
      readonly id: string
      readonly at: number
      readonly startedBy: StartedBy
      /** Where the order stands once the turn has come off. */
      readonly position: number
      /** Who handed it off. */
      readonly giver: string | null
    }
  /** Nobody can take the turn. `kept`: the participant whose turn waits for these entries. */
  | { readonly kind: 'nobody'; readonly kept: { readonly id: string; readonly entries: readonly ChainEntry[] } | null }

export function whoseTurn(view: WhoseView): Whose {
  const approved = memberOf(view, view.approved[0])
  if (approved !== null) return approvedTurn(view, approved)
  const { repeated } = view
  const again = memberOf(view, repeated?.id)
  if (repeated !== null && again !== null) {
    const turn = turnOf(view, again, { startedBy: 'retry', position: repeated.position, giver: null })
    if (turn !== null) return turn
    if (keeps(view, again.id)) return kept(again)
    return handedOff(view, repeated) ?? ordered(view)
  }
  return (view.giver === null ? null : handedOff(view, view.giver)) ?? ordered(view)
}

function approvedTurn({ register, position }: WhoseView, { id, entries }: Member): Whose {
  const [own] = entries
  if (own !== undefined && isFree(register, own)) return { kind: 'turn', id, at: 0, startedBy: 'gate', position, giver: null }
  return { kind: 'nobody', kept: { id, entries: entries.slice(0, 1) } }
}

function handedOff(view: WhoseView, giver: Given): Whose | null {
  const can = (id: string): boolean => isAble(view, id)
  const choice = chosen(view, { position: giver.position, can, giver: giver.id })
  const taker = memberOf(view, choice?.id)
  return choice === null || taker === null ? null : turnOf(view, taker, { startedBy: 'handoff', position: choice.position, giver: giver.id })
}

function ordered(view: WhoseView): Whose {
  const can = (id: string): boolean => isAble(view, id) || (view.gates.has(id) && !view.done.has(id))
  const choice = chosen(view, { position: view.position, can, giver: null })
  const next = memberOf(view, choice?.id)
  if (choice === null || next === null) return { kind: 'nobody', kept: null }
  return turnOf(view, next, { startedBy: 'pick', position: choice.position, giver: null }) ?? kept(next)
}

function turnOf(view: WhoseView, member: Member, turn: Pick<Extract<Whose, { kind: 'turn' }>, 'startedBy' | 'position' | 'giver'>): Whose | null {
  const at = freeEntry(member, view.register)
  return at === -1 ? null : { kind: 'turn', id: member.id, at, ...turn }
}

function kept({ id, entries }: Member): Whose {
  return { kind: 'nobody', kept: { id, entries } }
}

function keeps({ gates, members }: WhoseView, id: string): boolean {
  return keepsTurn({ id, startedBy: 'retry', gates, size: members.length })
}

function isAble(view: WhoseView, id: string): boolean {
  const member = memberOf(view, id)
  return member !== null && !view.done.has(id) && freeEntry(member, view.register) !== -1
}

function memberOf({ members }: WhoseView, id: string | undefined): Member | null {
  return members.find((member) => member.id === id) ?? null
}

function chosen({ members, choice, asked }: WhoseView, search: Omit<ChoiceView, 'ids' | 'asked'>): Choice | null {
  const ask = { ...search, asked, ids: members.map(({ id }) => id) }
  const made = choice(ask)
  if (made !== null && made.id !== ask.giver && ask.can(made.id)) return made
  const other = inListedOrder({ ...ask, position: 0 })
  return other === null ? null : { ...other, position: ask.position }
}

const inListedOrder = listedOrder(null)
