import type { Issued } from '../../../model/message.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import type { Dialect } from './dialects.ts'

/**
 * The reasoning of an answer, kept for the server that gave it.
 *
 * 1. It goes back as it came: under its field, in the order and with the signatures of its pieces. Streamed pieces of one are put together.
 * 2. Of a piece only plain values are kept, so that nothing kept here can nest too deep to be written again.
 * 3. Hosts take histories from their users, so nothing goes back that has not the form in which it is kept here.
 */
const FIELDS = ['reasoning_content', 'reasoning'] as const
/** Fields of a detail that come in pieces, each going on with the last; `data` comes whole. */
const PIECES: ReadonlySet<string> = new Set(['text', 'summary'])

export class KeptReasoning {
  readonly #way: Dialect['reasoning']
  #field: (typeof FIELDS)[number] | null = null
  #text = ''
  readonly #details: Record<string, unknown>[] = []
  readonly #parts: { text: string; signature: unknown }[] = []

  constructor(way: Dialect['reasoning']) {
    this.#way = way
  }

  /** Takes the reasoning of one delta, or of a whole message. */
  take(delta: JsonObject): void {
    if (this.#way === 'none') return
    const field = FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '')
    if (field !== undefined) {
      this.#field ??= field
      this.#text += delta[field] as string
    }
    if (this.#way === 'details' && Array.isArray(delta.reasoning_details)) for (const piece of delta.reasoning_details) this.#takeDetail(piece)
    if (this.#way === 'parts' && Array.isArray(delta.content)) for (const part of delta.content) this.#takePart(part)
  }

  /** What its issuer wants back, or null when there was none. */
  issued(): JsonObject | null {
    if (this.#details.length > 0) return { reasoning_details: this.#details }
    if (this.#parts.length > 0) return { thinking: this.#parts.map(thinkingPart) }
    return this.#field === null ? null : { [this.#field]: this.#text }
  }

  #takeDetail(piece: unknown): void {
    if (!isObject(piece)) return
    const last = this.#details.at(-1)
    const plain = Object.entries(piece).filter(([, value]) => value === null || typeof value !== 'object')
    if (last === undefined || last.type !== piece.type || last.index !== piece.index || last.data !== undefined) {
      this.#details.push(Object.fromEntries(plain))
      return
    }
    for (const [name, value] of plain) {
      const before = last[name]
      if (PIECES.has(name) && typeof before === 'string' && typeof value === 'string') last[name] = before + value
      else if (value !== '' && value !== null) last[name] = value
    }
  }

  #takePart(part: unknown): void {
    if (!isObject(part) || part.type !== 'thinking') return
    const text = Array.isArray(part.thinking) ? part.thinking.map(textOfPart).join('') : textOfPart({ text: part.thinking })
    const last = this.#parts.at(-1)
    const signature = typeof part.signature === 'string' ? part.signature : undefined
    if (last === undefined || last.signature !== undefined) this.#parts.push({ text, signature })
    else Object.assign(last, { text: last.text + text, signature })
  }
}

/** The words of reasoning in a field of a delta, or '': some servers send the field of the other name as well, empty. */
export function reasoningField({ reasoning_content, reasoning }: JsonObject): string {
  if (typeof reasoning_content === 'string' && reasoning_content !== '') return reasoning_content
  return typeof reasoning === 'string' ? reasoning : ''
}

/** The words in the details of a delta, for a server that sends nothing else. */
export function reasoningInDetails({ reasoning_details }: JsonObject): string {
  if (!Array.isArray(reasoning_details)) return ''
  return reasoning_details.map((detail) => (isObject(detail) ? textOfPart({ text: detail.text ?? detail.summary }) : '')).join('')
}

/** The fields of an assistant message that give its issuer the reasoning back. */
export function reasoningBack(issued: Issued | undefined, { reasoning, demanded }: Dialect): JsonObject {
  const known = issuedNames(reasoning)
  const given = (issued?.data ?? []).flatMap((record) =>
    Object.entries(record).filter(([name, value]) => known.includes(name) && isKept(name, value)),
  )
  return { ...(demanded === null ? {} : { [demanded]: '' }), ...Object.fromEntries(given) }
}

/** The parts that stand in front of the text of an assistant message. */
export function reasoningParts(issued: Issued | undefined, { reasoning }: Dialect): readonly JsonObject[] {
  if (reasoning !== 'parts') return []
  return (issued?.data ?? []).flatMap(({ thinking }) =>
    Array.isArray(thinking) ? thinking.filter((part) => isObject(part) && part.type === 'thinking') : [],
  )
}

function isKept(name: string, value: unknown): boolean {
  return name === 'reasoning_details' ? Array.isArray(value) && value.every(isObject) : typeof value === 'string'
}

function issuedNames(way: Dialect['reasoning']): readonly string[] {
  if (way === 'details') return [...FIELDS, 'reasoning_details']
  return way === 'field' ? FIELDS : []
}

function thinkingPart({ text, signature }: { text: string; signature: unknown }): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text }], ...(signature === undefined ? {} : { signature }) }
}

/** The text of a part of Mistral's content, empty when it has none. */
export function textOfPart(part: unknown): string {
  return isObject(part) && typeof part.text === 'string' ? part.text : ''
}
