/**
 * The text of a streamed run as a reader sees it: the pieces as they come, in messages that the CLI prints once more, whole, when a block is
 * done.
 *
 * 1. A block is told once: what is printed whole adds only what was not streamed of it. Blocks that were not streamed are told whole.
 * 2. Messages are parted by a blank line, but for one that goes on where the one before it was cut by a bound.
 * 3. A message that begins, or is printed, in place of one whose text was told and is unfinished is a new answer: the run is broken off.
 * 4. The result is the last block, whole: it brings what is missing of it, and an unfinished message that it does not go on from is no answer.
 */
export class StreamedText {
  readonly #tell: (text: string) => void
  #id: string | null = null
  /** The blocks of text that were streamed of this message. */
  #blocks: string[] = []
  /** How many of them have been printed whole. */
  #printed = 0
  /** A message was begun as a stream and not finished. */
  #isOpen = false
  /** What is printed is another message, that stands in for the one that was streamed. */
  #isCompared = false
  /** This message has text that was told. */
  #hasText = false
  #goesOn = false
  #told = false
  broken: string | null = null

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  get told(): boolean {
    return this.#told
  }

  beginMessage(id: string | null): void {
    if (this.#isOpen && this.#hasText) this.broken = ANEW
    this.#enter(id)
    this.#isOpen = true
  }

  beginBlock(text: string): void {
    this.#blocks.push('')
    this.addText(text)
  }

  addText(text: string): void {
    if (text === '' || this.broken !== null) return
    const at = this.#blocks.length - 1
    // A block that was printed whole has been told; one without a beginning is told as it comes.
    if (at >= 0 && at < this.#printed) return
    if (at < 0) this.#blocks.push(text)
    else this.#blocks[at] += text
    this.#say(text)
  }

  /** Why the message stopped, where it is said; null where not. */
  stopped(reason: string | null): void {
    if (reason === null) return
    this.#goesOn = CUT.has(reason)
  }

  finishMessage(): void {
    this.#isOpen = false
  }

  /** Blocks of text of one message, printed whole. */
  print(id: string | null, texts: readonly string[], stopReason: string | null): void {
    if (id !== this.#id) {
      if (this.#isOpen && this.#hasText) this.#compareWith(id)
      else this.#enter(id)
    }
    for (const text of texts) if (this.broken === null) this.#printBlock(text)
    this.stopped(stopReason)
    if (stopReason !== null) this.#isOpen = false
  }

  /** The run has ended well with this as its last block of text. False: what was told is a part of something else. */
  complete(result: string): boolean {
    const last = this.#hasText ? this.#blocks.at(-1) : undefined
    if (last === undefined || result === NOTHING_SAID) return true
    if (result.startsWith(last)) {
      this.#say(result.slice(last.length))
      return true
    }
    // A block is trimmed where the CLI keeps it.
    return !this.#isOpen || last.trim().startsWith(result.trim())
  }

  #printBlock(text: string): void {
    const streamed = this.#blocks[this.#printed]
    if (streamed === undefined) {
      if (text === NOTHING_SAID || text === this.#blocks.at(-1)) return
      this.#blocks.push(text)
      this.#printed += 1
      this.#say(text)
      return
    }
    const at = this.#printed
    this.#printed += 1
    if (text === NOTHING_SAID && streamed === '') return
    if (text.startsWith(streamed)) {
      this.#blocks[at] = text
      this.#say(text.slice(streamed.length))
    }
    // Of the same message it is the block as the CLI keeps it, trimmed for example.
    else if (this.#isCompared) this.broken = ANEW
  }

  #enter(id: string | null): void {
    this.#id = id
    this.#blocks = []
    this.#printed = 0
    this.#isOpen = false
    this.#isCompared = false
    this.#hasText = false
  }

  /** Another message is printed in place of the unfinished one: what it says must go on from what was told. */
  #compareWith(id: string | null): void {
    this.#id = id
    this.#printed = 0
    this.#isCompared = true
  }

  #say(text: string): void {
    if (text === '') return
    const parting = this.#told && !this.#hasText && !this.#goesOn ? '\n\n' : ''
    if (!this.#hasText) this.#goesOn = false
    this.#hasText = true
    this.#told = true
    this.#tell(parting + text)
  }
}

const ANEW = 'it began its answer anew, after a part of it was told'

/** The CLI asks for more after these, and the next message goes on in the middle of a word. */
const CUT: ReadonlySet<string> = new Set(['max_tokens', 'pause_turn'])

/** What the CLI prints for a block that is empty. */
export const NOTHING_SAID = '(no content)'
