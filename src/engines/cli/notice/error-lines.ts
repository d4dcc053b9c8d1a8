import { isRetry } from './classify.ts'
import { type Statement, statementOf } from './statement.ts'
import type { LineOf, Said, Voice } from './voice.ts'

/**
 * Standard error of a run: its newest lines, and what they say.
 *
 * 1. Where a line was wrapped cannot be known, so that a statement is looked for from every line on, over the lines behind it.
 * 2. A try that is being made again is taken out with all of its lines, and with the object that it dumps behind them.
 */
const LINES = 100
const LINE_LENGTH = 2000
const LENGTH = 16_384
/** Of one statement at the most: a notice of three hundred characters that was wrapped at a narrow width, or a body on a line of its own. */
const PARAGRAPH_LINES = 100
const PARAGRAPH_LENGTH = 2500

/** A line that begins something of its own. Small letters are left out: a sentence may go on with `error:` where it was wrapped. */
const OPENS = /^(?:AGY_ERROR|ERROR|Error|Warning|WARNING): |^Attempt \d{1,3} failed\b/

/** A line of a printed object. */
const DUMP = /^(?:[[\]{}()"']|\d{1,20},?$|[A-Za-z_$][\w$]{0,40}:(?:$| (?:['"[{(]|-?\d{1,20},?$|(?:undefined|null|true|false),?$)))/

interface HeardLines {
  readonly statements: readonly Statement[]
  /** The words of the newest try that is being made again, and of the sleep that was announced. */
  readonly retry: string | null
  readonly sleep: Extract<Said, { as: 'sleep' }> | null
}

export class ErrorLines {
  readonly #voice: Voice
  readonly #lines: string[] = []
  #length = 0
  #banner = false
  /** The last line was a marked one, or went on with one. */
  #marked = false

  constructor(voice: Voice) {
    this.#voice = voice
  }

  /** A line, its terminal codes taken off, and what the voice made of it. */
  add(text: string, line: LineOf): void {
    if (line === 'banner') {
      this.#banner = true
      this.#lines.length = 0
      this.#length = 0
      return
    }
    // Behind a banner everything else may be the model's; but a marked line that was wrapped goes on without its mark.
    this.#marked = line === 'marked' || (this.#marked && line === 'words')
    const isOwn = typeof line === 'object' || this.#marked || (line === 'words' && !this.#banner)
    const kept = isOwn ? text.slice(0, LINE_LENGTH) : ''
    // A line that is not its own parts what stands around it; one gap says as much as many.
    if (kept === '' && (this.#lines.at(-1) ?? '') === '') return
    this.#lines.push(kept)
    this.#length += kept.length
    while (this.#lines.length > LINES || this.#length > LENGTH) this.#length -= this.#lines.shift()?.length ?? 0
  }

  heard(): HeardLines {
    const statements: Statement[] = []
    let retry: string | null = null
    let sleep: HeardLines['sleep'] = null
    for (let index = 0; index < this.#lines.length; index += 1) {
      if (this.#lines[index] === '') continue
      const paragraph = this.#paragraph(index)
      const said = this.#again(paragraph)
      if (said === null) {
        const statement = statementOf(paragraph.join(' '), this.#voice, { own: true, guarded: false })
        if (isRetry(statement, this.#voice)) retry = statement.text
        else statements.push(statement)
        continue
      }
      if (said.said.as === 'retry') retry = said.said.text
      if (said.said.as === 'sleep') sleep = said.said
      index += said.lines - 1
      while (isDumped(this.#lines[index + 1])) index += 1
    }
    return { statements, retry, sleep }
  }

  #paragraph(from: number): string[] {
    const lines: string[] = []
    let length = 0
    for (const line of this.#lines.slice(from, from + PARAGRAPH_LINES)) {
      if (lines.length > 0 && (line === '' || length > PARAGRAPH_LENGTH || OPENS.test(line))) break
      lines.push(line)
      length += line.length + 1
    }
    return lines
  }

  /** What the paragraph says of another try, and over how many lines it says it; null when it says something else. */
  #again(paragraph: readonly string[]): { readonly said: Said; readonly lines: number } | null {
    const whole = this.#voice.line(paragraph.join(' '))
    if (typeof whole !== 'object') return null
    for (let lines = 1; lines < paragraph.length; lines += 1) {
      const said = this.#voice.line(paragraph.slice(0, lines).join(' '))
      if (typeof said === 'object' && said.as === whole.as) return { said, lines }
    }
    return { said: whole, lines: paragraph.length }
  }
}

function isDumped(line: string | undefined): boolean {
  return line !== undefined && (line === '' || DUMP.test(line))
}
