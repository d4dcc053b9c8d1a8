import { normalised } from '../reset/normalise.ts'
import { NOTICE_LENGTH } from './statement.ts'

/**
 * Standard output that is no event. It is the answer of a model, or a notice that is all of it (G21); what is longer than a notice is let go
 * of as soon as it is. A line of more than `LINE_READ` characters is none, whatever codes are in it, and costs nothing.
 */
const LINE_READ = 65_536

export class PlainOutput {
  #text = ''
  #tooLong = false

  add(line: string): void {
    if (this.#tooLong || line === '') return
    this.#tooLong = line.length > LINE_READ
    if (!this.#tooLong) this.#text = `${this.#text} ${normalised(line)}`.trim()
    this.#tooLong ||= this.#text.length > NOTICE_LENGTH
    if (this.#tooLong) this.#text = ''
  }

  /** All of it; empty when nothing was printed, or more than a notice is long. */
  get text(): string {
    return this.#text
  }
}
