/**
 * Time as an argument. Instants are epoch milliseconds on the wall clock, so that a deadline survives a suspended machine.
 */
export interface Clock {
  /** The present instant, epoch ms. */
  now(): number
  /**
   * Calls `fire` once when the wall clock has reached `at` (epoch ms; a past instant means as soon as possible). Returns the cancel.
   * Wakes of one instant fire in the order in which they were asked for. A `background` wake keeps no process alive.
   */
  wakeAt(at: number, fire: () => void, options?: { readonly background?: boolean }): () => void
  /** ms on a clock that neither a suspend nor a change of the wall clock moves; a clock without it is asked for the wall clock instead. */
  elapsedMs?(): number
}

/** A source of numbers in [0, 1), injected so that a simulation repeats itself. */
export type RandomSource = () => number
