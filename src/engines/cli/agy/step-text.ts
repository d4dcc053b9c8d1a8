/**
 * The text of a run of agy, told while it comes. Each `agent_response` step brings its text in pieces, the last one with its end (`DONE`); a
 * short one comes whole, with its end alone.
 *
 * 1. Texts of several steps are parted by a blank line.
 * 2. What was told stays: an answer that is begun anew after its step has failed is `broken`, since a reader would see it twice.
 * 3. The `response` of the result is the measure: it brings what was not streamed, and nothing of what was.
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

  /** What the response holds beyond what was told. It is the text of the whole run, or of its last step. */
  complete(response: string): void {
    for (const streamed of [this.#all, this.#step]) if (response.startsWith(streamed)) return this.#print(response.slice(streamed.length))
    if (this.#all.trim() === '') this.#print(response)
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
