import type { AssistantMessage, ContentPart, Message } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import type { AttemptRequest } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { ownOptions, portableMessages, resultsBehindCalls } from '../transcript.ts'
import type { Dialect } from './dialects.ts'
import { reasoningBack, reasoningParts } from './reasoning.ts'

/** Said by the model between a tool result and a user, where a server wants one of its turns there. It carries no meaning. */
const BRIDGE: JsonObject = { role: 'assistant', content: 'Understood.' }

/**
 * Messages in their order. An answer and, with most servers, a tool result carry text only: their images follow as one user message,
 * behind all the results of that step (a result must stand directly behind its call).
 */
export function encodeMessages(request: AttemptRequest, dialect: Dialect): readonly JsonObject[] {
  const encoded: JsonObject[] = []
  const names = new Map<string, string>()
  let images: JsonObject[] = []
  const say = (message: JsonObject) => {
    if (!dialect.userAfterResult && message.role === 'user' && encoded.at(-1)?.role === 'tool') encoded.push(BRIDGE)
    encoded.push(message)
  }
  const flush = () => {
    if (images.length > 0) say({ role: 'user', content: images })
    images = []
  }
  for (const message of resultsBehindCalls(portableMessages(request, dialect.ids))) {
    if (message.role !== 'tool') flush()
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) if (call.id !== null) names.set(call.id, call.name)
    say(withOptions(encodeMessage(message, dialect, names), ownOptions(request, message.providerOptions), dialect))
    const elsewhere = message.role === 'assistant' || (message.role === 'tool' && dialect.resultImages === 'behind')
    if (elsewhere && typeof message.content !== 'string') {
      images = images.concat(message.content.filter((part) => part.type === 'image').map(encodePart))
    }
  }
  flush()
  return encoded
}

function encodeMessage(message: Message, dialect: Dialect, names: ReadonlyMap<string, string>): JsonObject {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: typeof message.content === 'string' ? message.content : message.content.map(encodePart) }
    case 'tool': {
      const name = dialect.resultName ? names.get(message.toolCallId ?? '') : undefined
      const inResult = dialect.resultImages === 'in_result'
      const content = inResult && typeof message.content !== 'string' ? message.content.map(encodePart) : textOf(message)
      return { role: 'tool', tool_call_id: message.toolCallId, ...(name === undefined ? {} : { name }), content }
    }
    case 'assistant':
      return encodeAnswer(message, dialect)
  }
}

function encodeAnswer(message: AssistantMessage, dialect: Dialect): JsonObject {
  const text = textOf(message)
  const calls = message.toolCalls ?? []
  const thinking = reasoningParts(message.issued, dialect)
  const content = thinking.length > 0 ? [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])] : text
  const answer = { role: 'assistant', ...reasoningBack(message.issued, dialect) }
  if (calls.length === 0) return { ...answer, content }
  const toolCalls = calls.map((call) => ({ id: call.id, type: 'function', function: { name: call.name, arguments: call.arguments } }))
  return { ...answer, content: content === '' ? null : content, tool_calls: toolCalls }
}

function encodePart(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  return { type: 'image_url', image_url: { url: part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}` } }
}

/** The message with its own options added; what the message itself says is never displaced by them. */
function withOptions(message: JsonObject, options: JsonObject, dialect: Dialect): JsonObject {
  if (Object.keys(options).length === 0) return message
  const { content } = message
  if (dialect.options === 'message' || content === null || content === '') return { ...options, ...message }
  const parts: readonly JsonObject[] = Array.isArray(content) ? content : [{ type: 'text', text: content }]
  return { ...message, content: [...parts.slice(0, -1), { ...options, ...parts.at(-1) }] }
}
