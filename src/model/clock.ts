/**
 * Time as an argument. Instants are epoch milliseconds on the wall clock, so that a deadline survives a suspended machine.
 */
export interface Clock {
  /** The present instant, epoch ms. */
  now(): number
  /** Calls `fire` once when the wall clock has reached `at` (epoch ms; a past instant means as soon as possible). Returns the cancel. */
  wakeAt(at: number, fire: () => void): () => void
}

/** A source of numbers in [0, 1), injected so that a simulation repeats itself. */
export type RandomSource = () => number
