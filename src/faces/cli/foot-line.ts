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
    this.#timer = setInterval(() => void this.#draw(text()), EVERY_MS)
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

  async #draw(text: string | null): Promise<void> {
    if (text === null) return this.clear()
    this.#shown = true
    const room = (this.#output.columns ?? 80) - 1
    await this.#output.write(`\r\u001b[2K${text.length <= room ? text : `${text.slice(0, Math.max(0, room - 1))}…`}`)
  }
}
