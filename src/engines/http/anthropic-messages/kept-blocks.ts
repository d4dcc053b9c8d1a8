import type { Issued } from '../../../model/message.ts'
import { inPlace, type Place } from '../in-place.ts'
import { isObject, isWritable, type JsonObject } from '../json-object.ts'

/**
 * The blocks of an answer that only its issuer can read: signed thoughts, and what it ran itself. It wants them back unchanged, in their
 * places, in front of the call that they led to, and where it paused (`pause_turn`) to go on.
 *
 * 1. A block is kept whole, or not at all: a thought without a signature and what nests too deep to be written would be refused.
 * 2. Text and calls are not kept, they are the message's own. What is kept is how much of them stood in front of a later block:
 *    `{type: 'text', length}` and `{type: 'tool_use'}`.
 * 3. Hosts take histories from their users, so nothing goes back that the provider does not give: no image, no result of the caller's tools.
 */
export class KeptBlocks {
  #data: JsonObject[] = []
  readonly #thoughts = new Map<unknown, { thinking: string; signature: string }>()
  #text = 0
  #calls = 0

  /** Told for every text in its place, so that it can be divided again. */
  text(length: number): void {
    this.#text += length
  }

  call(): void {
    this.#calls += 1
  }

  startThought(index: unknown, block: JsonObject): void {
    this.#thoughts.set(index, { thinking: textOf(block.thinking), signature: textOf(block.signature) })
  }

  continueThought(index: unknown, delta: JsonObject): void {
    const thought = this.#thoughts.get(index)
    if (thought === undefined) return
    thought.thinking += textOf(delta.thinking)
    thought.signature += textOf(delta.signature)
  }

  stopThought(index: unknown): void {
    const thought = this.#thoughts.get(index)
    this.#thoughts.delete(index)
    if (thought !== undefined && thought.signature !== '') this.keep({ type: 'thinking', ...thought })
  }

  /** A block that came whole, behind what was told before it. */
  keep(block: JsonObject): void {
    if (!isWritable(block)) return
    if (this.#text > 0) this.#data.push({ type: 'text', length: this.#text })
    for (; this.#calls > 0; this.#calls -= 1) this.#data.push({ type: 'tool_use' })
    this.#text = 0
    this.#data.push(block)
  }

  /** Of the model before stays what ran at the provider, with what came of it. */
  takeOver(): void {
    const answered = new Set<unknown>(this.#data.map(({ tool_use_id }) => tool_use_id).filter((id) => id !== undefined))
    this.#data = this.#data.filter(({ type, id }) => type !== 'tool_use' && !THOUGHTS.has(type) && (!PROVIDER_CALLS.has(type) || answered.has(id)))
    this.#thoughts.clear()
    this.#calls = 0
  }

  issued(): readonly JsonObject[] {
    return this.#data
  }
}

/** The input that a provider's own tool was given; an empty object where its text is no object. */
export function keptInput(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  return {}
}

/** The blocks of an answer as they stood: what was kept, in its places among the text and the calls of the message. */
export function blocksInPlace(issued: Issued | undefined, text: string, calls: readonly JsonObject[]): JsonObject[] {
  const blocks = inPlace(placesOf(issued), text, calls, (piece) => ({ type: 'text', text: piece }))
  // A message of thoughts alone is refused, and so is one that ends in a thought: its text was cut short, or taken out by the host.
  while (isThought(blocks.at(-1))) blocks.pop()
  return blocks
}

function placesOf(issued: Issued | undefined): readonly Place[] {
  return (issued?.data ?? []).flatMap((block): Place[] => {
    if (block.type === 'text') return [{ text: typeof block.length === 'number' ? Math.max(0, Math.trunc(block.length)) : 0 }]
    if (block.type === 'tool_use') return ['call']
    return isIssuedKind(block.type) ? [{ kept: block }] : []
  })
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])
const PROVIDER_CALLS: ReadonlySet<unknown> = new Set(['server_tool_use', 'mcp_tool_use'])

function isIssuedKind(type: unknown): boolean {
  return THOUGHTS.has(type) || PROVIDER_CALLS.has(type) || (typeof type === 'string' && type.endsWith('_tool_result'))
}

/** Thoughts go back as they came: no block of them takes options, and none may be the last. */
export function isThought(block: JsonObject | undefined): boolean {
  return THOUGHTS.has(block?.type)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
