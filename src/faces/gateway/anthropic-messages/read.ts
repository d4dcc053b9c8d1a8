import { z } from 'zod'
import type { MessageInput, ToolDefinitionInput } from '../../../index.ts'
import type { ClientRequest } from '../dialect.ts'
import { effortOf, list, modelFields, otherThan, parsed } from '../request-fields.ts'
import { assistantBlock, textBlock, userBlock } from './blocks.ts'
import { assistantMessage, userMessages } from './messages.ts'
import { withoutOwnThoughts } from './own-thought.ts'

/**
 * A message as clients ask for it (platform.claude.com/docs/en/api/messages). Fields that are not read here reach an entry of the same
 * protocol as they are, and no other.
 */
const texts = z.union([z.string(), list(textBlock)])

const message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('user'), content: z.union([z.string(), list(userBlock)]) }),
  z.looseObject({ role: z.literal('assistant'), content: z.union([z.string(), list(assistantBlock)]) }),
  z.looseObject({ role: z.literal('system'), content: texts }),
])

/** Of a tool that runs at the provider only its type says what it is; it stays in the passed body. */
const tool = z.union([
  z.looseObject({
    type: z.literal('custom').nullish(),
    name: z.string().min(1),
    description: z.string().nullish(),
    input_schema: z.record(z.string(), z.unknown()),
  }),
  otherThan('custom'),
])

const toolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['auto', 'any', 'none']) }),
  z.looseObject({ type: z.literal('tool'), name: z.string() }),
])

const outputFormat = z.looseObject({ type: z.string(), schema: z.record(z.string(), z.unknown()).nullish() })

/** What tokens are counted of. */
const askedFields = {
  ...modelFields,
  messages: list(message, 1),
  system: texts.nullish(),
  tools: list(tool).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.number().int().positive().nullish() }).nullish(),
}

export const countedSchema = z.looseObject(askedFields)

const bodySchema = z.looseObject({
  ...askedFields,
  max_tokens: z.number('is needed: a whole number of tokens').int().positive(),
  stream: z.boolean().nullish(),
  stop_sequences: list(z.string()).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  output_config: z.looseObject({ effort: z.string().nullish(), format: outputFormat.nullish() }).nullish(),
  output_format: outputFormat.nullish(),
})

type Body = z.infer<typeof bodySchema>

export function readMessages(body: Readonly<Record<string, unknown>>): ClientRequest {
  const read = parsed(bodySchema, body)
  const tools = (read.tools ?? []).flatMap(toolOf)
  return {
    model: read.model ?? null,
    models: read.models ?? null,
    stream: read.stream === true,
    messages: [...systemMessages(read.system), ...read.messages.flatMap(messagesOf)],
    tools,
    options: optionsOf(read, tools),
    usage: true,
    passed: withoutOwnThoughts(body),
  }
}

function optionsOf(read: Body, tools: readonly ToolDefinitionInput[]): ClientRequest['options'] {
  const { max_tokens, temperature, top_p, stop_sequences, output_config, output_format } = read
  const effort = effortOf(output_config?.effort) ?? effortOfThinking(read.thinking)
  const schema = (output_config?.format ?? output_format)?.schema
  const toolChoice = toolChoiceOf(read.tool_choice, tools)
  return {
    maxTokens: max_tokens,
    ...(temperature == null ? {} : { temperature }),
    ...(top_p == null ? {} : { topP: top_p }),
    ...(stop_sequences == null || stop_sequences.length === 0 ? {} : { stop: stop_sequences }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...(toolChoice === undefined ? {} : { toolChoice }),
    ...(schema == null ? {} : { responseSchema: { name: 'output', schema } }),
  }
}

/** Tokens from which a budget is a medium and a high effort: what Google states for its own (ai.google.dev/gemini-api/docs/openai). */
const MEDIUM_FROM = 8_192
const HIGH_FROM = 24_576

/** The effort that a budget of thoughts stands for. Thinking that is adaptive or off says nothing of it. */
function effortOfThinking(thinking: Body['thinking']): 'low' | 'medium' | 'high' | undefined {
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : null
  if (budget == null) return undefined
  if (budget >= HIGH_FROM) return 'high'
  return budget >= MEDIUM_FROM ? 'medium' : 'low'
}

/** A choice among tools that stay in the passed body would be none anywhere else. */
function toolChoiceOf(choice: Body['tool_choice'], tools: readonly ToolDefinitionInput[]): ClientRequest['options']['toolChoice'] {
  if (choice == null || tools.length === 0) return undefined
  switch (choice.type) {
    case 'any':
      return 'required'
    case 'tool':
      return tools.some(({ name }) => name === choice.name) ? { name: choice.name } : undefined
    default:
      return choice.type
  }
}

function systemMessages(system: Body['system']): MessageInput[] {
  const content = system == null ? '' : textOf(system)
  return content === '' ? [] : [{ role: 'system', content }]
}

function messagesOf(message: Body['messages'][number], index: number): MessageInput[] {
  switch (message.role) {
    case 'user':
      return userMessages(message.content)
    case 'assistant':
      return [assistantMessage(message.content, `messages[${index}]`)]
    case 'system':
      return systemMessages(message.content)
  }
}

/** Blocks are paragraphs: clients put one text into each. */
function textOf(content: z.infer<typeof texts>): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('\n\n')
}

function toolOf(tool: NonNullable<Body['tools']>[number]): ToolDefinitionInput[] {
  if (tool.type === 'other') return []
  const { name, description, input_schema } = tool
  return [{ name, ...(description == null ? {} : { description }), parameters: input_schema }]
}
