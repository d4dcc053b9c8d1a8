import { isRetry } from './classify.ts'
import { ErrorLines } from './error-lines.ts'
import { type Statement, statementOf } from './statement.ts'
import type { LineOf, Said, Standing, Voice, Words } from './voice.ts'

/**
 * What of a run is kept to read its notice from.
 *
 * 1. It is bounded whatever the run prints: the newest statements, the newest lines of standard error, and of plain output only what could
 *    still be a notice.
 * 2. Standard output and standard error are kept apart, so that it does not matter how their lines came between each other.
 */
const STATEMENTS = 6
const RETRIES = 4
const TEXT_LENGTH = 2000

export class Memory {
  runModel: string | null = null
  /** How the terminal event ended the run; null without one. */
  ended: Extract<Said, { as: 'ended' }> | null = null
  standing: Standing | null = null
  /** Waits for the network that came one behind the other. */
  waits = 0
  waiting: string | null = null
  sleep: Extract<Said, { as: 'sleep' }> | null = null
  /** What the terminal event said, and what was said before it. */
  readonly last: Statement[] = []
  readonly others: Statement[] = []
  readonly retries: string[] = []
  readonly errors: ErrorLines
  readonly #voice: Voice

  constructor(voice: Voice) {
    this.#voice = voice
    this.errors = new ErrorLines(voice)
  }

  note(said: Said): void {
    switch (said.as) {
      case 'model':
        this.runModel = said.name.slice(0, 100)
        break
      case 'words':
        this.#hear(said)
        break
      case 'retry':
        keep(this.retries, said.text.slice(0, TEXT_LENGTH), RETRIES)
        break
      case 'waiting':
        this.waits += 1
        this.waiting = said.text.slice(0, TEXT_LENGTH)
        break
      case 'sleep':
        if (this.sleep === null || said.ms > this.sleep.ms) this.sleep = { ...said, text: said.text.slice(0, TEXT_LENGTH) }
        break
      case 'standing':
        this.standing = said.standing
        break
      case 'ended':
        this.ended = said
        this.last.length = 0
        break
      case 'progress':
        this.waits = 0
        break
    }
  }

  #hear({ text, facts, last, guarded }: Words): void {
    const statement = statementOf(text, this.#voice, { own: true, guarded }, facts)
    if (isRetry(statement, this.#voice)) keep(this.retries, statement.text, RETRIES)
    else keep(last ? this.last : this.others, statement, STATEMENTS)
  }

  /** A line of standard error, its terminal codes taken off. */
  noteLine(text: string, line: LineOf): void {
    if (typeof line === 'object') this.note(line)
    this.errors.add(text, line)
  }
}

function keep<T>(list: T[], value: T, most: number): void {
  list.push(value)
  if (list.length > most) list.shift()
}
