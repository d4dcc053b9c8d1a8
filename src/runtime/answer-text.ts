import { isAnswer, VisibleText, visibleOf } from '../policy/visible.ts'

/** The text of one attempt: what came of it, what of that a reader may see, and whether it is an answer. */
export class AnswerText {
  /** Visible text so far, as far as it was kept. */
  visible = ''
  /** Visible text is there that is more than blanks. */
  answers = false
  readonly #endMarkers: readonly string[]
  readonly #reading: VisibleText
  /** Characters that came, visible or not. */
  #came = 0

  constructor(endMarkers: readonly string[]) {
    this.#endMarkers = endMarkers
    this.#reading = new VisibleText(endMarkers)
  }

  /** The visible part of what is decided once `text` has come; not kept yet. */
  read(text: string): string {
    this.#came += text.length
    return this.#reading.push(text)
  }

  /** What was held back and is text after all; not kept yet. */
  rest(): string {
    return this.#reading.end()
  }

  /** Blanks are judged piece by piece: asking the whole text would flatten it. */
  keep(visible: string): void {
    this.visible += visible
    if (!this.answers) this.answers = isAnswer(visible)
  }

  /** Something was taken out of the text so far, or is held back. */
  get isAltered(): boolean {
    return this.#came !== this.visible.length
  }

  /** An end of the text is held back that may be shown yet. */
  get isHolding(): boolean {
    return this.#reading.isHolding
  }

  /** What a text must not hold to be shown unread from here on; null while it has to be read. */
  get stopsAt(): readonly string[] | null {
    return this.answers && this.#reading.isClear ? this.#reading.beginnings : null
  }

  /** A text that is told as a whole, as a reader may see it. */
  readonly whole = (text: string): string => visibleOf(text, this.#endMarkers)
}
