import { z } from 'zod'
import { list, otherThan } from '../request-fields.ts'

/**
 * The blocks of a message (platform.claude.com/docs/en/api/messages). Kinds that are read here are checked; of every other, which the
 * protocol has more of each year, only its name is kept: such a block reaches an entry of this protocol in the passed body, and no other.
 */
export const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() })

const base64Source = z.looseObject({
  type: z.literal('base64'),
  media_type: z.string().regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a MIME type'),
  data: z.string().regex(/^[A-Za-z0-9+/=\s]*$/, 'must be base64'),
})
const urlSource = z.looseObject({ type: z.literal('url'), url: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }) })

const imageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.union([z.discriminatedUnion('type', [base64Source, urlSource]), otherThan('base64', 'url')]),
})

const searchResultBlock = z.looseObject({ type: z.literal('search_result'), source: z.string(), title: z.string(), content: list(textBlock) })

const sourceContent = z.union([z.discriminatedUnion('type', [textBlock, imageBlock]), otherThan('text', 'image')])
const documentBlock = z.looseObject({
  type: z.literal('document'),
  title: z.string().nullish(),
  context: z.string().nullish(),
  source: z.union([
    z.discriminatedUnion('type', [
      z.looseObject({ type: z.literal('text'), data: z.string() }),
      z.looseObject({ type: z.literal('content'), content: z.union([z.string(), list(sourceContent)]) }),
    ]),
    otherThan('text', 'content'),
  ]),
})

const SHOWN = ['text', 'image', 'document', 'search_result'] as const

/** What a user or a tool shows a model. */
const shownBlock = z.union([z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, searchResultBlock]), otherThan(...SHOWN)])

const toolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), list(shownBlock)]).nullish(),
  is_error: z.boolean().nullish(),
})

export const userBlock = z.union([
  z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, searchResultBlock, toolResultBlock]),
  otherThan(...SHOWN, 'tool_result'),
])

const toolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.custom<Readonly<Record<string, unknown>>>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'must be an object',
  ),
})

export const assistantBlock = z.union([z.discriminatedUnion('type', [textBlock, toolUseBlock]), otherThan('text', 'tool_use')])

export type ShownBlock = z.infer<typeof shownBlock>
export type ToolResultBlock = z.infer<typeof toolResultBlock>
export type UserBlock = z.infer<typeof userBlock>
export type AssistantBlock = z.infer<typeof assistantBlock>
