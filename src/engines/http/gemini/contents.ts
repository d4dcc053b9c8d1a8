import type { AssistantMessage, ContentPart, Message } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import type { AttemptRequest } from '../../contract.ts'
import { base64Of } from '../image-data.ts'
import type { JsonObject } from '../json-object.ts'
import { type IdRule, portableMessages, resultsBehindCalls } from '../transcript.ts'
import { type CallWriting, callParts, hasId, textParts } from './model-parts.ts'

/**
 * A history as `contents`.
 *
 * 1. Roles alternate: what follows in the same role joins it. Contents without any part are left out, since the protocol refuses them.
 * 2. Results of one step stand together, directly behind their calls, in the order of their calls, named as these; without ids this is all that tells them apart.
 * 3. Only an id that a provider gave is sent: one that was made up here is known to nobody.
 */
const IDS: IdRule = { fits: /^[\x21-\x7e]{1,128}$/, length: 24 }

type ToolMessage = Extract<Message, { role: 'tool' }>

/** What a result has to know of its call. */
interface KnownCall {
  readonly name: string
  readonly place: number
  readonly hasId: boolean
}

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: JsonObject[]
}

export function contentsOf(request: AttemptRequest, writing: CallWriting): readonly Content[] {
  const history = new History(writing)
  const portable = portableMessages(request, IDS)
  const given = new Map(portable.map((message, at) => [message, request.messages[at]]))
  for (const message of resultsBehindCalls(portable)) history.add(message, given.get(message))
  return history.contents()
}

class History {
  readonly #writing: CallWriting
  readonly #contents: Content[] = []
  readonly #calls = new Map<string | null, KnownCall>()
  #results: ToolMessage[] = []

  constructor(writing: CallWriting) {
    this.#writing = writing
  }

  /** `asGiven` is the message before ids were made up for it. */
  add(message: Message, asGiven: Message | undefined): void {
    if (message.role === 'system') return
    if (message.role === 'tool') {
      this.#results.push(message)
      return
    }
    this.#flush()
    if (message.role === 'user')
      this.#say('user', typeof message.content === 'string' ? textPart(message.content) : message.content.flatMap(userParts))
    else this.#answer(message, asGiven)
  }

  contents(): readonly Content[] {
    this.#flush()
    return this.#contents
  }

  #answer(message: AssistantMessage, asGiven: Message | undefined): void {
    const given = asGiven?.role === 'assistant' ? (asGiven.toolCalls ?? []) : []
    for (const [at, call] of (message.toolCalls ?? []).entries()) {
      this.#calls.set(call.id, { name: call.name, place: this.#calls.size, hasId: hasId(given[at]) })
    }
    const images = typeof message.content === 'string' ? [] : message.content.filter((part) => part.type === 'image')
    this.#say('model', [...textParts(message), ...images.flatMap(userParts), ...callParts(message, given, this.#writing)])
  }

  /** A result carries text only; images of results follow as parts of the same content, behind all the results of the step. */
  #flush(): void {
    if (this.#results.length === 0) return
    const place = (message: ToolMessage) => this.#calls.get(message.toolCallId)?.place ?? Number.MAX_SAFE_INTEGER
    const results = this.#results.toSorted((one, other) => place(one) - place(other))
    const images = results.flatMap(({ content }) => (typeof content === 'string' ? [] : content.filter((part) => part.type === 'image')))
    this.#results = []
    this.#say('user', [...results.map((result) => this.#response(result)), ...images.flatMap(userParts)])
  }

  #response(message: ToolMessage): JsonObject {
    const call = this.#calls.get(message.toolCallId)
    const id = this.#writing.withIds && call?.hasId === true ? { id: message.toolCallId } : {}
    const response = { [message.isError === true ? 'error' : 'output']: textOf(message) }
    return { functionResponse: { ...id, name: call?.name ?? 'unknown', response } }
  }

  #say(role: Content['role'], parts: readonly JsonObject[]): void {
    if (parts.length === 0) return
    const last = this.#contents[this.#contents.length - 1]
    if (last?.role !== role) this.#contents.push({ role, parts: [...parts] })
    else for (const part of parts) last.parts.push(part)
  }
}

function textPart(text: string): JsonObject[] {
  return text === '' ? [] : [{ text }]
}

function userParts(part: ContentPart): JsonObject[] {
  if (part.type === 'text') return textPart(part.text)
  if (part.url === undefined || /^data:/i.test(part.url)) {
    const { mediaType, data } = base64Of(part, 'Gemini')
    return [{ inlineData: { mimeType: mediaType, data } }]
  }
  return [{ fileData: { mimeType: typeOfAddress(part.url) ?? part.mediaType, fileUri: part.url } }]
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
}

/** The provider wants the type of what it fetches, and a message does not say it; the name in the address mostly does. */
function typeOfAddress(url: string): string | undefined {
  const ending = /\.([a-z]{3,4})(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined
}
