import type { Issued } from '../../../model/message.ts'
import type { Emit } from '../decoder.ts'
import type { Place } from '../in-place.ts'
import { isObject, isWritable, type JsonObject } from '../json-object.ts'

/**
 * The blocks of an answer that only its issuer can read: signed and hidden reasoning, and what it ran itself. It wants them back
 * unchanged, in their places, in front of the call that they led to.
 *
 * 1. A block is kept whole, or not at all: reasoning that nobody signed is not wanted back, and what nests too deep cannot be written.
 * 2. Text and calls are not kept, they are the message's own. What is kept is how much of them stood in front of a later block:
 *    `{textLength}` and `{toolCall: true}`, which no block of the protocol is named.
 * 3. Hosts take histories from their users, so nothing goes back that the provider does not give.
 */
const SERVER_TOOL = 'server_tool_use'

interface Reasoning {
  text: string
  signature: string
  readonly hidden: string[]
}

export class KeptBlocks {
  readonly #data: JsonObject[] = []
  readonly #reasoning = new Map<unknown, Reasoning>()
  #text = 0
  #calls = 0

  text(length: number): void {
    this.#text += length
  }

  call(): void {
    this.#calls += 1
  }

  reasoning(index: unknown, { text, signature, redactedContent }: JsonObject): void {
    const open = this.#reasoning.get(index) ?? { text: '', signature: '', hidden: [] }
    this.#reasoning.set(index, open)
    if (typeof text === 'string') open.text += text
    if (typeof signature === 'string') open.signature += signature
    if (typeof redactedContent === 'string') open.hidden.push(redactedContent)
  }

  stop(index: unknown): void {
    const block = this.#reasoning.get(index)
    if (block === undefined) return
    this.#reasoning.delete(index)
    const { text, signature, hidden } = block
    if (signature !== '') this.keep({ reasoningContent: { reasoningText: { text, signature } } })
    for (const redactedContent of hidden) this.keep({ reasoningContent: { redactedContent } })
  }

  /** A block that is whole, behind what was told before it. */
  keep(block: JsonObject): void {
    if (!isWritable(block)) return
    if (this.#text > 0) this.#data.push({ textLength: this.#text })
    for (; this.#calls > 0; this.#calls -= 1) this.#data.push({ toolCall: true })
    this.#text = 0
    this.#data.push(block)
  }

  release(emit: Emit): void {
    for (const index of [...this.#reasoning.keys()]) this.stop(index)
    for (const data of this.#data) emit({ type: 'issued', data })
  }
}

/** What stood where in an answer that this class kept. */
export function placesOf(issued: Issued | undefined): readonly Place[] {
  return (issued?.data ?? []).flatMap((data): Place[] => {
    if (typeof data.textLength === 'number') return [{ text: Math.max(0, Math.trunc(data.textLength)) }]
    if (data.toolCall === true) return ['call']
    const kept = issuedBlock(data)
    return kept === undefined ? [] : [{ kept }]
  })
}

/** A call of the caller's own tools is the message's to say, so it is none of these. */
function issuedBlock({ reasoningContent, toolUse, toolResult }: JsonObject): JsonObject | undefined {
  if (isObject(reasoningContent)) return { reasoningContent }
  if (isObject(toolUse) && toolUse.type === SERVER_TOOL) return { toolUse }
  return isObject(toolResult) ? { toolResult } : undefined
}
