import type { StartedBy } from '../../model/team.ts'

/** What decides whether a turn may pass to a teammate. */
export interface Keeping {
  readonly id: string
  readonly startedBy: StartedBy
  /** Who has a pending gate. */
  readonly gates: ReadonlySet<string>
  /** How many participants the team has. */
  readonly size: number
}

/** Whether a participant keeps its turn whatever happens: it holds a gate, the turn is an approved one, or there is nobody else (T12, G08). */
export function keepsTurn({ id, startedBy, gates, size }: Keeping): boolean {
  return startedBy === 'gate' || gates.has(id) || size === 1
}
