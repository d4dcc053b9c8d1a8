import type { ContentPart, MessageInput } from '../../../index.ts'
import { BadRequest } from '../problem.ts'
import type { AssistantBlock, ShownBlock, ToolResultBlock, UserBlock } from './blocks.ts'

/**
 * Messages of this protocol as those of a turn.
 *
 * 1. Each result of a tool is a message of its own, in order; what the user says beside them follows, since protocols want a result directly
 *    behind its call.
 * 2. Thoughts, and what the provider ran itself, say nothing to anybody else and are left out of an answer.
 * 3. What the user or a tool shows and no other protocol can be given, such as a PDF, is named in its place: a model that is silently not shown
 *    what it is asked about makes its content up.
 */
type AssistantMessage = Extract<MessageInput, { role: 'assistant' }>
type Content = string | ContentPart[]

export function userMessages(content: string | readonly UserBlock[]): MessageInput[] {
  if (typeof content === 'string') return [{ role: 'user', content }]
  const results = content.filter((block) => block.type === 'tool_result')
  const shown = content.filter((block) => block.type !== 'tool_result')
  const said: MessageInput[] = shown.length === 0 && results.length > 0 ? [] : [{ role: 'user', content: contentOf(shown) }]
  return [...results.map(toolMessage), ...said]
}

function toolMessage({ tool_use_id, content, is_error }: ToolResultBlock): MessageInput {
  return {
    role: 'tool',
    toolCallId: tool_use_id,
    content: typeof content === 'string' ? content : contentOf(content ?? []),
    ...(is_error === true ? { isError: true } : {}),
  }
}

/** `path`: where the message stands, for the error of an input that cannot be written. */
export function assistantMessage(content: string | readonly AssistantBlock[], path: string): AssistantMessage {
  if (typeof content === 'string') return { role: 'assistant', content }
  const toolCalls = content.flatMap((block, at) =>
    block.type === 'tool_use' ? [{ id: block.id, name: block.name, arguments: written(block.input, `${path}.content[${at}].input`) }] : [],
  )
  const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('')
  return { role: 'assistant', content: text, ...(toolCalls.length === 0 ? {} : { toolCalls }) }
}

/** JSON reads a nest of any depth, but writing it again exhausts the stack. */
function written(input: Readonly<Record<string, unknown>>, path: string): string {
  try {
    return JSON.stringify(input)
  } catch {
    throw new BadRequest(`${path}: nests too deep to be sent on`, path)
  }
}

/** One text alone is a plain text. */
function contentOf(blocks: readonly ShownBlock[]): Content {
  const parts = blocks.flatMap(partsOf)
  const [first] = parts
  if (first === undefined) return ''
  return parts.length === 1 && first.type === 'text' ? first.text : parts
}

function partsOf(block: ShownBlock): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
      return [imageOf(block)]
    case 'document':
      return documentOf(block)
    case 'search_result':
      return [{ type: 'text', text: [block.title, block.source, ...block.content.map(({ text }) => text)].join('\n') }]
    case 'other':
      return [notShown(block.kind)]
  }
}

function imageOf({ source }: Extract<ShownBlock, { type: 'image' }>): ContentPart {
  switch (source.type) {
    case 'base64':
      return { type: 'image', mediaType: source.media_type, data: source.data }
    case 'url':
      return { type: 'image', mediaType: 'image/png', url: source.url }
    case 'other':
      return notShown('image')
  }
}

function documentOf({ source, title, context }: Extract<ShownBlock, { type: 'document' }>): ContentPart[] {
  const about = [title, context].filter((text) => text != null && text !== '').join('\n')
  const head: ContentPart[] = about === '' ? [] : [{ type: 'text', text: about }]
  if (source.type === 'text') return [...head, { type: 'text', text: source.data }]
  if (source.type === 'other') return [...head, notShown('document')]
  if (typeof source.content === 'string') return [...head, { type: 'text', text: source.content }]
  return [...head, ...source.content.flatMap(partsOf)]
}

function notShown(kind: string): ContentPart {
  return { type: 'text', text: `[${kind}: not shown to this model]` }
}
