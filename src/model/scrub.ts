import { REDACTED } from './secret.ts'

/**
 * Takes values out of what is told. The one place that knows in which forms a value comes back.
 *
 * 1. A value is found in any case of letters, since codes are made lower case, and in the forms in which texts carry one: as it is, inside
 *    JSON of any depth, inside an address or a page, in base64 alone or inside a longer text (`Basic`).
 * 2. What was put in is not searched again: a value that is a part of `[redacted]` would multiply it.
 * 3. What is short stands in numbers and names of fields by chance; there only a longer value counts. In texts every value does.
 * 4. The patterns are made with the first text, not before.
 */
export interface Scrub {
  /** There is nothing to be found. */
  readonly isEmpty: boolean
  text(text: string): string
  /** A text that was cut to a length: the cut may have fallen inside a value. */
  cut(text: string): string
  /** A copy of what JSON can say, names of fields too. */
  data(value: unknown): unknown
}

/** Shorter values stand in many a number or name of a field by chance. */
const SHORTEST_BY_CHANCE = 6
/** Shorter values are looked for as they are: the base64 of three letters stands in every picture. */
const SHORTEST_ENCODED = 8
/** As much of a value at a cut end is still told apart from chance. */
const SHORTEST_PREFIX = 4
/** Values in one pattern; an expression cannot be of any size. */
const PATTERN_VALUES = 64

export function scrubOf(values: Iterable<string>): Scrub {
  return new ValueScrub(values)
}

class ValueScrub implements Scrub {
  readonly #values: readonly string[]
  #texts: readonly RegExp[] | null = null
  #names: readonly RegExp[] | null = null
  #ends: RegExp | null = null

  constructor(values: Iterable<string>) {
    // The longest first: of a value and its part the whole is taken.
    this.#values = [...new Set(values)].filter((value) => value.trim() !== '').sort((left, right) => right.length - left.length)
  }

  get isEmpty(): boolean {
    return this.#values.length === 0
  }

  text(text: string): string {
    this.#texts ??= patternsOf(this.#values)
    return without(text, this.#texts)
  }

  cut(text: string): string {
    this.#ends ??= this.#values.length === 0 ? null : endsOf(this.#values)
    const clean = this.text(text)
    return this.#ends === null ? clean : clean.replace(this.#ends, REDACTED)
  }

  data(value: unknown): unknown {
    if (this.isEmpty) return value
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint') return this.#name(String(value)) === String(value) ? value : REDACTED
    if (Array.isArray(value)) return value.map((item) => this.data(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#name(key), this.data(item)]))
  }

  #name(text: string): string {
    this.#names ??= patternsOf(this.#values.filter((value) => value.length >= SHORTEST_BY_CHANCE))
    return without(text, this.#names)
  }
}

function without(text: string, patterns: readonly RegExp[], from = 0): string {
  const pattern = patterns[from]
  if (pattern === undefined) return text
  pattern.lastIndex = 0
  if (!pattern.test(text)) return without(text, patterns, from + 1)
  return text
    .split(pattern)
    .map((rest) => without(rest, patterns, from + 1))
    .join(REDACTED)
}

function patternsOf(values: readonly string[]): RegExp[] {
  const patterns: RegExp[] = []
  for (let at = 0; at < values.length; at += PATTERN_VALUES) {
    const forms = values.slice(at, at + PATTERN_VALUES).flatMap(formsOf)
    forms.sort((left, right) => right.length - left.length)
    patterns.push(new RegExp(forms.map(written).join('|'), 'gi'))
  }
  return patterns
}

/** The value, and the letters that it alone decides in each base64 of a text around it. */
function formsOf(value: string): string[] {
  if (value.length < SHORTEST_ENCODED) return [value]
  const cores = [0, 1, 2].map((before) => base64Core(value, before))
  const encoded = [...cores, ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_'))]
  return [value, ...new Set(encoded.filter((form) => form.length >= SHORTEST_ENCODED))]
}

/** The letters that this value alone decides in the base64 of a text in which so many bytes, of each three, stand before it. */
function base64Core(value: string, before: number): string {
  const bytes = new TextEncoder().encode(' '.repeat(before) + value)
  const letters = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '')
  return letters.slice(before === 0 ? 0 : before + 1, bytes.length % 3 === 0 ? undefined : -1)
}

/** What stands at the end of a text that was cut inside one of these: the longest beginning of any, and half an escape behind it. */
function endsOf(values: readonly string[]): RegExp {
  const beginnings = values.flatMap(formsOf).map((form) => {
    const [first, ...rest] = chunked(Array.from(form, writtenCharacter))
    return rest.reduceRight((behind, character) => `(?:${character}${behind})?`, HALF_ESCAPE).replace(/^/, first ?? '')
  })
  return new RegExp(`(?:${beginnings.join('|')})$`, 'i')
}

const HALF_ESCAPE = '(?:%[0-9a-f]?|\\\\+(?:u[0-9a-f]{0,3})?|&#?[0-9a-z]{0,6})?'

/** As much as is told apart from chance, and then each character by itself. */
function chunked(characters: readonly string[]): string[] {
  return [characters.slice(0, SHORTEST_PREFIX).join(''), ...characters.slice(SHORTEST_PREFIX)]
}

/** A pattern for a text, each of whose characters may be written as JSON, addresses and pages write it. */
function written(text: string): string {
  return Array.from(text, writtenCharacter).join('')
}

function writtenCharacter(character: string): string {
  return /^[\w.~-]$/.test(character) ? character.replace('.', '\\.') : escapable(character)
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' }
/** As many backslashes stand before an escaped character in JSON inside JSON, four times over. */
const ESCAPES = '\\\\{1,31}'

function escapable(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  const code = character.codePointAt(0) ?? 0
  const entity = NAMED_ENTITIES[character]
  const json = JSON.stringify(character).slice(1, -1)
  const forms = [
    // A slash may be escaped, and a backslash always is.
    character === '\\' ? ESCAPES : `\\\\{0,31}${literal(character)}`,
    units.map((unit) => `${ESCAPES}u${unit.toString(16).padStart(4, '0')}`).join(''),
    ...(/^\\[bfnrt]$/.test(json) ? [`${ESCAPES}${json.slice(1)}`] : []),
    ...percentEncoded(character, code),
    `&#0*${code};`,
    `&#x0*${code.toString(16)};`,
    ...(entity === undefined ? [] : [`&${entity};`]),
  ]
  return `(?:${forms.join('|')})`
}

/** As UTF-8 and, for a byte, as Latin 1; a blank of a form is a plus. */
function percentEncoded(character: string, code: number): string[] {
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  const latin = code < 256 ? [`%${code.toString(16).padStart(2, '0')}`] : []
  return [...new Set([bytes, ...latin, ...(character === ' ' ? ['\\+'] : [])])]
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
