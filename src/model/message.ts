import { z } from 'zod'

/** What a host may hand over: what has a default can be left out, and lists that it cannot change, such as those of an outcome, are taken. */
type Given<Value> = Value extends readonly (infer Item)[]
  ? readonly Given<Item>[]
  : Value extends object
    ? { readonly [Field in keyof Value]: Given<Value[Field]> }
    : Value

/** A tool call as a model made it. `arguments` is a JSON string exactly as sent; `id` is null when the wire has none. */
export const toolCallSchema = z.strictObject({
  id: z.string().nullable().describe('Id minted by the provider; null when the wire has none'),
  name: z.string().describe('Name of the tool'),
  arguments: z.string().describe('JSON text of the arguments, as sent'),
})
export type ToolCall = z.infer<typeof toolCallSchema>

/** A tool offered to the model. `parameters` is a JSON schema. */
export const toolDefinitionSchema = z.strictObject({
  name: z.string().min(1).describe('Name the model calls the tool by'),
  description: z.string().default('').describe('What the tool does, for the model'),
  parameters: z.record(z.string(), z.unknown()).default({ type: 'object', properties: {} }).describe('JSON schema of the arguments'),
})
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>
export type ToolDefinitionInput = Given<z.input<typeof toolDefinitionSchema>>

export const contentPartSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    mediaType: z.string().default('image/png').describe('MIME type of `data`; ignored for a url'),
    data: z.string().optional().describe('Base64 bytes'),
    url: z.url().optional().describe('Address that the provider itself fetches'),
  }),
])
export type ContentPart = z.infer<typeof contentPartSchema>

/** Options that only one provider knows, by family (`anthropic`) or profile id (`anthropic.prod`); elsewhere they are left out (R1). */
export const providerOptionsSchema = z.record(z.string().describe('family or profile id'), z.record(z.string(), z.unknown()))
export type ProviderOptions = z.infer<typeof providerOptionsSchema>

/**
 * What a provider gave with an answer and wants back unchanged, unreadable to any other: a thinking signature, an encrypted reasoning
 * item. It is sent to the same profile and model only, and left out everywhere else.
 */
const issuedSchema = z.strictObject({
  profile: z.string().describe('Profile that gave it'),
  model: z.string().describe('Model that gave it'),
  data: z.array(z.record(z.string(), z.unknown())).describe('In the order given, in the words of its protocol'),
})
export type Issued = z.infer<typeof issuedSchema>

const providerOptions = providerOptionsSchema.optional()
const contentSchema = z.union([z.string(), z.array(contentPartSchema)])

/** One message of a conversation. Tool results carry the id of the call that they answer. */
export const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string(), providerOptions }),
  z.strictObject({ role: z.literal('user'), content: contentSchema, providerOptions }),
  z.strictObject({
    role: z.literal('assistant'),
    content: contentSchema,
    toolCalls: z.array(toolCallSchema).optional(),
    issued: issuedSchema.optional(),
    providerOptions,
  }),
  z.strictObject({
    role: z.literal('tool'),
    content: contentSchema,
    toolCallId: z.string().nullable().default(null),
    isError: z.boolean().optional(),
    providerOptions,
  }),
])
export type Message = z.infer<typeof messageSchema>
export type MessageInput = Given<z.input<typeof messageSchema>>
export type AssistantMessage = Extract<Message, { role: 'assistant' }>

/** The text of a message: its string, or its text parts joined. */
export function textOf(message: Message): string {
  if (typeof message.content === 'string') return message.content
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}

/** Whether any message carries an image, so that only an entry with vision may serve it (R24, C51). */
export function hasImage(messages: readonly Message[]): boolean {
  return messages.some((message) => typeof message.content !== 'string' && message.content.some((part) => part.type === 'image'))
}
