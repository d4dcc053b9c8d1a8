import { BadRequest } from '../problem.ts'
import { parsed } from '../request-fields.ts'
import { countedSchema } from './read.ts'

/**
 * How many tokens a request would have, as an estimate: nobody is asked, since the entry that will serve is not known before it does, and each
 * has a tokenizer of its own. More text never counts less.
 *
 * 1. Text counts a token for each 3.5 bytes of UTF-8, the rate that Anthropic states for English; text in other scripts has more bytes, and
 *    more tokens. It is that of `system`, of the messages with thoughts, tool calls and results, and of the tools with their schemas.
 * 2. An image counts 1,600, what Anthropic states for the largest that it does not scale down; a document whose text is not in the request
 *    counts as a page of it, 3,000.
 * 3. A message counts 4 for its role, and tools together 346 for the instructions that come with them.
 */
const BYTES_PER_TOKEN = 3.5
const IMAGE_TOKENS = 1_600
const DOCUMENT_TOKENS = 3_000
const MESSAGE_TOKENS = 4
const TOOLS_TOKENS = 346

/** Throws BadRequest as the request itself would. */
export function countTokens(body: Readonly<Record<string, unknown>>): { input_tokens: number } {
  parsed(countedSchema, body)
  const count = new Count()
  count.content(body.system)
  for (const message of listOf(body.messages)) {
    count.fixed += MESSAGE_TOKENS
    count.content(fieldOf(message, 'content'))
  }
  const tools = listOf(body.tools)
  if (tools.length > 0) count.fixed += TOOLS_TOKENS
  for (const tool of tools) count.json(tool)
  return { input_tokens: count.tokens }
}

class Count {
  fixed = 0
  #bytes = 0

  get tokens(): number {
    return this.fixed + Math.ceil(this.#bytes / BYTES_PER_TOKEN)
  }

  /** Text, or blocks of it. Nests no deeper than the protocol does: results in messages, content in documents. */
  content(content: unknown, depth = 0): void {
    if (typeof content === 'string') this.#text(content)
    else for (const block of listOf(content)) this.#block(block, depth)
  }

  #block(block: unknown, depth: number): void {
    const field = (name: string) => fieldOf(block, name)
    switch (field('type')) {
      case 'text':
        return this.#text(field('text'))
      case 'image':
        this.fixed += IMAGE_TOKENS
        return
      case 'thinking':
        return this.#text(field('thinking'))
      case 'tool_use':
        this.#text(field('name'))
        return this.json(field('input'))
      case 'tool_result':
      case 'search_result':
        this.#text(field('title'))
        this.#text(field('source'))
        return depth < DEEPEST ? this.content(field('content'), depth + 1) : this.json(block)
      case 'document':
        return this.#document(block, depth)
      default:
        return this.json(block)
    }
  }

  #document(block: unknown, depth: number): void {
    this.#text(fieldOf(block, 'title'))
    this.#text(fieldOf(block, 'context'))
    const source = fieldOf(block, 'source')
    switch (fieldOf(source, 'type')) {
      case 'text':
        return this.#text(fieldOf(source, 'data'))
      case 'content':
        return depth < DEEPEST ? this.content(fieldOf(source, 'content'), depth + 1) : this.json(source)
      default:
        this.fixed += DOCUMENT_TOKENS
    }
  }

  json(value: unknown): void {
    try {
      this.#text(JSON.stringify(value))
    } catch {
      throw new BadRequest('the body nests too deep to be sent on', null)
    }
  }

  #text(text: unknown): void {
    if (typeof text === 'string') this.#bytes += Buffer.byteLength(text)
  }
}

const DEEPEST = 3

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
}
