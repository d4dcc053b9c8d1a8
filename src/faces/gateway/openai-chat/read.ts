import { z } from 'zod'
import type { MessageInput, ToolDefinitionInput } from '../../../index.ts'
import type { ClientRequest } from '../dialect.ts'
import { argumentsSchema, effortOf, imagePart, list, modelFields, otherThan, parsed, withQuestion } from '../request-fields.ts'

/**
 * A chat completion as clients ask for it (platform.openai.com/docs/api-reference/chat/create). Fields that are not read here reach an entry
 * of the same protocol as they are, and no other.
 */
const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const imagePartSchema = z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string() }) })
/** Of a kind that other protocols have not only its name is kept: files, sound. */
const userPart = z.union([z.discriminatedUnion('type', [textPart, imagePartSchema]), otherThan('text', 'image_url')])
const userContent = z.union([z.string(), list(userPart)])
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })
const texts = z.union([z.string(), list(z.discriminatedUnion('type', [textPart, refusalPart]))])

const functionCall = z.looseObject({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string().default('') }),
})
/** Of a tool that takes a text and no JSON; only an entry of this protocol is offered such tools. */
const customCall = z.looseObject({
  id: z.string(),
  type: z.literal('custom'),
  custom: z.looseObject({ name: z.string(), input: z.string().default('') }),
})
const toolCall = z.union([functionCall, customCall])

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: texts }),
  z.looseObject({ role: z.literal('user'), content: userContent }),
  z.looseObject({ role: z.literal('assistant'), content: texts.nullish(), tool_calls: list(toolCall).nullish() }),
  // OpenAI has only text in results; many who speak the protocol take images, too, and other protocols do.
  z.looseObject({ role: z.literal('tool'), content: userContent, tool_call_id: z.string() }),
])

const functionTool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), description: z.string().nullish(), parameters: z.record(z.string(), z.unknown()).nullish() }),
})
const tool = z.union([functionTool, otherThan('function')])

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
    z.looseObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z.looseObject({
        mode: z.enum(['auto', 'required']),
        tools: list(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })),
      }),
    }),
  ]),
  otherThan('function', 'allowed_tools'),
])

const responseFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    json_schema: z.looseObject({ name: z.string(), schema: z.record(z.string(), z.unknown()).default({ type: 'object' }) }),
  }),
])

const bodySchema = z.looseObject({
  ...modelFields,
  messages: list(message, 1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop: z.union([z.string(), list(z.string())]).nullish(),
  n: z.literal(1, 'must be 1: a turn has one answer').nullish(),
  reasoning_effort: z.string().nullish(),
  tools: list(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  response_format: responseFormat.nullish(),
})

type Body = z.infer<typeof bodySchema>
type ChatMessage = z.infer<typeof message>

export function readChat(body: Readonly<Record<string, unknown>>): ClientRequest {
  const read = parsed(bodySchema, body)
  return {
    model: read.model ?? null,
    models: read.models ?? null,
    stream: read.stream === true,
    messages: withQuestion(read.messages.map(messageOf)),
    tools: toolsOf(read),
    options: optionsOf(read),
    usage: read.stream_options?.include_usage === true,
  }
}

function optionsOf(read: Body): ClientRequest['options'] {
  const maxTokens = read.max_completion_tokens ?? read.max_tokens
  const { temperature, top_p, stop, reasoning_effort, tool_choice, response_format } = read
  const effort = effortOf(reasoning_effort)
  return {
    ...(maxTokens == null ? {} : { maxTokens }),
    ...(temperature == null ? {} : { temperature }),
    ...(top_p == null ? {} : { topP: top_p }),
    ...(stop == null ? {} : { stop: typeof stop === 'string' ? [stop] : stop }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...toolChoiceOf(tool_choice),
    ...schemaOf(response_format),
  }
}

/** A choice among tools that only this protocol has would be none anywhere else. */
function toolChoiceOf(choice: Body['tool_choice']): Pick<ClientRequest['options'], 'toolChoice'> {
  if (choice == null) return {}
  if (typeof choice === 'string') return { toolChoice: choice }
  if (choice.type === 'other') return {}
  return { toolChoice: choice.type === 'function' ? { name: choice.function.name } : choice.allowed_tools.mode }
}

/** A client that asks for some JSON object gets any: there is no schema to send. */
function schemaOf(format: Body['response_format']): Pick<ClientRequest['options'], 'responseSchema'> {
  if (format?.type === 'json_schema') return { responseSchema: { name: format.json_schema.name, schema: format.json_schema.schema } }
  return format?.type === 'json_object' ? { responseSchema: { name: 'object', schema: { type: 'object' } } } : {}
}

function messageOf(message: ChatMessage, index: number): MessageInput {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) }
    case 'user':
      return { role: 'user', content: contentOf(message.content, index) }
    case 'assistant':
      return {
        role: 'assistant',
        content: textOf(message.content ?? ''),
        ...(message.tool_calls == null || message.tool_calls.length === 0 ? {} : { toolCalls: message.tool_calls.map(callOf) }),
      }
    case 'tool':
      return { role: 'tool', content: resultOf(message.content, index), toolCallId: message.tool_call_id }
  }
}

type Parts = ReturnType<typeof partOf>[]

function contentOf(content: z.infer<typeof userContent>, index: number): string | Parts {
  return typeof content === 'string' ? content : content.map((part, at) => partOf(part, index, at))
}

/** One text, where it is nothing but text. */
function resultOf(content: z.infer<typeof userContent>, index: number): string | Parts {
  const parts = contentOf(content, index)
  if (typeof parts === 'string') return parts
  const written = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return written.length === parts.length ? written.join('') : parts
}

function partOf(part: z.infer<typeof userPart>, index: number, at: number): ReturnType<typeof imagePart> | { type: 'text'; text: string } {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'other') return { type: 'text', text: `[${part.kind}: not shown to this model]` }
  return imagePart(part.image_url.url, `messages[${index}].content[${at}].image_url.url`)
}

function textOf(content: z.infer<typeof texts>): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('')
}

function callOf(call: z.infer<typeof toolCall>): { id: string; name: string; arguments: string } {
  if (call.type === 'custom') return { id: call.id, name: call.custom.name, arguments: JSON.stringify({ input: call.custom.input }) }
  return { id: call.id, name: call.function.name, arguments: call.function.arguments }
}

/** Of tools that are allowed only these are offered. */
function toolsOf({ tools, tool_choice: choice }: Body): ToolDefinitionInput[] {
  const isList = typeof choice === 'object' && choice?.type === 'allowed_tools'
  const allowed = isList ? new Set(choice.allowed_tools.tools.map((tool) => tool.function?.name)) : null
  return (tools ?? []).flatMap((tool) => {
    if (tool.type === 'other' || (allowed !== null && !allowed.has(tool.function.name))) return []
    return [toolOf(tool)]
  })
}

function toolOf({ function: { name, description, parameters } }: z.infer<typeof functionTool>): ToolDefinitionInput {
  return { name, ...(description == null ? {} : { description }), ...(parameters == null ? {} : { parameters: argumentsSchema(parameters) }) }
}
