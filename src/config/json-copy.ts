/**
 * A copy of what the operator wrote for a provider, field by field as it will be sent.
 *
 * 1. What JSON cannot say, or would say otherwise (a date, a circle, a number that is none), is told by its path and never sent in part.
 * 2. Depth and size are bounded, so that an alias within an alias ends in a finding and not in an endless copy.
 */
type Path = readonly PropertyKey[]

/** Told for each place that cannot be sent, with what is wrong about it. */
export type TellUnfit = (path: Path, problem: string) => void

/** Deeper than any request of a provider, and far from what exhausts a stack. */
const MAX_DEPTH = 64
const MAX_VALUES = 100_000

export function jsonCopy(value: unknown, path: Path, tell: TellUnfit): unknown {
  return new JsonCopy(tell).of(value, path)
}

class JsonCopy {
  readonly #tell: TellUnfit
  /** The containers on the way down to the place. */
  readonly #holders = new Set<object>()
  #values = 0

  constructor(tell: TellUnfit) {
    this.#tell = tell
  }

  of(value: unknown, path: Path): unknown {
    this.#values += 1
    if (this.#values > MAX_VALUES) return this.#values === MAX_VALUES + 1 ? this.#unfit(path, 'holds more than a request may') : null
    if (typeof value === 'object' && value !== null) return this.#container(value, path)
    const isSaid = value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
    return isSaid ? value : this.#unfit(path, 'is no JSON value')
  }

  #container(value: object, path: Path): unknown {
    if (this.#holders.has(value)) return this.#unfit(path, 'leads back to what holds it')
    if (this.#holders.size >= MAX_DEPTH) return this.#unfit(path, 'nests too deep')
    if (!Array.isArray(value) && !isRecord(value)) return this.#unfit(path, 'is no JSON value')
    this.#holders.add(value)
    const copy = Array.isArray(value) ? value.map((item: unknown, at) => this.of(item, [...path, at])) : this.#record(value, path)
    this.#holders.delete(value)
    return copy
  }

  /** A field that is undefined is left out, as JSON leaves it out. */
  #record(value: Readonly<Record<string, unknown>>, path: Path): Record<string, unknown> {
    const copy: Record<string, unknown> = {}
    for (const key of Object.keys(value)) {
      if (key === '__proto__') this.#unfit([...path, key], 'is a name that no field may have')
      else if (value[key] !== undefined) copy[key] = this.of(value[key], [...path, key])
    }
    return copy
  }

  #unfit(path: Path, problem: string): null {
    this.#tell(path, problem)
    return null
  }
}

/** An object of fields, and none that stands for something else. */
function isRecord(value: object): value is Record<string, unknown> {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}
