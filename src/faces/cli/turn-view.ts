import type { Outcome, TurnEvent } from '../../index.ts'
import { renderEvent } from '../demo/timeline.ts'
import { type Io, jsonLine, withoutControls } from './io.ts'
import { StatusLine } from './status-line.ts'
import { wrapped } from './wrap.ts'

/**
 * Shows one turn: the answer on stdout as it comes, what happens to it on stderr.
 *
 * 1. What was printed is never printed again: stdout is an event sink and cannot take anything back.
 * 2. stdout carries the answer and nothing else; on a terminal it carries no control characters of others.
 */
export interface TurnView {
  take(event: TurnEvent): Promise<void>
  end(outcome: Outcome): Promise<void>
}

/** Every event as a JSON line. */
export function jsonView(io: Io): TurnView {
  return {
    take: (event) => io.stdout.write(jsonLine(event)),
    end: () => Promise.resolve(),
  }
}

/** Facts worth a line of their own; the others only move the status line. */
const TOLD: ReadonlySet<TurnEvent['type']> = new Set([
  'attempt.failed',
  'entry.skipped',
  'recovery.started',
  'history.shortened',
  'hold.set',
  'wait.started',
  'warning.raised',
  'notice',
  'toolCall',
  'providerToolCall',
])

/** Nothing here shows a cost, so an unknown price is no news once its attempt has been made; one that keeps it from being made is. */
function isAboutCost(event: TurnEvent, attempted: boolean): boolean {
  return attempted && event.type === 'warning.raised' && event.warning.code === 'price_unknown'
}

export class PlainView implements TurnView {
  readonly #io: Io
  readonly #status: StatusLine
  #startedAt = 0
  #printed = false
  #called = false
  /** The line of the present attempt, as long as only the status line shows it. */
  #attempt: string | null = null
  /** The last thing on the terminal is an unfinished line of the answer. */
  #midLine = false

  constructor(io: Io) {
    this.#io = io
    this.#status = new StatusLine(io.stderr)
  }

  async take(event: TurnEvent): Promise<void> {
    if (event.type === 'turn.started') this.#startedAt = event.at
    if (event.type === 'text') return this.#answer(event.text)
    if (event.type === 'attempt.started') {
      this.#called = true
      this.#attempt = renderEvent(event, this.#startedAt)
    }
    const told = TOLD.has(event.type) && !isAboutCost(event, this.#called)
    if (told || !this.#io.stderr.isTty) await this.#tellAttempt()
    if (told) await this.#tell(renderEvent(event, this.#startedAt))
    if (!this.#midLine) await this.#status.take(event)
  }

  async end(outcome: Outcome): Promise<void> {
    // An answer that did not stream, or a draft that is final now.
    if (!this.#printed) await this.#answer(outcome.text !== '' ? outcome.text : (outcome.partialText ?? ''))
    await this.#status.clear()
    await this.#endLine(this.#io.stdout.write)
  }

  /** Without a terminal at once; on one when something happens to it, as the status line shows it until then. */
  async #tellAttempt(): Promise<void> {
    const line = this.#attempt
    this.#attempt = null
    await this.#tell(line)
  }

  async #answer(text: string): Promise<void> {
    if (text === '') return
    const { stdout } = this.#io
    await this.#status.clear()
    this.#printed = true
    this.#midLine = !text.endsWith('\n')
    await stdout.write(stdout.isTty ? withoutControls(text) : text)
  }

  async #tell(line: string | null): Promise<void> {
    if (line === null) return
    await this.#status.clear()
    const { stdout, stderr } = this.#io
    if (stdout.isTty && stderr.isTty) await this.#endLine(stderr.write)
    await stderr.write(`${wrapped(withoutControls(line), stderr.columns)}\n`)
  }

  async #endLine(write: (text: string) => Promise<void>): Promise<void> {
    if (!this.#midLine) return
    this.#midLine = false
    await write('\n')
  }
}
