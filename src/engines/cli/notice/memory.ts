import { isRetry } from './classify.ts'
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
const LINES = 60
const LINE_LENGTH = 2000
const LINES_LENGTH = 16_384

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
  readonly #voice: Voice
  readonly #lines: string[] = []
  #linesLength = 0
  #banner = false
  /** The line before told of a try that is made again; what it dumps behind that belongs to it. */
  #dumping = false

  constructor(voice: Voice) {
    this.#voice = voice
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
        keep(this.retries, said.text.slice(0, LINE_LENGTH), RETRIES)
        break
      case 'waiting':
        this.waits += 1
        this.waiting = said.text.slice(0, LINE_LENGTH)
        break
      case 'sleep':
        if (this.sleep === null || said.ms > this.sleep.ms) this.sleep = { ...said, text: said.text.slice(0, LINE_LENGTH) }
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
    this.#dumping = typeof line === 'object' || (this.#dumping && DUMP.test(text))
    if (typeof line === 'object') return this.note(line)
    if (this.#dumping) return
    if (line === 'banner') {
      this.#banner = true
      this.#lines.length = 0
      this.#linesLength = 0
      return
    }
    const isOwn = line === 'marked' || (line === 'words' && !this.#banner)
    const kept = isOwn ? text.slice(0, LINE_LENGTH) : ''
    // A line that is not its own parts what stands around it; one gap says as much as many.
    if (kept === '' && (this.#lines.at(-1) ?? '') === '') return
    this.#lines.push(kept)
    this.#linesLength += kept.length
    while (this.#lines.length > LINES || this.#linesLength > LINES_LENGTH) this.#linesLength -= this.#lines.shift()?.length ?? 0
  }

  /** What standard error said: a statement from each of its lines on, since where a line was wrapped cannot be known. */
  statements(): Statement[] {
    return this.#lines.flatMap((line, index) => {
      if (line === '') return []
      const statement = statementOf(this.#paragraph(index), this.#voice, { own: true, guarded: false })
      return isRetry(statement, this.#voice) ? [] : [statement]
    })
  }

  #paragraph(from: number): string {
    const lines = [this.#lines[from] ?? '']
    for (const line of this.#lines.slice(from + 1)) {
      if (line === '' || OPENS.test(line) || lines.length > PARAGRAPH) break
      lines.push(line)
    }
    return lines.join(' ')
  }
}

/** A line of a printed object. */
const DUMP = /^(?:[[\]{}()"']|[A-Za-z_$][\w$]{0,40}: (?:['"[{(]|-?\d{1,20},?$|(?:undefined|null|true|false),?$))/

/** Lines of one statement at the most: a notice of three hundred characters that was wrapped at a narrow width. */
const PARAGRAPH = 40

/** A line that begins something of its own. */
const OPENS = /^(?:AGY_ERROR|\[?(?:API )?error|warning|attempt \d{1,3} failed)\b/i

function keep<T>(list: T[], value: T, most: number): void {
  list.push(value)
  if (list.length > most) list.shift()
}
