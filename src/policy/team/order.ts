/**
 * Who is next when nobody has asked for a turn (G04). A host may put its own rule in this place.
 *
 * 1. A rule is pure: what it goes by is in the view, and where it stands in its order comes back with the choice.
 * 2. The same rule chooses a teammate for a handoff (T11): the search goes on behind the giver, who is left out.
 */
export interface ChoiceView {
  /** Every participant, in listed order. */
  readonly ids: readonly string[]
  /** Where the order stands: 0 at first, then what the last choice gave. */
  readonly position: number
  /** Whether a participant may have the turn. */
  readonly can: (id: string) => boolean
  /** The one who hands the turn off; null when the order is asked. */
  readonly giver: string | null
  /** Whom the newest post asks to go on, or the person did; null: nobody. */
  readonly asked: string | null
}

export interface Choice {
  readonly id: string
  readonly position: number
}

/** Null: nobody may have the turn. */
export type ChoiceRule = (view: ChoiceView) => Choice | null

/** Who is asked goes on, when they can, and takes nobody's place in the order unless it is theirs; else `rule` decides. */
export function askedFirst(rule: ChoiceRule): ChoiceRule {
  return (view) => {
    const choice = rule(view)
    const { asked, can, giver, position } = view
    if (asked === null || asked === giver || choice?.id === asked || !can(asked)) return choice
    return { id: asked, position }
  }
}

/**
 * The list in its order, over and over; null: every participant in turn. Who cannot have the turn is passed by and their place is used up.
 * When nobody of the list can, the others are asked in listed order, which uses up no place.
 */
export function listedOrder(picks: readonly string[] | null): ChoiceRule {
  return ({ ids, position, can, giver }) => {
    const list = picks ?? ids
    const may = (id: string): boolean => id !== giver && can(id)
    for (let step = 0; step < list.length; step++) {
      const at = (position + step) % list.length
      const id = list[at]
      if (id !== undefined && may(id)) return { id, position: (at + 1) % list.length }
    }
    const other = ids.find(may)
    return other === undefined ? null : { id: other, position }
  }
}
