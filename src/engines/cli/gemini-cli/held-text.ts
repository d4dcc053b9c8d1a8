/**
 * The text of an answer while it is held back, in parts between which tools ran.
 *
 * 1. It says of itself that it was begun twice where it goes on with its own beginning behind a pause of a second, with no space between.
 *    After such a pause the program asks again when a stream broke off, and prints the new answer behind the old one without a sign.
 * 2. An answer is not blamed for repeating itself: a beginning of some length, the pause and the missing space must come together. So an answer
 *    that was begun again in other words, or behind a space or a line, is not noticed.
 * 3. It takes the time of the length of the text, and keeps an offset for each pause.
 */
export class HeldText {
  readonly #parts: Part[] = []
  #isOpen = false
  #saidAt: number | null = null
  #length = 0

  add(text: string, at: number | null): void {
    if (text === '') return
    this.#length += text.length
    const isPause = at !== null && this.#saidAt !== null && at - this.#saidAt >= PAUSE_MS
    this.#saidAt = at ?? this.#saidAt
    const last = this.#isOpen ? this.#parts.at(-1) : undefined
    if (last === undefined) this.#parts.push({ text, seams: [] })
    else {
      if (isPause && last.text.length >= SHORTEST) last.seams.push(last.text.length)
      last.text += text
    }
    this.#isOpen = true
  }

  /** A tool ran: what is said next is a part of its own. */
  part(): void {
    this.#isOpen = false
  }

  get whole(): string {
    return this.#parts.map(({ text }) => text).join('\n\n')
  }

  get length(): number {
    return this.#length
  }

  get isBegunTwice(): boolean {
    return this.#parts.some(isBegunAgain)
  }
}

interface Part {
  text: string
  /** Where a pause was, as offsets in the text. */
  readonly seams: number[]
}

/** The program waits 1000 ms before it asks again; a timer of Node may come a moment early. */
const PAUSE_MS = 990
/** How much of a beginning must have been said, and how much of it is compared. */
const SHORTEST = 8
const COMPARED = 24

/** A word goes on, or a sentence has ended, where the next one stands. */
const UNSPACED = /^[\p{L}\p{N}.!?][\p{L}\p{N}]$/u

/** `hahaha`, `0000`, `abcabc`: an answer that begins so may go on so. */
const REPEATING = /^(.{1,12})\1/s

/** What was said before the first pause is said again behind one of them. */
function isBegunAgain({ text, seams }: Part): boolean {
  const beginning = text.slice(0, Math.min(seams[0] ?? 0, COMPARED))
  if (REPEATING.test(beginning)) return false
  return seams.some((seam) => text.startsWith(beginning, seam) && UNSPACED.test(text.slice(seam - 1, seam + 1)))
}
