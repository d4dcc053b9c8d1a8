import { z } from 'zod'
import type { ToolDefinitionInput } from '../../../index.ts'
import type { ClientRequest } from '../dialect.ts'
import { BadRequest } from '../problem.ts'
import { argumentsSchema, effortOf, list, modelFields, parsed, withQuestion } from '../request-fields.ts'
import { inputItem } from './input-schema.ts'
import { messagesOf } from './messages.ts'
import { withoutOwnReasoning } from './own-reasoning.ts'

/**
 * A response as clients ask for it (platform.openai.com/docs/api-reference/responses/create). Fields that are not read here reach an entry
 * of the same protocol as they are, and no other. What would have to be kept between two requests is refused by name: in silence the model
 * would be asked something else than the client believes.
 */
const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
})
const otherTool = z
  .looseObject({ type: z.string().refine((type) => type !== 'function', 'is not whole') })
  .transform(() => ({ type: 'other' as const }))

const toolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('function'), name: z.string() }),
    z.looseObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: list(z.looseObject({ name: z.string().optional() })),
    }),
  ]),
  z.looseObject({ type: z.string().refine((type) => type !== 'function' && type !== 'allowed_tools', 'is not whole') }).transform(() => null),
])

const format = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({ type: z.literal('json_schema'), name: z.string(), schema: z.record(z.string(), z.unknown()) }),
])

const KEEP_NOTHING = 'nothing is kept here between requests; leave it out and send the earlier items in `input`'

const bodySchema = z.looseObject({
  ...modelFields,
  input: z.union([z.string(), list(inputItem, 1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  max_output_tokens: z.number().int().positive().nullish(),
  temperature: z.number().min(0).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish() }).nullish(),
  text: z.looseObject({ format: format.nullish() }).nullish(),
  tools: list(z.union([functionTool, otherTool])).nullish(),
  tool_choice: toolChoice.nullish(),
  background: z.literal(false, 'an answer is not kept here to be fetched later; leave it out').nullish(),
  previous_response_id: z.null(KEEP_NOTHING).optional(),
  conversation: z.null(KEEP_NOTHING).optional(),
  prompt: z.null('templates are kept at a provider; send what it says as `instructions` and `input`').optional(),
})
type Body = z.infer<typeof bodySchema>

export function readResponses(body: Readonly<Record<string, unknown>>): ClientRequest {
  const read = parsed(bodySchema, body)
  const items = typeof read.input === 'string' ? [{ type: 'message' as const, role: 'user' as const, content: read.input }] : read.input
  const messages = messagesOf(read.instructions, items)
  if (messages.every(({ role }) => role === 'system') && !items.some(({ type }) => type === 'message'))
    throw new BadRequest('input: holds nothing to answer; send at least one message', 'input')
  return {
    model: read.model ?? null,
    models: read.models ?? null,
    stream: read.stream === true,
    messages: withQuestion(messages),
    tools: toolsOf(read),
    options: optionsOf(read),
    usage: true,
    passed: withoutOwnReasoning(body),
    repeated: repeatedOf(body),
  }
}

/** Of tools that a provider runs itself nothing can be said to another; of those that are allowed only these are offered. */
function toolsOf({ tools, tool_choice }: Body): ToolDefinitionInput[] {
  const choice = typeof tool_choice === 'object' ? tool_choice : null
  const allowed = choice?.type === 'allowed_tools' ? new Set(choice.tools.map(({ name }) => name)) : null
  return (tools ?? []).flatMap((tool) => {
    if (tool.type !== 'function' || (allowed !== null && !allowed.has(tool.name))) return []
    const { name, description, parameters } = tool
    return [{ name, ...(description == null ? {} : { description }), ...(parameters == null ? {} : { parameters: argumentsSchema(parameters) }) }]
  })
}

function optionsOf({ max_output_tokens, temperature, top_p, reasoning, tool_choice, text }: Body): ClientRequest['options'] {
  const effort = effortOf(reasoning?.effort)
  return {
    ...(max_output_tokens == null ? {} : { maxTokens: max_output_tokens }),
    ...(temperature == null ? {} : { temperature }),
    ...(top_p == null ? {} : { topP: top_p }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
    ...toolChoiceOf(tool_choice),
    ...schemaOf(text?.format),
  }
}

function toolChoiceOf(choice: Body['tool_choice']): Pick<ClientRequest['options'], 'toolChoice'> {
  if (choice == null) return {}
  if (typeof choice === 'string') return { toolChoice: choice }
  return { toolChoice: choice.type === 'function' ? { name: choice.name } : choice.mode }
}

/** A client that asks for some JSON object gets any: there is no schema to send. */
function schemaOf(asked: z.infer<typeof format> | null | undefined): Pick<ClientRequest['options'], 'responseSchema'> {
  if (asked?.type === 'json_schema') return { responseSchema: { name: asked.name, schema: asked.schema } }
  return asked?.type === 'json_object' ? { responseSchema: { name: 'object', schema: { type: 'object' } } } : {}
}

/** What an answer of this protocol says again of its request, with what it says where the client said nothing. */
const REPEATED: Readonly<Record<string, unknown>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  reasoning: { effort: null, summary: null },
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
}

/** A field that is longer, such as the tools of an agent, is not said again: a stream would say it three times. */
const MAX_REPEATED = 16 * 1024

function repeatedOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(REPEATED).map(([field, unsaid]) => {
      const said = body[field] ?? unsaid
      return [field, JSON.stringify(said).length > MAX_REPEATED ? unsaid : said]
    }),
  )
}
