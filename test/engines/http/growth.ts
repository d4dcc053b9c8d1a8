/**
 * How the cost of a reader grows with its text: the same number of characters once in small texts, once in large ones. A reader whose cost
 * is the length of its text takes as long for both; one that is quadratic takes as many times longer as the large text is longer.
 */
export const SMALL = 8 * 1024
export const LARGE = 64 * 1024
/** Of `LARGE / SMALL` = 8, which a quadratic reader reaches. */
export const STEEPEST = 4

const FEWEST_ROUNDS = 3
/** A collection or a busy cache may fall into every one of a few; what is quadratic stays so in all. */
const MOST_ROUNDS = 12
const CHARACTERS = 2 * LARGE

/** Of the least cost of each size, in as many rounds as it takes to see a flat one. */
export function growth(textOf: (length: number) => string, read: (text: string) => unknown): number {
  const small = textOf(SMALL)
  const large = textOf(LARGE)
  // A floor keeps the ratio of two costs that are next to nothing near one.
  const floor = 300
  let [least, most, ratio] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 1; round <= FEWEST_ROUNDS || (round <= MOST_ROUNDS && ratio >= STEEPEST); round++) {
    least = Math.min(least, cpuOf(small, read))
    most = Math.min(most, cpuOf(large, read))
    ratio = (most + floor) / (least + floor)
  }
  return ratio
}

/** CPU time in µs for `CHARACTERS` characters of such texts; the least of several rounds is free of what else the machine did. */
function cpuOf(text: string, read: (text: string) => unknown): number {
  const started = process.cpuUsage()
  for (let left = CHARACTERS; left > 0; left -= text.length) read(text)
  const { user, system } = process.cpuUsage(started)
  return user + system
}

/** As much of a piece as fills the length. */
export const filledWith = (piece: string) => (length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
