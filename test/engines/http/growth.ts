/**
 * How the cost of a reader grows with its text: the same number of characters once in small texts, once in large ones. A reader whose cost
 * is the length of its text takes as long for both; one that is quadratic takes as many times longer as the large text is longer.
 */
export const SMALL = 8 * 1024
export const LARGE = 64 * 1024
/** Of `LARGE / SMALL` = 8, which a quadratic reader reaches. */
export const STEEPEST = 4

const FEWEST_ROUNDS = 3
/** A collection may fall into every one of a few rounds; what is quadratic is so in all. */
const MOST_ROUNDS = 12
const CHARACTERS = 2 * LARGE

/**
 * `scale` takes both sizes further up, for a reader that keeps much beside its text: what it keeps falls out of the caches between 32 and
 * 128 KiB of text, which is a step and no slope.
 */
export function growth(textOf: (length: number) => string, read: (text: string) => unknown, scale = 1): number {
  const small = textOf(SMALL * scale)
  const large = textOf(LARGE * scale)
  // A floor keeps the ratio of two costs that are next to nothing near one.
  const floor = 300
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  const ratio = () => (least.large + floor) / (least.small + floor)
  for (let round = 1; round <= FEWEST_ROUNDS || (round <= MOST_ROUNDS && ratio() >= STEEPEST); round++) {
    least.small = Math.min(least.small, cpuOf(small, read, CHARACTERS * scale))
    least.large = Math.min(least.large, cpuOf(large, read, CHARACTERS * scale))
  }
  return ratio()
}

/** CPU time in µs for as many characters of such texts; the least of several rounds is free of what else the machine did. */
function cpuOf(text: string, read: (text: string) => unknown, characters: number): number {
  const started = process.cpuUsage()
  for (let left = characters; left > 0; left -= text.length) read(text)
  const { user, system } = process.cpuUsage(started)
  return user + system
}

/** As much of a piece as fills the length. */
export const filledWith = (piece: string) => (length: number) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
