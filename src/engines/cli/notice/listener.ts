import type { Notice, NoticeProvider } from '../../../model/notice.ts'
import type { OutputLine } from '../output-line.ts'
import { normalised } from '../reset/normalise.ts'
import { decide } from './decide.ts'
import { lineOf } from './log-line.ts'
import { Memory } from './memory.ts'
import { PlainOutput } from './plain-output.ts'
import type { Said, Voice } from './voice.ts'
import { VOICES } from './voices.ts'

/**
 * Hears what a CLI says of itself while it runs, line by line, and says at the end what it was.
 *
 * 1. It never throws, takes the time of the length of what it is shown, and keeps some KB whatever that is.
 * 2. How lines of standard output and of standard error come between each other changes nothing that `read` says.
 */
export class NoticeListener {
  readonly #voice: Voice
  readonly #zone: string
  readonly #memory: Memory
  readonly #plain = new PlainOutput()
  #sawEvent = false

  constructor(provider: NoticeProvider, zone: string) {
    this.#voice = VOICES[provider]
    this.#zone = zone
    this.#memory = new Memory(this.#voice)
  }

  take({ from, text, json, isCut }: OutputLine): void {
    if (from === 'stderr') {
      const line = normalised(text.slice(0, LINE_READ))
      this.#memory.noteLine(line, line === '' ? 'note' : (lineOf(line) ?? this.#voice.line(line)))
    } else if (isCut === true) {
      // It is the model's as likely as not, and no plain output of the CLI.
      this.#sawEvent = true
    } else if (json === null) {
      this.#plain.add(text)
    } else {
      this.#sawEvent = true
      for (const said of this.#voice.event(json)) this.#memory.note(said)
    }
  }

  /** What was said, where it is known without a line: the text of a message, the body of an answer. */
  hear(said: Said): void {
    this.#memory.note(said)
  }

  /** A line of a log speaks to nobody; only that the CLI tries again is taken from it. */
  takeLog(text: string): void {
    const line = this.#voice.line(normalised(text.slice(0, LINE_READ)))
    if (typeof line === 'object' && line.as === 'retry') this.#memory.note(line)
  }

  /** Why the run will not end by itself: it waits for the network without an end, or has announced that it sleeps. Null otherwise. */
  get unending(): 'outage' | 'sleep' | null {
    if (this.#memory.ended !== null) return null
    if (this.#memory.waits >= WAITS) return 'outage'
    return this.#memory.sleep === null ? null : 'sleep'
  }

  read(end: { readonly exitCode: number | null; readonly killed: boolean; readonly now: number }): Notice {
    return decide(this.#memory, this.#voice, {
      exitCode: end.killed ? null : end.exitCode,
      plain: this.#sawEvent ? '' : this.#plain.text,
      view: { now: end.now, zone: this.#zone },
    })
  }
}

/** One or two waits are a network that comes back. */
const WAITS = 3
/** Of a line of standard error. */
const LINE_READ = 65_536
