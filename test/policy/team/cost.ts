import { expect } from 'vitest'

/** A text that a reader in linear time is done with in some hundredths of a second, and a quadratic one in tens of seconds. */
const LONG = 200_000

/**
 * Fails when a reader takes more for its long text than its length can cost. How the cost of short texts grows is no measure here: they are read
 * in microseconds, and what the engine does between two of them weighs more.
 */
export function expectLinear(piece: string, read: (text: string) => unknown): void {
  const text = piece.repeat(Math.ceil(LONG / piece.length))
  const started = process.cpuUsage()
  read(text)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1_000).toBeLessThan(1_500)
}
