import { readErrorBody } from './error-body.ts'
import { Utf8Pieces } from './utf8-pieces.ts'

/**
 * A body that is no stream but one error in JSON: a gateway answers 200 with it and leaves the type out, or calls it a stream
 * (wire.md §8, §12.7). In the framing of its protocol it would be noise or half an event, and what it says of a quota would be lost.
 *
 * 1. Only a body that begins as JSON is looked at; no stream of events does, and a stream of lines stops being looked at with its first line.
 * 2. A JSON text says its own end, so no more than the text is waited for.
 * 3. It is looked for in the first `MAX_BYTES`, so a hostile body costs what those cost.
 */
const MAX_BYTES = 8 * 1024

export class BareError {
  readonly #pieces = new Utf8Pieces()
  #text = ''
  #bytes = 0

  /** What the body is with this chunk: the error, no such thing, or undecided. */
  take(chunk: Uint8Array): object | 'none' | 'undecided' {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BYTES) return 'none'
    this.#text = (this.#text + this.#pieces.push(chunk)).trimStart()
    if (this.#text === '') return 'undecided'
    if (!/^[{[]/.test(this.#text)) return 'none'
    if (!/[}\]]\s*$/.test(this.#text)) return 'undecided'
    const value = parsed(this.#text)
    if (value === undefined) return 'undecided'
    return readErrorBody(value).isError ? (value as object) : 'none'
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
