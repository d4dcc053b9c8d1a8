/**
 * Finds values in a text, however the text writes them.
 *
 * 1. Case of letters is passed over, and a character counts that is written as JSON (inside JSON, to any depth), an address or a page write it.
 * 2. The longest match from a place on is taken, of all values at once: many keys begin alike, and the rest of one must not stay behind.
 * 3. The beginning of a value counts as the value: a text is cut, and another goes on behind the cut. At the end of a cut text less counts.
 * 4. A short value is found in its own case only: a key such as `EMPTY` is no reason to lose the word.
 * 5. From each place of a text it goes no farther than the longest value, and no way twice, whatever either holds.
 */
export interface Found {
  readonly from: number
  readonly to: number
}

/** As much of a value is told apart from chance: wherever it stands, and at the end of a text that was cut. */
const SHORTEST_BEGINNING = 12
const SHORTEST_AT_END = 4

/** Shorter values are words in another case. */
const SHORTEST_FOLDED = 8

interface Node {
  readonly next: Map<number, Node>
  isEnd: boolean
}

const PERCENT = 0x25
const AMPERSAND = 0x26
const PLUS = 0x2b
const BACKSLASH = 0x5c
const MARKS: ReadonlySet<number> = new Set([PERCENT, AMPERSAND, PLUS, BACKSLASH])

export class ValueFinder {
  readonly #root: Node = { next: new Map(), isEnd: false }
  /** The characters with which a value may begin; most places of a text are looked at no further. */
  readonly #begins = new Set<number>(MARKS)
  /** As they are written. */
  readonly #short = new Set<string>()

  constructor(values: Iterable<string>) {
    for (const value of values) {
      this.#add(value)
      if (value.length < SHORTEST_FOLDED) this.#short.add(value)
    }
  }

  #add(value: string): void {
    let node = this.#root
    for (let at = 0; at < value.length; at++) {
      const unit = folded(value.charCodeAt(at))
      let next = node.next.get(unit)
      if (next === undefined) {
        next = { next: new Map(), isEnd: false }
        node.next.set(unit, next)
      }
      node = next
    }
    node.isEnd = true
    for (const unit of this.#root.next.keys()) this.#begins.add(unit)
  }

  /** All matches, one behind the other. */
  in(text: string, isCut: boolean): Found[] {
    const found: Found[] = []
    for (let from = 0; from < text.length; from++) {
      if (!this.#begins.has(folded(text.charCodeAt(from)))) continue
      const to = new Reading(text, isCut).longest(this.#root, from, 0)
      if (to < 0 || this.#isOtherWord(text, from, to, isCut)) continue
      found.push({ from, to })
      from = to - 1
    }
    return found
  }

  #isOtherWord(text: string, from: number, to: number, isCut: boolean): boolean {
    if (to - from >= SHORTEST_FOLDED || (isCut && to === text.length)) return false
    return !this.#short.has(text.slice(from, to))
  }
}

/** Long lines are broken, and indented: a value goes on behind that. */
const BREAKS: ReadonlySet<number> = new Set([0x0a, 0x0d])
const INDENT = /[\t ]{0,80}/y
const BREAK = /[\r\n]+[\t ]{0,80}/y

const MOST_BREAKS = 16

/** One way through a text from one place on. */
class Reading {
  readonly #text: string
  readonly #isCut: boolean
  /** How many backslashes stand for one here; 0 until the first. */
  #backslashes = 0
  /** How many escaped ends of lines were gone over on the way here. */
  #breaks = 0

  constructor(text: string, isCut: boolean) {
    this.#text = text
    this.#isCut = isCut
  }

  /** Where the longest match ends that has come to `node` after `depth` characters; -1 without one. */
  longest(node: Node, at: number, depth: number): number {
    let best = -1
    let isBehindBreak = false
    for (let here: Node | undefined = node, to = at, length = depth; here !== undefined; to++, length++) {
      if (!isBehindBreak && length > 0 && (here.isEnd || length >= SHORTEST_BEGINNING)) best = to
      if (this.#isCut && length >= SHORTEST_AT_END && this.#isOver(to)) return this.#text.length
      if (to >= this.#text.length) return best
      const code = this.#text.charCodeAt(to)
      isBehindBreak = length >= SHORTEST_AT_END && BREAKS.has(code) && !here.next.has(code)
      if (isBehindBreak) {
        BREAK.lastIndex = to
        to += (BREAK.exec(this.#text)?.[0].length ?? 1) - 1
        length--
        continue
      }
      if (MARKS.has(code)) return Math.max(best, this.#marked(code, here, to, length))
      here = here.next.get(folded(code))
    }
    return best
  }

  /** What begins an escape may also stand for itself. */
  #marked(code: number, node: Node, at: number, depth: number): number {
    if (code === BACKSLASH) return Math.max(this.#backslash(node, at, depth), this.#escaped(node, at, depth, JSON_ESCAPES, jsonDecoded))
    const itself = this.#decoded(node, at + 1, depth, String.fromCharCode(code))
    if (code === PERCENT) return Math.max(itself, this.#escaped(node, at, depth, PERCENT_ESCAPES, percentDecoded))
    if (code === AMPERSAND) return Math.max(itself, this.#escaped(node, at, depth, ENTITIES, entityDecoded))
    return Math.max(itself, this.#decoded(node, at + 1, depth, ' '))
  }

  /** A backslash of the value, which is one of the text, two of them in JSON, four in JSON inside JSON; the same all along. */
  #backslash(node: Node, at: number, depth: number): number {
    const next = node.next.get(BACKSLASH)
    if (next === undefined) return -1
    const known = this.#backslashes
    let best = -1
    for (const count of known === 0 ? [1, 2, 4, 8, 16] : [known]) {
      if (!this.#text.startsWith('\\'.repeat(count), at)) break
      this.#backslashes = count
      best = Math.max(best, this.longest(next, at + count, depth + 1))
    }
    this.#backslashes = known
    return best
  }

  #escaped(node: Node, at: number, depth: number, patterns: readonly RegExp[], decode: (written: string) => Iterable<string>): number {
    let best = -1
    for (const pattern of patterns) {
      pattern.lastIndex = at
      const written = pattern.exec(this.#text)?.[0]
      if (written === undefined) continue
      for (const character of decode(written)) best = Math.max(best, this.#decoded(node, at + written.length, depth, character))
    }
    return best
  }

  /** Goes on behind what stands for this character. */
  #decoded(node: Node, to: number, depth: number, character: string): number {
    const isBreak =
      this.#breaks < MOST_BREAKS && depth >= SHORTEST_AT_END && BREAKS.has(character.charCodeAt(0)) && !node.next.has(character.charCodeAt(0))
    if (isBreak) {
      INDENT.lastIndex = to
      const behind = to + (INDENT.exec(this.#text)?.[0].length ?? 0)
      this.#breaks++
      const reached = this.longest(node, behind, depth)
      this.#breaks--
      return reached > behind ? reached : -1
    }
    let reached: Node | undefined = node
    for (let unit = 0; unit < character.length && reached !== undefined; unit++) reached = reached.next.get(folded(character.charCodeAt(unit)))
    return reached === undefined ? -1 : this.longest(reached, to, depth + character.length)
  }

  /** The text ends here, be it inside an escape. */
  #isOver(at: number): boolean {
    return at >= this.#text.length || (this.#text.length - at <= LONGEST_ESCAPE && HALF_ESCAPE.test(this.#text.slice(at)))
  }
}

/** An address inside an address, and that inside another, escapes the sign that escapes. */
const NESTED = [0, 1, 2, 3]
/** A character of several bytes has as many escapes. */
const PERCENT_ESCAPES = NESTED.map((times) => {
  const [sign, behind] = [`%(?:25){${times}}`, `%(?:25){${times}}[89ab][0-9a-f]`]
  return new RegExp(`${sign}(?:[0-7][0-9a-f]|[cd][0-9a-f]${behind}|e[0-9a-f](?:${behind}){2}|f[0-7](?:${behind}){3}|[89a-f][0-9a-f])`, 'iy')
})
const ENTITIES = NESTED.map((times) => new RegExp(`&(?:amp;){${times}}(?:#0{0,6}[0-9]{1,7}|#x0{0,6}[0-9a-f]{1,6}|amp|lt|gt|quot|apos);`, 'iy'))
const JSON_ESCAPES = [/\\{1,32}(?:u[0-9a-f]{4}|[^\\u])/isy]
const LONGEST_ESCAPE = 40
const HALF_ESCAPE = /^(?:%(?:25)*[0-9a-f]?|\\+(?:u[0-9a-f]{0,3})?|&(?:amp;)*#?[0-9a-z]{0,7})$/i

/** No reading twice: each is followed to its end, and there is one at every escape. */
function percentDecoded(written: string): Iterable<string> {
  const bytes = written
    .split('%')
    .slice(1)
    .map((each) => each.slice(-2))
  const latin = String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16)))
  try {
    return new Set([decodeURIComponent(`%${bytes.join('%')}`), latin])
  } catch {
    return [latin]
  }
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function entityDecoded(written: string): string[] {
  const name = written
    .replace(/^&(?:amp;)*/i, '')
    .slice(0, -1)
    .toLowerCase()
  if (!name.startsWith('#')) return [NAMED_ENTITIES[name] ?? '&']
  const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
  return code <= 0x10ffff ? [String.fromCodePoint(code)] : []
}

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

function jsonDecoded(written: string): string[] {
  const escaped = written.replace(/^\\+/, '')
  if (escaped.length > 1) return [String.fromCharCode(Number.parseInt(escaped.slice(1), 16))]
  const control = CONTROLS[escaped]
  return control === undefined ? [escaped] : [control, escaped]
}

/** The code unit without its case. */
function folded(code: number): number {
  if (code < 0x80) return code >= 0x41 && code <= 0x5a ? code + 0x20 : code
  const lower = String.fromCharCode(code).toLowerCase()
  return lower.length === 1 ? lower.charCodeAt(0) : code
}
