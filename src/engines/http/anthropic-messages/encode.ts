import type { ContentPart, Message, ToolCall } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import { isObject } from '../error-body.ts'
import { stated } from '../protocol.ts'
import { type IdRule, portableMessages } from '../transcript.ts'

type Json = Readonly<Record<string, unknown>>

/** The protocol demands a limit; this one is sent when the caller states none. */
export const DEFAULT_MAX_TOKENS = 4096

/** Version of the wire format that is spoken here. */
export const ANTHROPIC_VERSION = '2023-06-01'

/** `^[a-zA-Z0-9_-]+$`, as the provider's own error says. */
const IDS: IdRule = { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 }

/** The JSON body of a message. Effort and a response schema travel in `output_config`. */
export function encodeAnthropicMessages(request: AttemptRequest): Json {
  const { options, tools, mode, model } = request
  const messages = portableMessages(request, IDS)
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content)
  return stated({
    model,
    max_tokens: options.maxTokens ?? DEFAULT_MAX_TOKENS,
    system: system.length === 0 ? undefined : system.join('\n\n'),
    messages: encodeMessages(messages),
    stream: mode === 'stream' ? true : undefined,
    temperature: options.temperature,
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

function outputConfig({ reasoningEffort, responseSchema }: CallOptions): Json | undefined {
  if (reasoningEffort === undefined && responseSchema === undefined) return undefined
  return stated({ effort: reasoningEffort, format: responseSchema && { type: 'json_schema', schema: responseSchema.schema } })
}

function toolChoice({ toolChoice }: CallOptions): Json | undefined {
  if (toolChoice === undefined) return undefined
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name }
  return { type: toolChoice === 'required' ? 'any' : toolChoice }
}

/**
 * Turns of alternating roles: results of parallel calls stand together in one user turn, in front of what the user says next. Messages
 * without any content are left out, since the protocol refuses empty text.
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
  if (message.role === 'assistant') return [...content, ...(message.toolCalls ?? []).map(toolUse)]
  if (message.role === 'user') return content
  const result = { type: 'tool_result', tool_use_id: message.toolCallId, content, is_error: message.isError === true ? true : undefined }
  return [stated(result)]
}

function contentBlocks(content: string | readonly ContentPart[]): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content.filter((part) => part.type === 'image' || part.text !== '').map(encodePart)
}

function encodePart(part: ContentPart): Json {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.url !== undefined) return { type: 'image', source: { type: 'url', url: part.url } }
  return { type: 'image', source: { type: 'base64', media_type: part.mediaType, data: part.data ?? '' } }
}

function toolUse(call: ToolCall): Json {
  return { type: 'tool_use', id: call.id, name: call.name, input: inputOf(call.arguments) }
}

/** The protocol takes only an object. Arguments that were none are kept under one key, so that the model still sees what it wrote. */
function inputOf(text: string): Json {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    if (isObject(value)) return value
  } catch {
    // Told below.
  }
  return { invalid_arguments: text }
}
