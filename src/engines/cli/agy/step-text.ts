/**
 * The text of a run of agy, told while it comes. Each `agent_response` step brings its text in pieces, the last one with its end (`DONE`); a
 * short one comes whole, with its end alone.
 *
 * 1. Texts of several steps are parted by a blank line.
 * 2. What was told stays: an answer that is begun anew after its step has failed is `broken`, since a reader would see it twice.
 * 3. The `response` of the result is the measure: it brings what was not streamed, and nothing of what was. Where it says something else than
 *    what was told, a reader lacks the answer, and the run has none.
 */
export class StepText {
  readonly #tell: (text: string) => void
  /** As it came, without the blank lines. */
  #all = ''
  /** Of the step that speaks. */
  #step = ''
  #key: string | null = null
  #failed = false
  #told = ''
  #broken: string | null = null

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  get broken(): string | null {
    return this.#broken
  }

  take(key: string | null, delta: string, state: unknown): void {
    if (delta !== '') {
      if (this.#failed) {
        this.#broken = 'it began its answer anew after a step of it had failed'
        return
      }
      if (key !== this.#key) this.#step = ''
      this.#key = key
      this.#say(delta)
    }
    if (state === 'ERROR' && this.#step !== '' && key === this.#key) this.#failed = true
  }

  /**
   * Tells what the response holds beyond what was told; false where the two do not agree. It is the text of the whole run, or of its last step,
   * trimmed or its steps parted by other white space.
   */
  complete(response: string): boolean {
    for (const restBehind of [exactly, exceptSpace]) {
      for (const streamed of [this.#all, this.#step]) {
        // White space leaves nothing to go by where space is left aside.
        const rest = restBehind === exceptSpace && streamed.trim() === '' ? null : restBehind(response, streamed)
        if (rest !== null) return this.#printed(rest)
      }
    }
    return this.#all.trim() === '' ? this.#printed(response) : withoutSpace(this.#all).includes(withoutSpace(response))
  }

  #printed(text: string): true {
    this.#print(text)
    return true
  }

  #say(delta: string): void {
    if (this.#step === '' && this.#all !== '') this.#print(this.#told.endsWith('\n\n') ? '' : this.#told.endsWith('\n') ? '\n' : '\n\n')
    this.#all += delta
    this.#step += delta
    this.#print(delta)
  }

  #print(text: string): void {
    if (text === '') return
    this.#told = (this.#told + text).slice(-2)
    this.#tell(text)
  }
}

function exactly(whole: string, beginning: string): string | null {
  return whole.startsWith(beginning) ? whole.slice(beginning.length) : null
}

/** What stands behind the beginning, white space in either left aside; null where the two differ. */
function exceptSpace(whole: string, beginning: string): string | null {
  let at = 0
  for (const character of beginning) {
    if (isSpace(character)) continue
    while (isSpace(whole.charAt(at))) at += 1
    if (!whole.startsWith(character, at)) return null
    at += character.length
  }
  return whole.slice(at)
}

function isSpace(character: string): boolean {
  return character !== '' && character.trim() === ''
}

function withoutSpace(text: string): string {
  return text.replace(/\s+/g, '')
}
