/**
 * Time of a run of a team. Deadlines are instants of the wall clock; timers and what is charged go by a clock that stands still while the
 * machine is suspended (T17, G10, G12).
 */
export interface TeamClock {
  /** The wall clock, epoch ms. */
  now(): number
  /** ms on a clock that neither a suspend nor a change of the wall clock moves. */
  elapsedMs(): number
  /** Calls `fire` once when so many ms of that clock have passed. Returns the cancel. */
  after(ms: number, fire: () => void): () => void
}
