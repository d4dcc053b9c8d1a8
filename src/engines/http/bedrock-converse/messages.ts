import { type AssistantMessage, type ContentPart, type Message, type ToolCall, textOf } from '../../../model/message.ts'
import type { AttemptRequest } from '../../contract.ts'
import { argumentsObject } from '../call-arguments.ts'
import { base64Of } from '../image-data.ts'
import { inPlace } from '../in-place.ts'
import type { JsonObject } from '../json-object.ts'
import { stated } from '../protocol.ts'
import { ownOptions, resultsBehindCalls } from '../transcript.ts'
import { placesOf } from './kept-blocks.ts'

export function systemBlocks(request: AttemptRequest, messages: readonly Message[]): readonly JsonObject[] {
  return messages.flatMap((message) => {
    if (message.role !== 'system' || isBlank(message.content)) return []
    return [{ text: message.content }, ...optionBlocks(request, message)]
  })
}

/**
 * Turns of alternating roles: results of parallel calls stand together in one user turn, in front of what the user says next. Blank text
 * is left out, since the protocol refuses it, and so is a message without any content. It has no images in an answer: they follow as the
 * user's, behind the results of that step.
 */
export function encodeMessages(request: AttemptRequest, messages: readonly Message[]): readonly JsonObject[] {
  const turns: { role: 'user' | 'assistant'; content: JsonObject[] }[] = []
  let images: JsonObject[] = []
  const say = (role: 'user' | 'assistant', blocks: readonly JsonObject[]) => {
    if (blocks.length === 0) return
    const last = turns[turns.length - 1]
    if (last?.role !== role) turns.push({ role, content: [...blocks] })
    else for (const block of blocks) last.content.push(block)
  }
  for (const message of resultsBehindCalls(messages)) {
    if (message.role === 'system') continue
    if (message.role !== 'tool') {
      say('user', images)
      images = []
    }
    const blocks = blocksOf(message)
    const options = blocks.length === 0 ? [] : optionBlocks(request, message)
    say(message.role === 'assistant' ? 'assistant' : 'user', [...blocks, ...options])
    if (message.role === 'assistant' && typeof message.content !== 'string') images = contentBlocks(message.content.filter(isImage))
  }
  say('user', images)
  return turns
}

/** What a message has for this entry alone is a block behind it: `{bedrock: {cachePoint: {type: 'default'}}}`. */
function optionBlocks(request: AttemptRequest, { providerOptions }: Message): readonly JsonObject[] {
  return Object.entries(ownOptions(request, providerOptions)).map(([name, value]) => ({ [name]: value }))
}

function blocksOf(message: Exclude<Message, { role: 'system' }>): readonly JsonObject[] {
  if (message.role === 'assistant') return answerBlocks(message)
  const content = contentBlocks(message.content)
  if (message.role === 'user') return content
  return [{ toolResult: stated({ toolUseId: message.toolCallId, content, status: message.isError === true ? 'error' : undefined }) }]
}

/** An answer as it stood. One of reasoning alone is refused, and so is one that ends in reasoning: the host took out what it led to. */
function answerBlocks(message: AssistantMessage): readonly JsonObject[] {
  const calls = (message.toolCalls ?? []).map(toolUse)
  const blocks = inPlace(placesOf(message.issued), textOf(message), calls, (text) => ({ text }))
  return blocks.slice(0, blocks.findLastIndex((block) => block.reasoningContent === undefined) + 1)
}

function isImage(part: ContentPart): boolean {
  return part.type === 'image'
}

function contentBlocks(content: string | readonly ContentPart[]): JsonObject[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ text: content }]
  return content.filter((part) => part.type === 'image' || !isBlank(part.text)).map(encodePart)
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** An image is its bytes, or an object in the store of the same provider. */
function encodePart(part: ContentPart): JsonObject {
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

function toolUse(call: ToolCall): JsonObject {
  return { toolUse: { toolUseId: call.id, name: call.name, input: argumentsObject(call.arguments) } }
}
