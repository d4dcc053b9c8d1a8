import type { Output } from './io.ts'

/** How often it is drawn anew. */
const EVERY_MS = 1_000

/** A line at the foot of a terminal that says what is going on; nothing where there is no terminal. Whoever prints something else clears it first. */
export class FootLine {
  readonly #output: Output
  #shown = false
  #timer: ReturnType<typeof setInterval> | null = null

  constructor(output: Output) {
    this.#output = output
  }

  /** Draws what `text` says, again and again, until it says null. */
  show(text: () => string | null): void {
    if (!this.#output.isTty) return
    this.#timer = setInterval(() => {
      const now = text()
      void (now === null ? this.clear() : this.draw(now))
    }, EVERY_MS)
    this.#timer.unref()
  }

  async clear(): Promise<void> {
    if (!this.#shown) return
    this.#shown = false
    await this.#output.write('\r\u001b[2K')
  }

  /** Ends it for good. */
  async end(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    await this.clear()
  }

  /** One line at the most: only the last line of a longer one could be cleared, and each drawing would leave the others behind. */
  async draw(text: string): Promise<void> {
    this.#shown = true
    const { columns } = this.#output
    await this.#output.write(`\r\u001b[2K${columns === null ? text : clipped(text, columns - 1)}`)
  }
}

/** Text of at most so many characters; of a longer one the end is left out. */
export function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`
}
