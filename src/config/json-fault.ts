/**
 * Where a JSON text is at fault, which `JSON.parse` of Node 20 does not tell for most faults. Also finds the one fault that it accepts in
 * silence: a key that stands twice in one object, of which only the last would count.
 */
export interface JsonFault {
  /** Offset in the text, in UTF-16 units. */
  readonly at: number
  readonly message: string
}

const SPACE = /[ \t\n\r]*/y
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** No settings nest deeper; the scanner must not be the thing that overflows. */
const MAX_DEPTH = 500

/** The first fault of a text, or null when it is one whole JSON value without a repeated key. */
export function jsonFault(text: string): JsonFault | null {
  const scanner = new Scanner(text)
  try {
    scanner.document()
    return null
  } catch (fault) {
    if (fault instanceof Fault) return fault
    throw fault
  }
}

class Fault extends Error implements JsonFault {
  readonly at: number

  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): void {
    this.#value(0)
    this.#match(SPACE)
    if (this.#at < this.#text.length) this.#fail('nothing may follow the value')
  }

  #value(depth: number): void {
    if (depth > MAX_DEPTH) this.#fail('it nests too deep')
    this.#match(SPACE)
    if (this.#skip('{')) return this.#object(depth)
    if (this.#skip('[')) return this.#list(depth)
    if (this.#text[this.#at] === '"') this.#string('a text is not closed')
    else if (this.#match(SCALAR) === '') this.#fail('a value is expected')
  }

  #object(depth: number): void {
    const keys = new Set<unknown>()
    this.#match(SPACE)
    if (this.#skip('}')) return
    do {
      this.#match(SPACE)
      const at = this.#at
      const key = this.#string('a key in double quotes is expected')
      if (keys.has(key)) throw new Fault(at, 'this key stands in the object already')
      keys.add(key)
      this.#match(SPACE)
      if (!this.#skip(':')) this.#fail('":" is expected after a key')
      this.#value(depth + 1)
      this.#match(SPACE)
    } while (this.#skip(','))
    if (!this.#skip('}')) this.#fail('"," or "}" is expected')
  }

  #list(depth: number): void {
    this.#match(SPACE)
    if (this.#skip(']')) return
    do {
      this.#value(depth + 1)
      this.#match(SPACE)
    } while (this.#skip(','))
    if (!this.#skip(']')) this.#fail('"," or "]" is expected')
  }

  #string(otherwise: string): unknown {
    const at = this.#at
    const end = this.#text[at] === '"' ? this.#closingQuote(at + 1) : -1
    if (end < 0) this.#fail(otherwise)
    this.#at = end + 1
    try {
      return JSON.parse(this.#text.slice(at, end + 1))
    } catch {
      throw new Fault(at, 'this text holds a line break or a wrong escape')
    }
  }

  /** The next quote that no backslash escapes, or -1. By hand: a pattern for it overflows on a text of some megabytes. */
  #closingQuote(from: number): number {
    for (let quote = this.#text.indexOf('"', from); quote >= 0; quote = this.#text.indexOf('"', quote + 1)) {
      let backslashes = 0
      while (quote - backslashes > from && this.#text[quote - backslashes - 1] === '\\') backslashes++
      if (backslashes % 2 === 0) return quote
    }
    return -1
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const [found = ''] = pattern.exec(this.#text) ?? []
    this.#at += found.length
    return found
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #fail(message: string): never {
    throw new Fault(this.#at, this.#at >= this.#text.length ? `the text ends too early: ${message}` : message)
  }
}
