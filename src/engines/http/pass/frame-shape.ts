import type { PlainText } from './passing-protocol.ts'

/**
 * How one event of plain text was written, so that those behind it which are written alike need no reading: the same characters around a text,
 * and around values that differ each time and mean nothing.
 *
 * 1. It is learned from an event that was read and said nothing but text. What is written otherwise, by a single character, is not of it.
 * 2. A text counts only as a whole JSON string on its line, without the beginning of anything that a reader may not see, however escaped.
 * 3. It reads bytes as the characters of Latin-1, so that positions are those of the bytes. A beginning outside of ASCII is looked for by its
 *    first byte.
 */
export class FrameShape {
  readonly #literals: readonly string[]
  readonly #holes: readonly Hole[]

  private constructor(literals: readonly string[], holes: readonly Hole[]) {
    this.#literals = literals
    this.#holes = holes
  }

  /** The shape of this event, or null when it has none. `text`: what was read in it. */
  static of(frame: string, plain: PlainText, text: string): FrameShape | null {
    if (!plain.is.test(frame) || plain.isMore.test(frame) || !hasOneLineEnd(frame)) return null
    const found = holesOf(frame, plain)
    const own = found?.find((hole) => hole.kind === 'text')
    if (found === null || own === undefined || readText(frame.slice(own.from - 1, own.end + 1)) !== text) return null
    const literals: string[] = []
    let at = 0
    for (const { from, end } of found) {
      if (from < at) return null
      literals.push(frame.slice(at, from))
      at = end
    }
    literals.push(frame.slice(at))
    return new FrameShape(
      literals,
      found.map(({ kind }) => kind),
    )
  }

  /** Position behind the last of the events of this shape that stand one behind the other from `from` on; `from` without one. */
  runEnd(text: string, from: number, stops: Stops): number {
    let end = from
    for (let next = this.#end(text, end, stops); next >= 0; next = this.#end(text, end, stops)) end = next
    return end
  }

  /** Whether what stands there may be the beginning of an event of this shape. */
  mayBegin(text: string, from: number): boolean {
    const first = this.#literals[0] as string
    return text.length - from >= first.length ? text.startsWith(first, from) : first.startsWith(text.slice(from))
  }

  #end(text: string, from: number, stops: Stops): number {
    let at = from
    for (let n = 0; n < this.#holes.length; n += 1) {
      const literal = this.#literals[n] as string
      if (!text.startsWith(literal, at)) return -1
      at += literal.length
      const hole = this.#holes[n]
      at = hole === 'number' ? digitsEnd(text, at) : stringEnd(text, at, hole === 'text' ? stops : NO_STOPS)
      if (at < 0) return -1
    }
    const last = this.#literals[this.#holes.length] as string
    return text.startsWith(last, at) ? at + last.length : -1
  }
}

type Hole = 'text' | 'string' | 'number'

interface FoundHole {
  readonly kind: Hole
  readonly from: number
  readonly end: number
}

/** What no text may hold that is passed unread. */
export interface Stops {
  /** By byte: 0 stands in a string as it is, 1 does not. */
  readonly bytes: Uint8Array
  /** First UTF-16 units, as escapes give them. */
  readonly units: ReadonlySet<number>
}

const QUOTE = 34
const BACKSLASH = 92

/** `beginnings`: what a tag or marker begins with. */
export function stopsOf(beginnings: readonly string[]): Stops {
  const bytes = new Uint8Array(256).fill(1, 0, 32)
  bytes[QUOTE] = 1
  bytes[BACKSLASH] = 1
  const units = new Set<number>()
  for (const beginning of beginnings) {
    const [first] = new TextEncoder().encode(beginning)
    if (first !== undefined) bytes[first] = 1
    if (beginning !== '') units.add(beginning.charCodeAt(0))
  }
  return { bytes, units }
}

const NO_STOPS = stopsOf([])

/** Position of the quote that ends the string which goes on at `at`; -1 where it does not end, is none, or holds a stop. */
function stringEnd(text: string, from: number, { bytes, units }: Stops): number {
  let at = from
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (bytes[code] === 0) at += 1
    else if (code === QUOTE) return at
    else if (code !== BACKSLASH) return -1
    else {
      const escaped = text.charCodeAt(at + 1)
      const isHex = escaped === 117
      const unit = isHex ? hexUnit(text, at + 2) : ESCAPES.get(escaped)
      if (unit === undefined || units.has(unit)) return -1
      at += isHex ? 6 : 2
    }
  }
  return -1
}

const ESCAPES: ReadonlyMap<number, number> = new Map(
  Object.entries({ '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }).map(([key, value]) => [
    key.charCodeAt(0),
    value.charCodeAt(0),
  ]),
)

function hexUnit(text: string, at: number): number | undefined {
  const digits = text.slice(at, at + 4)
  return /^[0-9A-Fa-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
}

/** JSON has no numbers that begin with a zero and go on. */
function digitsEnd(text: string, from: number): number {
  let at = from
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at += 1
  return at === from || (at > from + 1 && text.charCodeAt(from) === 48) ? -1 : at
}

/** Where the values stand that differ, in order; null where one of their keys stands twice. */
function holesOf(frame: string, { text, varying }: PlainText): readonly FoundHole[] | null {
  const holes: FoundHole[] = []
  for (const key of [text, ...varying]) {
    const places = [...frame.matchAll(new RegExp(`"${key}"\\s*:\\s*`, 'g'))]
    if (places.length > 1) return null
    const [place] = places
    if (place === undefined) continue
    const hole = holeAt(frame, place.index + place[0].length, key === text)
    if (hole !== null) holes.push(hole)
  }
  return holes.sort((one, other) => one.from - other.from)
}

function holeAt(frame: string, at: number, isText: boolean): FoundHole | null {
  const isString = frame[at] === '"'
  const from = isString ? at + 1 : at
  const end = isString ? stringEnd(frame, from, NO_STOPS) : digitsEnd(frame, from)
  if (end < 0 || (isText && !isString)) return null
  return { kind: isText ? 'text' : isString ? 'string' : 'number', from, end }
}

/** Whether all lines end alike, in LF or in CRLF, the last one being blank. */
function hasOneLineEnd(frame: string): boolean {
  if (!frame.includes('\r')) return frame.endsWith('\n\n')
  return frame.endsWith('\r\n\r\n') && /^(?:[^\r\n]*\r\n)+$/.test(frame)
}

/** The text that a JSON string says whose bytes are read as Latin-1. */
function readText(json: string): string | null {
  try {
    const bytes = Uint8Array.from(json, (character) => character.charCodeAt(0))
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
