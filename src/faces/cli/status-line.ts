import type { TurnEvent } from '../../index.ts'
import type { Output } from './io.ts'

/** How often a countdown is drawn anew, in ms. */
const EVERY_MS = 200

/**
 * The line at the foot of a terminal that says what a turn is doing: entry, attempt, wait with its countdown. Draws nothing where there is no
 * terminal. Whoever prints something else clears it first.
 */
export class StatusLine {
  readonly #output: Output
  readonly #now: () => number
  #entry = ''
  #attempt = ''
  #shown = false
  #timer: ReturnType<typeof setInterval> | null = null

  constructor(output: Output, now: () => number = Date.now) {
    this.#output = output
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
    if (!this.#shown) return
    this.#shown = false
    await this.#output.write('\r\u001b[2K')
  }

  /** One line at the most: only the last line of a longer one could be cleared, and each countdown would leave the others behind. */
  async #draw(subject: string, rest: string): Promise<void> {
    this.#shown = true
    const { columns } = this.#output
    const text = columns === null ? subject + rest : clipped(clipped(subject, columns - 1 - rest.length) + rest, columns - 1)
    await this.#output.write(`\r\u001b[2K${text}`)
  }
}

function remaining(ms: number): string {
  return `${(Math.max(0, ms) / 1_000).toFixed(1)} s`
}

function clipped(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`
}
