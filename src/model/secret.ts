/**
 * A credential that cannot be printed by accident.
 *
 * 1. `reveal()` is the only way to the value; it is called where a request is signed and nowhere else.
 * 2. Every automatic conversion (template, JSON, inspect) yields `[redacted]`.
 */
export const REDACTED = '[redacted]'

/** A credential. Only `reveal()` gives its value; in templates, JSON and `inspect` it is `[redacted]`. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The plain value, to be put into one request and kept nowhere. */
  reveal(): string {
    return this.#value
  }

  /** True when both hold the same value; used to see whether two routes agree on a credential. */
  equals(other: Secret): boolean {
    return this.#value === other.#value
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return REDACTED
  }
}
