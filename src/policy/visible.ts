/**
 * What of a model's text a reader may see (R27, R19).
 *
 * 1. `<think>…</think>` is hidden, also when cut over chunks; an unclosed tag hides the rest.
 * 2. End markers are stripped; the rest of the text stays.
 * 3. A tail that may still become a tag or marker is held back until it is decided; at the end it is text after all.
 * 4. Text is never altered otherwise, and one chunk yields at most one piece.
 * 5. Any chunking of a text gives the same result: of two markers the one that begins first counts, at one place the longer one, and a
 *    marker is not taken while one that would come before it is still possible.
 */
const OPEN = '<think>'
const CLOSE = '</think>'

export class VisibleText {
  readonly #markers: readonly string[]
  readonly #starts: readonly string[]
  #pending = ''
  #hidden = false

  /** `endMarkers`: literal strings to strip, such as `<eom>`. */
  constructor(endMarkers: readonly string[]) {
    this.#markers = [OPEN, ...endMarkers.filter((marker) => marker !== '')]
    this.#starts = [...new Set(this.#markers.map((marker) => marker[0] as string))]
  }

  /** The visible part of what is decided once `chunk` has come. */
  push(chunk: string): string {
    if (this.#pending === '' && !this.#hidden && !this.#mayStart(chunk)) return chunk
    this.#pending += chunk
    return this.#decide(false)
  }

  /** The rest, when no more text comes: what was held back is text after all, unless it is hidden. */
  end(): string {
    const rest = this.#decide(true)
    this.#pending = ''
    return rest
  }

  #mayStart(text: string): boolean {
    return this.#starts.some((start) => text.includes(start))
  }

  #decide(over: boolean): string {
    let visible = ''
    for (;;) {
      if (this.#hidden) {
        if (!this.#skipHidden()) return visible
        continue
      }
      const decided = over ? this.#pending.length : this.#decidedLength()
      const found = this.#firstMarker()
      if (found === null || found.at >= decided) {
        visible += this.#pending.slice(0, decided)
        this.#pending = this.#pending.slice(decided)
        return visible
      }
      visible += this.#pending.slice(0, found.at)
      this.#pending = this.#pending.slice(found.at + found.marker.length)
      this.#hidden = found.marker === OPEN
    }
  }

  /** Drops hidden text up to its closing tag; false when the tag has not come yet. Only a possible beginning of the tag is kept. */
  #skipHidden(): boolean {
    const close = this.#pending.indexOf(CLOSE)
    if (close === -1) {
      this.#pending = this.#pending.slice(this.#pending.length - heldTail(this.#pending, CLOSE))
      return false
    }
    this.#pending = this.#pending.slice(close + CLOSE.length)
    this.#hidden = false
    return true
  }

  #firstMarker(): { at: number; marker: string } | null {
    let first: { at: number; marker: string } | null = null
    for (const marker of this.#markers) {
      const at = this.#pending.indexOf(marker)
      if (at !== -1 && (first === null || at < first.at || (at === first.at && marker.length > first.marker.length))) first = { at, marker }
    }
    return first
  }

  /** How much of what is pending can no longer be the beginning of a tag or marker. */
  #decidedLength(): number {
    let held = 0
    for (const marker of this.#markers) held = Math.max(held, heldTail(this.#pending, marker))
    return this.#pending.length - held
  }
}

/** Length of the longest tail of `text` that is a proper beginning of `marker`. */
function heldTail(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length
  }
  return 0
}

/** Whether visible text is an answer; blanks alone are none (R19, C41). */
export function isAnswer(visible: string): boolean {
  return visible.trim() !== ''
}
