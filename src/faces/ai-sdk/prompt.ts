import type { AssistantMessage, ContentPart, Issued, Message, ProviderOptions } from '../../index.ts'
import { UnsupportedPartError } from './call-error.ts'
import { type FileSource, fileOf } from './file-part.ts'
import type { PartOptions, PromptMessage, PromptPart, ToolOutput } from './specification.ts'

/**
 * The AI SDK's prompt as messages of the kernel.
 *
 * 1. Nothing is left out in silence: a part that no message can hold is an error that names it.
 * 2. Exceptions, because another way carries them: reasoning, which its issuer gets back as `issued` and nobody else can read, and tools that
 *    ran at a provider, whose result is in the answer.
 * 3. Options of parts become options of their message; under `relevo` stands what is the kernel's own and goes to nobody.
 */
export function messagesOf(prompt: readonly PromptMessage[]): Message[] {
  return prompt.flatMap(asMessages)
}

function asMessages(message: PromptMessage): Message[] {
  const providerOptions = optionsOf([message, ...(typeof message.content === 'string' ? [] : message.content)])
  const own = providerOptions === undefined ? {} : { providerOptions }
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: message.content, ...own }]
    case 'user':
      return [{ role: 'user', content: compact(message.content.map(userPart)), ...own }]
    case 'assistant':
      return [{ ...assistantOf(message.content), ...own }]
    case 'tool':
      return message.content.map((part) => ({ ...resultOf(part), ...own }))
  }
}

function userPart(part: PromptPart): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text ?? '' }
  if (part.type === 'file') return contentOf(part)
  throw new UnsupportedPartError(`A user message with a part of type ${part.type}`, 'Send text and images.')
}

function assistantOf(parts: readonly PromptPart[]): AssistantMessage {
  const content: ContentPart[] = []
  const toolCalls: NonNullable<AssistantMessage['toolCalls']> = []
  for (const part of parts) {
    if (part.type === 'text') content.push({ type: 'text', text: part.text ?? '' })
    else if (part.type === 'file') content.push(contentOf(part))
    else if (part.type === 'tool-call' && part.providerExecuted !== true) {
      toolCalls.push({ id: part.toolCallId ?? null, name: part.toolName ?? '', arguments: JSON.stringify(part.input ?? {}) })
    } else if (!CARRIED_OTHERWISE.has(part.type)) {
      throw new UnsupportedPartError(`An assistant message with a part of type ${part.type}`, 'Take it out of the history.')
    }
  }
  const issued = issuedOf(parts)
  const text = content.every((part) => part.type === 'text')
  return {
    role: 'assistant',
    // One text, as the answer was.
    content: text ? content.map((part) => (part.type === 'text' ? part.text : '')).join('') : content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(issued === undefined ? {} : { issued }),
  }
}

const CARRIED_OTHERWISE: ReadonlySet<string> = new Set(['reasoning', 'tool-call', 'tool-result'])

/** What the issuer of this message wants back, from whichever part the AI SDK kept it on. One that is no such thing is not passed on. */
function issuedOf(parts: readonly PromptPart[]): Issued | undefined {
  for (const { providerOptions } of parts) {
    const issued = providerOptions?.relevo?.issued
    if (isIssued(issued)) return { profile: issued.profile, model: issued.model, data: issued.data }
  }
  return undefined
}

function isIssued(value: unknown): value is Issued {
  if (typeof value !== 'object' || value === null) return false
  const { profile, model, data } = value as Record<string, unknown>
  const records = Array.isArray(data) && data.every((each) => typeof each === 'object' && each !== null && !Array.isArray(each))
  return typeof profile === 'string' && typeof model === 'string' && records
}

type ToolMessage = Extract<Message, { role: 'tool' }>

function resultOf(part: PromptPart): ToolMessage {
  if (part.type !== 'tool-result' || part.output === undefined) {
    throw new UnsupportedPartError(`A tool message with a part of type ${part.type}`, 'Tools that run at a provider cannot be approved here.')
  }
  const { content, isError } = outputOf(part.output)
  return { role: 'tool', toolCallId: part.toolCallId ?? null, content, ...(isError ? { isError } : {}) }
}

function outputOf(output: ToolOutput): { content: ToolMessage['content']; isError: boolean } {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return { content: String(output.value), isError: output.type === 'error-text' }
    case 'json':
    case 'error-json':
      return { content: JSON.stringify(output.value) ?? 'null', isError: output.type === 'error-json' }
    case 'execution-denied':
      return { content: output.reason ?? 'The tool was not allowed to run.', isError: true }
    case 'content':
      return { content: compact((Array.isArray(output.value) ? (output.value as OutputPart[]) : []).map(outputPart)), isError: false }
    default:
      throw new UnsupportedPartError(`A tool result of type ${output.type}`, 'Return text, JSON or content.')
  }
}

interface OutputPart extends PromptPart {
  readonly url?: string
}

function outputPart(part: OutputPart): ContentPart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text ?? '' }
    case 'file':
    case 'file-data':
    case 'image-data':
    // Version 2.
    case 'media':
      return contentOf(part)
    case 'file-url':
    case 'image-url':
      return contentOf({ ...part, mediaType: part.mediaType ?? 'image/*', data: { type: 'url', url: part.url } })
    default:
      throw new UnsupportedPartError(`A tool result with content of type ${part.type}`, 'Return its text, or an image as data or address.')
  }
}

function contentOf(part: PromptPart): ContentPart {
  const mediaType = part.mediaType ?? ''
  const source = fileOf(part.data)
  const text = textOfFile(source, mediaType)
  if (text !== null) return { type: 'text', text }
  if (!mediaType.startsWith('image/') || source === null || source.kind === 'text') {
    throw new UnsupportedPartError(`A file of type ${mediaType || 'unknown'}`, 'Send its text, or images as image/*.')
  }
  if (source.kind === 'url') return { type: 'image', mediaType: imageType(mediaType), url: source.url }
  return { type: 'image', mediaType: imageType(mediaType), data: source.base64 }
}

function textOfFile(source: FileSource | null, mediaType: string): string | null {
  if (source?.kind === 'text') return source.text
  if (source?.kind !== 'bytes' || !mediaType.startsWith('text/')) return null
  return new TextDecoder().decode(Uint8Array.from(bytesOf(source.base64, mediaType), (character) => character.charCodeAt(0)))
}

function bytesOf(base64: string, mediaType: string): string {
  try {
    return atob(base64)
  } catch {
    throw new UnsupportedPartError(`A file of type ${mediaType} whose data is no base64`, 'Encode its bytes, or send its text.')
  }
}

/** Some image, as the AI SDK says where it could not tell. */
function imageType(mediaType: string): string {
  return mediaType === 'image/*' ? 'image/jpeg' : mediaType
}

/** One text alone is a plain text. */
function compact(parts: ContentPart[]): string | ContentPart[] {
  const [first] = parts
  return parts.length === 1 && first?.type === 'text' ? first.text : parts
}

function optionsOf(holders: readonly { readonly providerOptions?: PartOptions | undefined }[]): ProviderOptions | undefined {
  const merged = new Map<string, Record<string, unknown>>()
  for (const { providerOptions = {} } of holders) {
    for (const [name, options] of Object.entries(providerOptions)) {
      if (name !== 'relevo') merged.set(name, { ...merged.get(name), ...options })
    }
  }
  return merged.size === 0 ? undefined : Object.fromEntries(merged)
}
