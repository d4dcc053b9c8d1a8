import type { ContentPart, Message, ToolCall } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import { argumentsObject } from '../call-arguments.ts'
import { base64Of } from '../image-data.ts'
import { isObject } from '../json-object.ts'
import { stated } from '../protocol.ts'
import { type IdRule, portableMessages } from '../transcript.ts'
import { effortFields } from './effort.ts'

type Json = Readonly<Record<string, unknown>>

/** `[a-zA-Z0-9_-]+`, at most 64 characters, as the API reference says of `toolUseId`. */
const IDS: IdRule = { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 }

/** The JSON body of a conversation; the model and whether it streams stand in the address. */
export function encodeBedrockConverse(request: AttemptRequest): Json {
  const { options, model } = request
  const messages = portableMessages(request, IDS)
  const system = messages.flatMap((message) => (message.role === 'system' && !isBlank(message.content) ? [{ text: message.content }] : []))
  const inference = stated({
    maxTokens: options.maxTokens,
    temperature: options.temperature,
    topP: options.topP,
    stopSequences: options.stop,
  })
  return stated({
    system: system.length === 0 ? undefined : system,
    messages: encodeMessages(messages),
    inferenceConfig: Object.keys(inference).length === 0 ? undefined : inference,
    toolConfig: toolConfig(request, messages),
    outputConfig: outputConfig(options),
    additionalModelRequestFields: options.reasoningEffort && effortFields(model, options.reasoningEffort),
  })
}

/** The schema travels as a text. */
function outputConfig({ responseSchema }: CallOptions): Json | undefined {
  if (responseSchema === undefined) return undefined
  const jsonSchema = { name: responseSchema.name, schema: JSON.stringify(responseSchema.schema) }
  return { textFormat: { type: 'json_schema', structure: { jsonSchema } } }
}

/**
 * The tools on offer. A conversation with calls in it is refused without any tools, so there the tools that were called are named at
 * least. The protocol has no word for `none`: no tool is then offered that the history does not ask for.
 */
function toolConfig({ tools, options }: AttemptRequest, messages: readonly Message[]): Json | undefined {
  const called = new Set(messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.name) : [])))
  const offered = options.toolChoice === 'none' ? tools.filter((tool) => called.has(tool.name)) : tools
  for (const { name } of offered) called.delete(name)
  const specs = [
    ...offered.map(({ name, description, parameters }) => stated({ name, description: description || undefined, inputSchema: { json: parameters } })),
    ...[...called].map((name): Json => ({ name, inputSchema: { json: { type: 'object' } } })),
  ]
  if (specs.length === 0) return undefined
  return stated({ tools: specs.map((toolSpec) => ({ toolSpec })), toolChoice: offered.length === 0 ? undefined : toolChoice(options) })
}

function toolChoice({ toolChoice }: CallOptions): Json | undefined {
  if (typeof toolChoice === 'object') return { tool: { name: toolChoice.name } }
  if (toolChoice === 'required') return { any: {} }
  return toolChoice === 'auto' ? { auto: {} } : undefined
}

/**
 * Turns of alternating roles: results of parallel calls stand together in one user turn, in front of what the user says next. Blank text
 * is left out, since the protocol refuses it, and so is a message without any content.
 */
function encodeMessages(messages: readonly Message[]): readonly Json[] {
  const turns: { role: 'user' | 'assistant'; content: Json[] }[] = []
  for (const message of messages) {
    if (message.role === 'system') continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(message)
    if (blocks.length === 0) continue
    const last = turns[turns.length - 1]
    if (last?.role === role) last.content.push(...blocks)
    else turns.push({ role, content: blocks })
  }
  return turns
}

function blocksOf(message: Exclude<Message, { role: 'system' }>): Json[] {
  const content = contentBlocks(message.content)
  if (message.role === 'user') return content
  if (message.role === 'assistant') return [...reasoningBlocks(message), ...content, ...(message.toolCalls ?? []).map(toolUse)]
  return [{ toolResult: stated({ toolUseId: message.toolCallId, content, status: message.isError === true ? 'error' : undefined }) }]
}

/** Reasoning that this model signed or hid, in front of what it said. */
function reasoningBlocks({ issued }: Extract<Message, { role: 'assistant' }>): Json[] {
  return (issued?.data ?? []).flatMap(({ reasoningContent }) => (isObject(reasoningContent) ? [{ reasoningContent }] : []))
}

function contentBlocks(content: string | readonly ContentPart[]): Json[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ text: content }]
  return content.filter((part) => part.type === 'image' || !isBlank(part.text)).map(encodePart)
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** An image is its bytes, or an object in the store of the same provider. */
function encodePart(part: ContentPart): Json {
  if (part.type === 'text') return { text: part.text }
  if (part.url?.startsWith('s3://')) return { image: { format: formatOf(part.mediaType), source: { s3Location: { uri: part.url } } } }
  const { data, mediaType } = base64Of(part, 'Bedrock')
  return { image: { format: formatOf(mediaType), source: { bytes: data } } }
}

/** `png`, `jpeg`, `gif`, `webp`: the subtype, which people also write as `jpg`. */
function formatOf(mediaType: string): string {
  const subtype = mediaType.toLowerCase().replace(/^image\//, '')
  return subtype === 'jpg' ? 'jpeg' : subtype
}

function toolUse(call: ToolCall): Json {
  return { toolUse: { toolUseId: call.id, name: call.name, input: argumentsObject(call.arguments) } }
}
