import type { ContentPart, Message, ToolCall } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import { argumentsObject } from '../call-arguments.ts'
import type { JsonObject } from '../json-object.ts'
import { atMostOne, stated } from '../protocol.ts'
import { closed, inWords } from '../response-schema.ts'
import { type IdRule, ownOptions, portableMessages, resultsBehindCalls } from '../transcript.ts'
import { blocksInPlace, isThought } from './kept-blocks.ts'

/** The protocol demands a limit; this one is sent when the caller states none. */
export const DEFAULT_MAX_TOKENS = 4096

/** Version of the wire format that is spoken here. */
export const ANTHROPIC_VERSION = '2023-06-01'

/** `^[a-zA-Z0-9_-]+$`, as the provider's own error says. */
const IDS: IdRule = { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 }

/** The JSON body of a message. Effort and a response schema travel in `output_config`. */
export function encodeAnthropicMessages(request: AttemptRequest): JsonObject {
  const { options, tools, mode, model } = request
  return stated({
    model,
    max_tokens: options.maxTokens ?? DEFAULT_MAX_TOKENS,
    system: systemOf(request),
    messages: encodeMessages(request),
    stream: mode === 'stream' ? true : undefined,
    temperature: atMostOne(options.temperature),
    top_p: options.topP,
    stop_sequences: options.stop,
    output_config: outputConfig(options),
    tools: tools.length === 0 ? undefined : tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    tool_choice: tools.length === 0 ? undefined : toolChoice(options),
  })
}

export function signAnthropicMessages(request: AttemptRequest): Readonly<Record<string, string>> {
  return request.secret === null ? {} : { 'x-api-key': request.secret.reveal() }
}

function outputConfig({ reasoningEffort, responseSchema }: CallOptions): JsonObject | undefined {
  const schema = responseSchema === undefined ? null : closed(responseSchema.schema)
  if (reasoningEffort === undefined && schema === null) return undefined
  return stated({ effort: reasoningEffort, format: schema === null ? undefined : { type: 'json_schema', schema } })
}

function toolChoice({ toolChoice }: CallOptions): JsonObject | undefined {
  if (toolChoice === undefined) return undefined
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name }
  return { type: toolChoice === 'required' ? 'any' : toolChoice }
}

/** Text, or blocks where one of them has options of its own. Empty ones are left out. A schema that cannot be sent as one is the last. */
function systemOf(request: AttemptRequest): unknown {
  const blocks = request.messages.flatMap((message) => {
    if (message.role !== 'system' || message.content.trim() === '') return []
    return [{ ...ownOptions(request, message.providerOptions), type: 'text', text: message.content }]
  })
  const { responseSchema } = request.options
  if (responseSchema !== undefined && closed(responseSchema.schema) === null) blocks.push({ type: 'text', text: inWords(responseSchema) })
  if (blocks.length === 0) return undefined
  return blocks.some((block) => Object.keys(block).length > 2) ? blocks : blocks.map(({ text }) => text).join('\n\n')
}

/**
 * Turns of alternating roles: results of parallel calls stand together in one user turn, in front of what the user says next. Messages
 * without any content are left out, since the protocol refuses empty text. It has no images in an answer: they follow as the user's,
 * behind the results of that step.
 */
function encodeMessages(request: AttemptRequest): readonly JsonObject[] {
  const turns: { role: 'user' | 'assistant'; content: JsonObject[] }[] = []
  let images: JsonObject[] = []
  const say = (role: 'user' | 'assistant', blocks: readonly JsonObject[]) => {
    if (blocks.length === 0) return
    const last = turns[turns.length - 1]
    if (last?.role !== role) turns.push({ role, content: [...blocks] })
    else for (const block of blocks) last.content.push(block)
  }
  for (const message of resultsBehindCalls(portableMessages(request, IDS))) {
    if (message.role === 'system') continue
    if (message.role !== 'tool') {
      say('user', images)
      images = []
    }
    say(message.role === 'assistant' ? 'assistant' : 'user', withOptions(blocksOf(message), ownOptions(request, message.providerOptions)))
    if (message.role === 'assistant' && typeof message.content !== 'string') images = contentBlocks(message.content.filter(isImage))
  }
  say('user', images)
  return turns
}

/**
 * Of an answer, what the provider gave with it stands where it stood. An answer of another provider has none of that, and is taken also
 * while thinking is asked for: in a tool loop that another began, Anthropic itself goes on without ("graceful thinking degradation").
 */
function blocksOf(message: Exclude<Message, { role: 'system' }>): JsonObject[] {
  if (message.role === 'assistant') return blocksInPlace(message.issued, textOf(message), (message.toolCalls ?? []).map(toolUse))
  const content = contentBlocks(message.content)
  if (message.role === 'user') return content
  const result = { type: 'tool_result', tool_use_id: message.toolCallId, content, is_error: message.isError === true ? true : undefined }
  return [stated(result)]
}

function isImage(part: ContentPart): boolean {
  return part.type === 'image'
}

function contentBlocks(content: string | readonly ContentPart[]): JsonObject[] {
  const parts: readonly ContentPart[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts.filter((part) => part.type === 'image' || part.text.trim() !== '').map(encodePart)
}

/** The options of a message stand on its last block (`cache_control` there covers all before it); they displace nothing of it. */
function withOptions(blocks: JsonObject[], options: JsonObject): JsonObject[] {
  const at = blocks.findLastIndex((block) => !isThought(block))
  return Object.keys(options).length === 0 ? blocks : blocks.map((block, place) => (place === at ? { ...options, ...block } : block))
}

function encodePart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.url !== undefined) return { type: 'image', source: { type: 'url', url: part.url } }
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data ?? '' } }
}

function toolUse(call: ToolCall): JsonObject {
  return { type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call.arguments) }
}
