import type { ContentPart, Message } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import type { AttemptRequest, CallOptions } from '../../contract.ts'
import { stated } from '../protocol.ts'
import { type IdRule, portableMessages } from '../transcript.ts'

type Json = Readonly<Record<string, unknown>>

/** Families of OpenAI itself, whose newer models refuse `max_tokens`; the servers that speak its protocol know only that. */
const OWN_FAMILIES = new Set(['openai', 'azure', 'azure-openai'])
const KEY_HEADER_FAMILIES = new Set(['azure', 'azure-openai'])

/** OpenAI refuses a tool call id of more than 40 characters. */
const IDS: IdRule = { fits: /^[\x21-\x7e]{1,40}$/, length: 24 }

/** The JSON body of a chat completion. `stream_options.include_usage` asks for the usage chunk behind the finish marker. */
export function encodeOpenaiChat(request: AttemptRequest): Json {
  const { options, tools, mode, model, profile } = request
  const streamed = mode === 'stream'
  return stated({
    model,
    messages: encodeMessages(portableMessages(request, IDS)),
    stream: streamed ? true : undefined,
    stream_options: streamed ? { include_usage: true } : undefined,
    [OWN_FAMILIES.has(profile.family) ? 'max_completion_tokens' : 'max_tokens']: options.maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    stop: options.stop,
    reasoning_effort: options.reasoningEffort,
    response_format: responseFormat(options),
    tools:
      tools.length === 0
        ? undefined
        : tools.map((tool) => ({ type: 'function', function: { name: tool.name, description: tool.description, parameters: tool.parameters } })),
    tool_choice: tools.length === 0 ? undefined : toolChoice(options),
  })
}

/** Authorization by bearer token, or by Azure's own header. */
export function signOpenaiChat(request: AttemptRequest): Readonly<Record<string, string>> {
  if (request.secret === null) return {}
  const value = request.secret.reveal()
  return KEY_HEADER_FAMILIES.has(request.profile.family) ? { 'api-key': value } : { authorization: `Bearer ${value}` }
}

function responseFormat({ responseSchema }: CallOptions): Json | undefined {
  return responseSchema && { type: 'json_schema', json_schema: { name: responseSchema.name, schema: responseSchema.schema, strict: true } }
}

function toolChoice({ toolChoice }: CallOptions): unknown {
  return typeof toolChoice === 'object' ? { type: 'function', function: { name: toolChoice.name } } : toolChoice
}

/**
 * Messages in their order. A tool result carries text only in this protocol, so images in results follow as one user message, behind all
 * the results of that step (a result must stand directly behind its call).
 */
function encodeMessages(messages: readonly Message[]): readonly Json[] {
  const encoded: Json[] = []
  let images: Json[] = []
  const flush = () => {
    if (images.length > 0) encoded.push({ role: 'user', content: images })
    images = []
  }
  for (const message of messages) {
    if (message.role !== 'tool') flush()
    encoded.push(encodeMessage(message))
    if (message.role === 'tool' && typeof message.content !== 'string') {
      images.push(...message.content.filter((part) => part.type === 'image').map(encodePart))
    }
  }
  flush()
  return encoded
}

function encodeMessage(message: Message): Json {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: typeof message.content === 'string' ? message.content : message.content.map(encodePart) }
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: textOf(message) }
    case 'assistant': {
      const text = textOf(message)
      const calls = message.toolCalls ?? []
      if (calls.length === 0) return { role: 'assistant', content: text }
      const toolCalls = calls.map((call) => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }))
      return { role: 'assistant', content: text === '' ? null : text, tool_calls: toolCalls }
    }
  }
}

function encodePart(part: ContentPart): Json {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: 'image_url', image_url: { url: part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}` } }
}
