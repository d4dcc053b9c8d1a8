import { REDACTED } from './secret.ts'
import { ValueFinder } from './value-finder.ts'

/**
 * Takes values out of what is told. The one place that knows in which forms a value comes back.
 *
 * 1. A value is found as the finder finds it, and in base64, alone or inside a longer text (`Basic`).
 * 2. What was put in is not searched again: a value that is a part of `[redacted]` would multiply it.
 * 3. What is short stands in numbers and names of fields by chance; there only a longer value counts. In texts every value does.
 * 4. Nothing is made before the first text.
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

export function scrubOf(values: Iterable<string>): Scrub {
  return new ValueScrub(values)
}

class ValueScrub implements Scrub {
  readonly #values: readonly string[]
  #texts: ValueFinder | null = null
  #names: ValueFinder | null = null

  constructor(values: Iterable<string>) {
    this.#values = [...new Set(values)].filter((value) => value.trim() !== '')
  }

  get isEmpty(): boolean {
    return this.#values.length === 0
  }

  text(text: string): string {
    return this.#without(text, false)
  }

  cut(text: string): string {
    return this.#without(text, true)
  }

  data(value: unknown): unknown {
    if (this.isEmpty) return value
    if (typeof value === 'string') return this.text(value)
    if (typeof value === 'number' || typeof value === 'bigint') return this.#name(String(value)) === String(value) ? value : REDACTED
    if (Array.isArray(value)) return value.map((item) => this.data(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#name(key), this.data(item)]))
  }

  #without(text: string, isCut: boolean): string {
    if (this.isEmpty) return text
    this.#texts ??= new ValueFinder(this.#values.flatMap(formsOf))
    return without(text, this.#texts, isCut)
  }

  #name(text: string): string {
    this.#names ??= new ValueFinder(this.#values.filter((value) => value.length >= SHORTEST_BY_CHANCE).flatMap(formsOf))
    return without(text, this.#names, false)
  }
}

function without(text: string, values: ValueFinder, isCut: boolean): string {
  const found = values.in(text, isCut)
  if (found.length === 0) return text
  let clean = ''
  let kept = 0
  for (const { from, to } of found) {
    clean += text.slice(kept, from) + REDACTED
    kept = to
  }
  return clean + text.slice(kept)
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
