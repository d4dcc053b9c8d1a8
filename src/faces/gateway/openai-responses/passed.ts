/**
 * Where a passed stream stands: who answers in it and how far it is numbered. Only looked at where it breaks off, or where another answer
 * goes on behind it, so of what was passed only the last bytes are kept: whole events, each with its numbers.
 */
export class Passed {
  readonly #head: string
  #last: Uint8Array

  constructor(first: Uint8Array) {
    this.#head = latin1(first.subarray(0, HEAD_BYTES))
    this.#last = first
  }

  take(bytes: Uint8Array): void {
    this.#last = bytes
  }

  /** The provider's id of the answer; null where its first event does not tell. */
  get id(): string | null {
    return ID.exec(this.#head)?.[1] ?? null
  }

  /** The number that its next event would have. */
  get sequence(): number {
    return this.#next('"sequence_number":')
  }

  /** The place that its next item would have. */
  get index(): number {
    return this.#next('"output_index":')
  }

  /** A quote inside of text is escaped, so a field's name is never found there. */
  #next(field: string): number {
    const text = latin1(this.#last)
    const at = text.lastIndexOf(field)
    const [digits] = at < 0 ? [] : (/^\s*\d{1,15}/.exec(text.slice(at + field.length, at + field.length + 20)) ?? [])
    return digits === undefined ? 0 : Number(digits) + 1
  }
}

const HEAD_BYTES = 4_096
const ID = /"response"\s*:\s*\{[^{}]*?"id"\s*:\s*"([^"\\]+)"/

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
