import type { Issued } from '../../../model/message.ts'
import { isObject } from '../error-body.ts'

/**
 * The blocks of an answer that only its issuer can read: signed thoughts, and what it ran itself. It wants them back unchanged, in their
 * places, in front of the call that they led to, and where it paused (`pause_turn`) to go on.
 *
 * 1. A block is kept whole, or not at all: a thought without a signature and what nests too deep to be written would be refused.
 * 2. Text and calls are not kept, they are the message's own. What is kept is how much of them stood in front of a later block:
 *    `{type: 'text', length}` and `{type: 'tool_use'}`.
 * 3. Hosts take histories from their users, so nothing goes back that the provider does not give: no image, no result of the caller's tools.
 */
type Json = Readonly<Record<string, unknown>>

export class KeptBlocks {
  readonly #data: Json[] = []
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

  startThought(index: unknown, block: Json): void {
    this.#thoughts.set(index, { thinking: textOf(block.thinking), signature: textOf(block.signature) })
  }

  continueThought(index: unknown, delta: Json): void {
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
  keep(block: Json): void {
    if (!isWritable(block)) return
    if (this.#text > 0) this.#data.push({ type: 'text', length: this.#text })
    for (; this.#calls > 0; this.#calls -= 1) this.#data.push({ type: 'tool_use' })
    this.#text = 0
    this.#data.push(block)
  }

  issued(): readonly Json[] {
    return this.#data
  }
}

/** The input that a provider's own tool was given; an empty object where its text is no object. */
export function keptInput(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  return {}
}

/**
 * The blocks of an answer as they stood: what was kept, in its places among the text and the calls of the message. Text and calls are
 * always whole, also where a host has changed them; only where the kept blocks stand among them may then differ.
 */
export function blocksInPlace(issued: Issued | undefined, text: string, calls: readonly Json[]): Json[] {
  const blocks: Json[] = []
  let said = 0
  let called = 0
  const say = (until: number) => {
    const piece = text.slice(said, until)
    // The protocol refuses a text of white space alone: it goes in front of the next.
    if (piece.trim() === '') return
    blocks.push({ type: 'text', text: piece })
    said = until
  }
  let place = 0
  for (const block of issued?.data ?? []) {
    if (block.type === 'text') {
      place = Math.min(text.length, place + (typeof block.length === 'number' ? Math.max(0, Math.trunc(block.length)) : 0))
      say(afterWholeCharacter(text, place))
    } else if (block.type === 'tool_use') {
      const call = calls[called]
      if (call !== undefined) blocks.push(call)
      called += 1
    } else if (isIssuedKind(block.type)) blocks.push(block)
  }
  say(text.length)
  for (const call of calls.slice(called)) blocks.push(call)
  // A message of thoughts alone is refused, and so is one that ends in a thought: its text was cut short, or taken out by the host.
  while (isThought(blocks.at(-1))) blocks.pop()
  return blocks
}

const ISSUED_KINDS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'server_tool_use', 'mcp_tool_use'])

function isIssuedKind(type: unknown): boolean {
  return ISSUED_KINDS.has(type) || (typeof type === 'string' && type.endsWith('_tool_result'))
}

/** Thoughts go back as they came: no block of them takes options, and none may be the last. */
export function isThought(block: Json | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking'
}

function isWritable(block: Json): boolean {
  try {
    return JSON.stringify(block) !== undefined
  } catch {
    return false
  }
}

/** The place itself, or the one behind a character of two halves that it would part. */
function afterWholeCharacter(text: string, place: number): number {
  const code = text.charCodeAt(place)
  return code >= 0xdc00 && code <= 0xdfff ? place + 1 : place
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
