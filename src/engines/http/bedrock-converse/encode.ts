import type { Message } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { atMostOne, stated } from '../protocol.ts'
import { closed, inWords } from '../response-schema.ts'
import { type IdRule, portableMessages } from '../transcript.ts'
import { effortFields } from './effort.ts'
import { encodeMessages, systemBlocks } from './messages.ts'

/** `[a-zA-Z0-9_-]+`, at most 64 characters, as the API reference says of `toolUseId`. */
const IDS: IdRule = { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 }

/** The JSON body of a conversation; the model and whether it streams stand in the address. */
export function encodeBedrockConverse(request: AttemptRequest): JsonObject {
  const { options, model } = request
  const messages = portableMessages(request, IDS)
  const system = [...systemBlocks(request, messages), ...schemaBlock(options)]
  const inference = stated({
    maxTokens: options.maxTokens,
    temperature: atMostOne(options.temperature),
    topP: options.topP,
    stopSequences: options.stop,
  })
  return stated({
    system: system.length === 0 ? undefined : system,
    messages: encodeMessages(request, messages),
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig: toolConfig(request, messages),
    outputConfig: outputConfig(options),
    additionalModelRequestFields: options.reasoningEffort && effortFields(model, options.reasoningEffort),
  })
}

/** The schema travels as a text. */
function outputConfig({ responseSchema }: CallOptions): JsonObject | undefined {
  const schema = responseSchema === undefined ? null : closed(responseSchema.schema)
  if (responseSchema === undefined || schema === null) return undefined
  const jsonSchema = { name: responseSchema.name, schema: JSON.stringify(schema) }
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } }
}

/** A schema that cannot be sent as one. */
function schemaBlock({ responseSchema }: CallOptions): readonly JsonObject[] {
  return responseSchema === undefined || closed(responseSchema.schema) !== null ? [] : [{ text: inWords(responseSchema) }]
}

/**
 * The tools on offer. A conversation with calls in it is refused without any tools, so there the tools that were called are named at
 * least. The protocol has no word for `none`: no tool is then offered that the history does not ask for.
 */
function toolConfig({ tools, options }: AttemptRequest, messages: readonly Message[]): JsonObject | undefined {
  const called = new Set(messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.name) : [])))
  const offered = options.toolChoice === 'none' ? tools.filter((tool) => called.has(tool.name)) : tools
  for (const { name } of offered) called.delete(name)
  const specs = [
    ...offered.map(({ name, description, parameters }) => stated({ name, description: description || undefined, inputSchema: { json: parameters } })),
    ...[...called].map((name): JsonObject => ({ name, inputSchema: { json: { type: 'object' } } })),
  ]
  if (specs.length === 0) return undefined
  return stated({ tools: specs.map((toolSpec) => ({ toolSpec })), toolChoice: offered.length === 0 ? undefined : toolChoice(options) })
}

function toolChoice({ toolChoice }: CallOptions): JsonObject | undefined {
  if (typeof toolChoice === 'object') return { tool: { name: toolChoice.name } }
  if (toolChoice === 'required') return { any: {} }
  return toolChoice === 'auto' ? { auto: {} } : undefined
}
