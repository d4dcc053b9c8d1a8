import type { AssistantMessage, ContentPart, Message, ToolCall } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import type { AttemptRequest } from '../../contract.ts'
import type { JsonObject } from '../json-object.ts'
import { type IdRule, ownOptions, portableMessages, resultsBehindCalls } from '../transcript.ts'
import { isIssuedKind } from './issued.ts'

/**
 * A history as input items.
 *
 * 1. A call and its result agree on `call_id`. The id of an item (`fc_…`, `msg_…`) is the provider's own: it is sent only together with
 *    the thoughts that it was issued with, never made up.
 * 2. An answer that still is what its issuer gave goes back in the order of its output, thoughts in front of what they led to. One that a
 *    host has edited goes back as what it says, without them: the provider refuses a thought whose item is gone.
 */
type Request = Pick<AttemptRequest, 'messages' | 'profile' | 'model' | 'entry'>

/** OpenAI refuses a call id of more than 64 characters. */
const IDS: IdRule = { fits: /^[\x21-\x7e]{1,64}$/, length: 24 }

export interface Input {
  /** System messages in front of everything else; they have a field of their own. */
  readonly instructions: string | undefined
  readonly items: readonly JsonObject[]
}

export function inputOf(request: Request): Input {
  const messages = portableMessages(request, IDS)
  const firstSaid = messages.findIndex((message) => message.role !== 'system')
  // Input must not be empty, so instructions alone are sent as messages.
  const leading = Math.max(0, firstSaid)
  const instructions = messages.slice(0, leading).map((message) => textOf(message))
  const originals = new Map(messages.map((message, at) => [message, request.messages[at] ?? message]))
  const items = resultsBehindCalls(messages.slice(leading)).flatMap((message) =>
    itemsOf(message, originals.get(message) ?? message, ownOptions(request, message.providerOptions)),
  )
  return { instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'), items }
}

/** `original` is the message with the ids that its provider gave; `own` are fields that a host adds for this entry. */
function itemsOf(message: Message, original: Message, own: JsonObject): readonly JsonObject[] {
  switch (message.role) {
    case 'system':
      return [{ ...own, type: 'message', role: 'system', content: message.content }]
    case 'user':
      return [{ ...own, type: 'message', role: 'user', content: typeof message.content === 'string' ? message.content : message.content.map(partOf) }]
    case 'tool':
      return [{ ...own, type: 'function_call_output', call_id: message.toolCallId, output: outputOf(message) }]
    case 'assistant':
      return restored(message, original) ?? plain(message, own)
  }
}

/** Only an image needs a list; a text is what every server takes. */
function outputOf(message: Extract<Message, { role: 'tool' }>): unknown {
  const { content } = message
  const hasImage = typeof content !== 'string' && content.some((part) => part.type === 'image')
  return hasImage ? content.map(partOf) : textOf(message)
}

/** An answer has no images in this protocol, so those of a message follow it as the user's. */
function plain(message: AssistantMessage, own: JsonObject): readonly JsonObject[] {
  const text = textOf(message)
  const images = typeof message.content === 'string' ? [] : message.content.filter((part) => part.type === 'image')
  return [
    ...(text === '' ? [] : [{ ...own, type: 'message', role: 'assistant', content: text }]),
    ...(images.length === 0 ? [] : [{ type: 'message', role: 'user', content: images.map(partOf) }]),
    ...(message.toolCalls ?? []).map((call) => callOf(call)),
  ]
}

function partOf(part: ContentPart): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  return { type: 'input_image', image_url: part.url ?? `data:${part.mediaType};base64,${part.data ?? ''}`, detail: 'auto' }
}

function callOf(call: ToolCall, id?: unknown): JsonObject {
  const item = { type: 'function_call', call_id: call.id, name: call.name, arguments: call.arguments === '' ? '{}' : call.arguments }
  return typeof id === 'string' ? { ...item, id } : item
}

/** The answer in the order in which it was issued, or undefined when it no longer is that answer. */
function restored(message: AssistantMessage, original: Message): readonly JsonObject[] | undefined {
  const data = message.issued?.data
  if (data === undefined || original.role !== 'assistant' || typeof message.content !== 'string') return undefined
  const texts = textsOf(message.content, data)
  const calls = new Map((message.toolCalls ?? []).map((call, at) => [original.toolCalls?.[at]?.id ?? null, call]))
  const items = data.map((one) => {
    if (one.type === 'message') return messageOf(one, texts?.shift())
    if (one.type === 'function_call') return issuedCall(one, calls)
    return isIssuedKind(one) ? one : undefined
  })
  const isSame = texts?.length === 0 && calls.size === 0 && items.every((item) => item !== undefined)
  // A thought at the very end led to nothing that is left.
  return isSame && items[items.length - 1]?.type !== 'reasoning' ? items : undefined
}

/** The call as the message has it; each is found once. */
function issuedCall({ call_id, id }: JsonObject, calls: Map<string | null, ToolCall>): JsonObject | undefined {
  const key = typeof call_id === 'string' ? call_id : null
  const call = calls.get(key)
  calls.delete(key)
  return call === undefined ? undefined : callOf(call, id)
}

/**
 * The text of every issued message: all of it where there is one, else cut where they were cut. What is shown of a text may be less than what
 * came (R27), so that a text of another length still belongs to a single message; of several nobody can tell whose it is.
 */
function textsOf(content: string, data: readonly JsonObject[]): string[] | undefined {
  const messages = data.filter((one) => one.type === 'message')
  if (messages.length === 0) return content === '' ? [] : undefined
  if (content === '') return undefined
  if (messages.length === 1) return [content]
  const lengths = messages.map((one) => (typeof one.characters === 'number' && one.characters > 0 ? one.characters : Number.NaN))
  if (lengths.reduce((sum, length) => sum + length, 0) !== content.length) return undefined
  let from = 0
  return lengths.map((length) => {
    from += length
    return content.slice(from - length, from)
  })
}

function messageOf({ id, phase }: JsonObject, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined
  const content = [{ type: 'output_text', text, annotations: [] }]
  const item = { type: 'message', role: 'assistant', status: 'completed', content }
  return { ...item, ...(typeof id === 'string' ? { id } : {}), ...(typeof phase === 'string' ? { phase } : {}) }
}
