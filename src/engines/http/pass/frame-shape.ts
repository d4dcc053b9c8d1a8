import type { PlainText } from '../passing-protocol.ts'

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
  readonly #first: string
  readonly #last: string
  /** From the last value of one event to the first of the next. */
  readonly #joint: string
  /** Between the values of one event. */
  readonly #inner: readonly string[]
  readonly #holes: readonly Hole[]

  private constructor(literals: readonly string[], holes: readonly Hole[]) {
    this.#first = literals[0] as string
    this.#last = literals[literals.length - 1] as string
    this.#joint = this.#last + this.#first
    this.#inner = literals.slice(1, -1)
    this.#holes = holes
  }

  /** The shape of this event, or null when it has none. `told`: what was read in it. */
  static of(frame: Uint8Array, text: string, plain: PlainText, told: string): FrameShape | null {
    if (!plain.is.test(text) || plain.isMore.test(text) || !hasOneLineEnd(text)) return null
    const found = holesOf(frame, text, plain)
    const own = found?.find((hole) => hole.kind === 'text')
    if (found === null || own === undefined || readText(frame.subarray(own.from - 1, own.end + 1)) !== told) return null
    const literals: string[] = []
    let at = 0
    for (const { from, end } of found) {
      if (from < at) return null
      literals.push(text.slice(at, from))
      at = end
    }
    literals.push(text.slice(at))
    return new FrameShape(
      literals,
      found.map(({ kind }) => kind),
    )
  }

  /** Position behind the last of the events of this shape that stand one behind the other from `from` on; `from` without one. */
  runEnd(bytes: Uint8Array, text: string, from: number, stops: Stops): number {
    if (!isAt(text, from, this.#first)) return from
    let end = from
    let at = this.#valuesEnd(bytes, text, from + this.#first.length, stops)
    while (at >= 0 && isAt(text, at, this.#joint)) {
      end = at + this.#last.length
      at = this.#valuesEnd(bytes, text, at + this.#joint.length, stops)
    }
    return at >= 0 && isAt(text, at, this.#last) ? at + this.#last.length : end
  }

  /** Whether what stands there may be the beginning of an event of this shape. */
  mayBegin(text: string, from: number): boolean {
    const first = this.#first
    return text.length - from >= first.length ? isAt(text, from, first) : first.startsWith(text.slice(from))
  }

  /** Position behind the last value of the event whose first one begins at `from`, or -1. */
  #valuesEnd(bytes: Uint8Array, text: string, from: number, stops: Stops): number {
    let at = from
    for (let n = 0; n < this.#holes.length; n += 1) {
      if (n > 0) {
        const literal = this.#inner[n - 1] as string
        if (!isAt(text, at, literal)) return -1
        at += literal.length
      }
      const hole = this.#holes[n]
      at = hole === 'number' ? digitsEnd(bytes, at) : stringEnd(bytes, at, hole === 'text' ? stops : NO_STOPS)
      if (at < 0) return -1
    }
    return at
  }
}

/** Faster by far than `startsWith`. */
function isAt(text: string, at: number, literal: string): boolean {
  return text.substring(at, at + literal.length) === literal
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

/** By the list of beginnings: streams of one kernel have the same. */
const known = new WeakMap<readonly string[], Stops>()

/** `beginnings`: what a tag or marker begins with. */
export function stopsOf(beginnings: readonly string[]): Stops {
  const present = known.get(beginnings)
  if (present !== undefined) return present
  const stops = stopsMadeOf(beginnings)
  known.set(beginnings, stops)
  return stops
}

function stopsMadeOf(beginnings: readonly string[]): Stops {
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

/** Position of the quote that ends the string which goes on at `from`; -1 where it does not end, is none, or holds a stop. */
function stringEnd(text: Uint8Array, from: number, { bytes, units }: Stops): number {
  let at = from
  while (at < text.length) {
    const code = text[at] as number
    if (bytes[code] === 0) at += 1
    else if (code === QUOTE) return at
    else if (code !== BACKSLASH) return -1
    else {
      const escaped = text[at + 1] as number
      const isHex = escaped === 117
      const unit = isHex ? hexUnit(text.subarray(at + 2, at + 6)) : ESCAPES.get(escaped)
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

function hexUnit(digits: Uint8Array): number | undefined {
  const text = String.fromCharCode(...digits)
  return /^[0-9A-Fa-f]{4}$/.test(text) ? Number.parseInt(text, 16) : undefined
}

/** JSON has no numbers that begin with a zero and go on. */
function digitsEnd(text: Uint8Array, from: number): number {
  let at = from
  while (at < text.length && (text[at] as number) >= 48 && (text[at] as number) <= 57) at += 1
  return at === from || (at > from + 1 && text[from] === 48) ? -1 : at
}

/** Where the values stand that differ, in order; null where one of their keys stands twice. */
function holesOf(frame: Uint8Array, written: string, { text, varying }: PlainText): readonly FoundHole[] | null {
  const holes: FoundHole[] = []
  for (const key of [text, ...varying]) {
    const first = valueAt(written, key, 0)
    if (first < 0) continue
    if (valueAt(written, key, first) >= 0) return null
    const hole = holeAt(frame, first, key === text)
    if (hole !== null) holes.push(hole)
  }
  return holes.sort((one, other) => one.from - other.from)
}

/** Where the value of the first such key from `from` on begins, or -1. */
function valueAt(written: string, key: string, from: number): number {
  const name = `"${key}"`
  for (let at = written.indexOf(name, from); at >= 0; at = written.indexOf(name, at + 1)) {
    const colon = pastBlanks(written, at + name.length)
    if (written[colon] === ':') return pastBlanks(written, colon + 1)
  }
  return -1
}

function pastBlanks(written: string, from: number): number {
  let at = from
  while (written[at] === ' ' || written[at] === '\t') at += 1
  return at
}

function holeAt(frame: Uint8Array, at: number, isText: boolean): FoundHole | null {
  const isString = frame[at] === QUOTE
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

const UTF8 = new TextDecoder()

/** The text that a JSON string says. */
function readText(json: Uint8Array): string | null {
  try {
    const value: unknown = JSON.parse(UTF8.decode(json))
    return typeof value === 'string' ? value : null
  } catch {
    return null
  }
}
