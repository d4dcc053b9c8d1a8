import type { Emit } from '../decoder.ts'
import type { JsonObject } from '../json-object.ts'

interface Block {
  text: string
  signature: string
  readonly redacted: string[]
}

/**
 * Reasoning blocks as they were given, so that their issuer gets them back unchanged: text with the signature over it, or content that
 * nobody else can read. Reasoning without either is not wanted back, and nothing of it is kept.
 */
export class OpenReasoning {
  readonly #keeps: boolean
  readonly #blocks = new Map<unknown, Block>()

  constructor(keeps: boolean) {
    this.#keeps = keeps
  }

  /** Takes a piece in, and gives the part of it that a reader may see. */
  take(index: unknown, { text, signature, redactedContent }: JsonObject): string {
    const said = typeof text === 'string' ? text : ''
    if (!this.#keeps) return said
    const block = this.#blocks.get(index) ?? { text: '', signature: '', redacted: [] }
    this.#blocks.set(index, block)
    block.text += said
    if (typeof signature === 'string') block.signature += signature
    if (typeof redactedContent === 'string') block.redacted.push(redactedContent)
    return said
  }

  release(emit: Emit): void {
    for (const { text, signature, redacted } of this.#blocks.values()) {
      if (signature !== '') emit({ type: 'issued', data: { reasoningContent: { reasoningText: { text, signature } } } })
      for (const redactedContent of redacted) emit({ type: 'issued', data: { reasoningContent: { redactedContent } } })
    }
    this.#blocks.clear()
  }
}
