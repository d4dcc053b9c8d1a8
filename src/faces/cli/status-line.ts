import type { TurnEvent } from '../../index.ts'
import { clipped, FootLine } from './foot-line.ts'
import type { Output } from './io.ts'

/** How often a countdown is drawn anew, in ms. */
const EVERY_MS = 200

/**
 * The line at the foot of a terminal that says what a turn is doing: entry, attempt, wait with its countdown. Draws nothing where there is no
 * terminal. Whoever prints something else clears it first.
 */
export class StatusLine {
  readonly #output: Output
  readonly #foot: FootLine
  readonly #now: () => number
  #entry = ''
  #attempt = ''
  #timer: ReturnType<typeof setInterval> | null = null

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output
    this.#foot = new FootLine(output)
    this.#now = now
  }

  async take(event: TurnEvent): Promise<void> {
    if (!this.#output.isTty) return
    if (event.type === 'attempt.started') {
      this.#entry = event.entry
      this.#attempt = ` · attempt ${event.n}`
      await this.#draw(this.#entry, this.#attempt)
    } else if (event.type === 'wait.started') {
      const untilAt = event.at + event.ms
      const countDown = (): Promise<void> =>
        this.#draw(this.#entry === '' ? event.key : this.#entry, `${this.#attempt} · waiting ${remaining(untilAt - this.#now())}`)
      await countDown()
      this.#timer = setInterval(() => void countDown(), EVERY_MS)
    } else if (event.type === 'wait.ended' || event.type === 'turn.ended') await this.clear()
  }

  async clear(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    await this.#foot.clear()
  }

  /** What it is about gives way to what happens to it. */
  async #draw(subject: string, rest: string): Promise<void> {
    const { columns } = this.#output
    await this.#foot.draw(columns === null ? subject + rest : clipped(subject, columns - 1 - rest.length) + rest)
  }
}

function remaining(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`
}
