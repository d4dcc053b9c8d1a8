/** Why an engine is not to be called until an instant. Later deadlines win over earlier ones (R15). */
export type HoldReason = 'cooldown' | 'limit' | 'outage'

/** An engine that is not to be called for now. */
export interface Hold {
  /** Engine key: the profile, with `#n` for a credential of a pool (R6, R11). */
  readonly key: string
  /** The instant (epoch ms) at which the engine may be called again; the hold ends exactly then. */
  readonly untilAt: number
  readonly reason: HoldReason
}

/** The frozen view of all holds that decisions read. Engine actors are its only writers. */
export type Board = ReadonlyMap<string, Hold>

/** The hold on `key` that is in force at `now`, or undefined. */
export function holdAt(board: Board, key: string, now: number): Hold | undefined {
  const hold = board.get(key)
  return hold !== undefined && hold.untilAt > now ? hold : undefined
}

/** The later of the holds that keep an entry from being called: on its engine, or on its model there (T6). */
export function entryHold(board: Board, entry: HoldKeys, now: number): Hold | undefined {
  const whole = holdAt(board, entry.holdKey, now)
  const model = entry.modelHoldKey === null ? undefined : holdAt(board, entry.modelHoldKey, now)
  return model !== undefined && (whole === undefined || model.untilAt > whole.untilAt) ? model : whole
}

interface HoldKeys {
  readonly holdKey: string
  readonly modelHoldKey: string | null
}

/** The board with `hold` on it, unless an equal or later deadline stands already; then the board itself. */
export function withHold(board: Board, hold: Hold): Board {
  const present = board.get(hold.key)
  if (present !== undefined && present.untilAt >= hold.untilAt) return board
  return new Map(board).set(hold.key, hold)
}
