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

interface Hidden {
  readonly markers: readonly string[]
  /** Their first characters. */
  readonly starts: readonly string[]
}

/** By the list that settings have: it is asked for at each attempt. */
const known = new WeakMap<readonly string[], Hidden>()

function hiddenBy(endMarkers: readonly string[]): Hidden {
  const present = known.get(endMarkers)
  if (present !== undefined) return present
  const markers = [OPEN, ...endMarkers.filter((marker) => marker !== '')]
  const hidden = { markers, starts: [...new Set(markers.map((marker) => String.fromCodePoint(marker.codePointAt(0) as number)))] }
  known.set(endMarkers, hidden)
  return hidden
}

export class VisibleText {
  readonly #markers: readonly string[]
  readonly #starts: readonly string[]
  #pending = ''
  #hidden = false

  /** `endMarkers`: literal strings to strip, such as `<eom>`. */
  constructor(endMarkers: readonly string[]) {
    const hidden = hiddenBy(endMarkers)
    this.#markers = hidden.markers
    this.#starts = hidden.starts
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

  /** What a tag or marker begins with. */
  get beginnings(): readonly string[] {
    return this.#starts
  }

  /** Nothing is hidden or held back: text without a beginning is shown as it is. */
  get isClear(): boolean {
    return this.#pending === '' && !this.#hidden
  }

  /** An end of the text is held back that may be shown yet. */
  get isHolding(): boolean {
    return this.#pending !== '' && !this.#hidden
  }

  #mayStart(text: string): boolean {
    return this.#starts.some((start) => text.includes(start))
  }

  #decide(over: boolean): string {
    const text = this.#pending
    const search = new MarkerSearch(text, this.#markers)
    let visible = ''
    let from = 0
    let decided = over ? text.length : this.#decidedEnd(text, from)
    for (;;) {
      if (this.#hidden) {
        const close = text.indexOf(CLOSE, from)
        if (close === -1) {
          // Of hidden text only a possible beginning of the closing tag is kept.
          this.#pending = text.slice(text.length - heldTail(text.slice(from), CLOSE))
          return visible
        }
        from = close + CLOSE.length
        this.#hidden = false
        continue
      }
      // What was held back as the beginning of one marker was the end of another.
      if (decided < from) decided = this.#decidedEnd(text, from)
      const found = search.firstFrom(from)
      if (found === null || found.at >= decided) {
        this.#pending = text.slice(decided)
        return visible + text.slice(from, decided)
      }
      visible += text.slice(from, found.at)
      from = found.at + found.marker.length
      this.#hidden = found.marker === OPEN
    }
  }

  /** Up to where what stands from `from` on can no longer be the beginning of a tag or marker. */
  #decidedEnd(text: string, from: number): number {
    const rest = text.slice(from)
    let held = 0
    for (const marker of this.#markers) held = Math.max(held, heldTail(rest, marker))
    return text.length - held
  }
}

/** Where the markers stand in one text, asked from left to right: each marker looks at each character once, however often others are found. */
class MarkerSearch {
  readonly #text: string
  readonly #places: { readonly marker: string; at: number }[]

  constructor(text: string, markers: readonly string[]) {
    this.#text = text
    this.#places = markers.map((marker) => ({ marker, at: -1 }))
  }

  /** The first marker at or behind `from`; of several at one place the longest. */
  firstFrom(from: number): { readonly at: number; readonly marker: string } | null {
    let first: { readonly at: number; readonly marker: string } | null = null
    for (const place of this.#places) {
      if (place.at < from) place.at = this.#next(place.marker, from)
      const { at, marker } = place
      if (at === NOWHERE) continue
      if (first === null || at < first.at || (at === first.at && marker.length > first.marker.length)) first = { at, marker }
    }
    return first
  }

  #next(marker: string, from: number): number {
    const at = this.#text.indexOf(marker, from)
    return at === -1 ? NOWHERE : at
  }
}

const NOWHERE = Number.POSITIVE_INFINITY

/** Length of the longest tail of `text` that is a proper beginning of `marker`. */
function heldTail(text: string, marker: string): number {
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length
  }
  return 0
}

/** What a reader may see of a text that is whole. */
export function visibleOf(text: string, endMarkers: readonly string[]): string {
  const visible = new VisibleText(endMarkers)
  return visible.push(text) + visible.end()
}

/** Whether visible text is an answer; blanks alone are none (R19, C41). */
export function isAnswer(visible: string): boolean {
  return visible.trim() !== ''
}
