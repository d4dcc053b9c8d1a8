import { type Failure, type FailurePhase, failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { CompletionPolicy } from '../../model/settings.ts'
import type { Usage } from '../../model/usage.ts'
import { count } from '../http/decoder.ts'
import { isObject, type JsonObject } from '../http/json-object.ts'
import { metadataOf } from './sdk-call.ts'

type Emit = (event: ProviderEvent) => void
export type Final = Extract<ProviderEvent, { type: 'final' }>

/** What a part takes beside its words, about. */
const PART_SIZE = 64

/**
 * The parts of an answer of the AI SDK, streamed or whole, as events.
 *
 * 1. Tool calls leave only with the end (wire.md §12.4). Tools that ran at the provider are told at once.
 * 2. A `finish` without a reason is what the AI SDK says of a stream that ended before its time: unless the bytes themselves were watched
 *    and whole, it is `truncated`. `completion: lenient` takes it where output was counted, for models that never give a reason.
 * 3. Metadata on a part is what its issuer wants back with it, and is told as `issued`.
 * 4. Anything may stand in a part; what is no such thing is not there.
 * 5. What is kept is counted in `size`, so that an answer without end can be ended.
 */
export class SdkAnswer {
  readonly #emit: Emit
  readonly #completion: CompletionPolicy
  readonly #calls: Extract<ProviderEvent, { type: 'toolCall' }>[] = []
  readonly #issued: JsonObject[] = []
  /** Text of the reasoning block that is open, and its metadata, by id. */
  readonly #reasoning = new Map<string, { text: string; metadata: JsonObject | undefined }>()
  #finish: JsonObject | null = null
  /** As the model counted. */
  usage: Usage | null = null
  /** Characters that came in, and something for each part. */
  size = 0

  constructor(emit: Emit, completion: CompletionPolicy) {
    this.#emit = emit
    this.#completion = completion
  }

  get finished(): boolean {
    return this.#finish !== null
  }

  /** Takes one part in; true when it is output (R31). */
  take(part: JsonObject): boolean {
    this.size += PART_SIZE
    switch (part.type) {
      case 'text-delta':
      case 'text':
        return this.#text(part)
      case 'text-end':
        this.#keep({ part: 'text' }, metadataOf(part))
        return false
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
      case 'reasoning':
        return this.#think(part)
      case 'tool-input-start':
      case 'tool-input-delta':
        return true
      case 'tool-call':
        return this.#call(part)
      case 'tool-result':
        return this.#result(part)
      case 'finish':
        this.#finish = part
        this.usage = usageOf(part.usage) ?? this.usage
        return false
      default:
        return false
    }
  }

  /** How the answer ended, now that no more parts come; `final` is what its bytes said, where they were watched. */
  end(phase: FailurePhase, watched: Final | null): Final | Failure {
    const finish = this.#finish
    if (finish === null) return failure('truncated', phase, 'the model ended its stream without a finish')
    const { unified, raw } = reasonOf(finish.finishReason)
    if (unified === 'error') return failure('unknown', phase, 'the model finished by an error')
    if (unified === 'interrupted') return failure('truncated', phase, 'the model says that its answer was interrupted')
    if (watched === null && isUnexplained(unified, raw) && !this.#isLenient()) {
      return failure('truncated', phase, 'the model finished without a reason: its stream was cut')
    }
    for (const call of this.#calls) this.#emit(call)
    for (const data of this.#issued) this.#emit({ type: 'issued', data })
    const said = FINISH.get(unified) ?? raw ?? null
    const word = watched?.finish ?? (said === 'stop' && this.#calls.length > 0 ? 'tool_calls' : said)
    return { type: 'final', terminated: watched?.terminated ?? true, finish: word, ...(watched?.contentAfter === true ? { contentAfter: true } : {}) }
  }

  #isLenient(): boolean {
    return this.#completion === 'lenient' && (this.usage?.output ?? 0) > 0
  }

  #text(part: JsonObject): boolean {
    const text = stringOf(part.delta ?? part.text ?? part.textDelta)
    this.size += text.length
    if (text !== '') this.#emit({ type: 'text', text })
    this.#keep({ part: 'text' }, metadataOf(part))
    return true
  }

  #think(part: JsonObject): boolean {
    const text = stringOf(part.delta ?? part.text)
    this.size += text.length
    if (text !== '') this.#emit({ type: 'reasoning', text })
    const id = stringOf(part.id)
    const block = this.#reasoning.get(id) ?? { text: '', metadata: undefined }
    this.#reasoning.set(id, block)
    block.text += text
    block.metadata = metadataOf(part) ?? block.metadata
    if (part.type === 'reasoning-end' || part.type === 'reasoning') {
      this.#reasoning.delete(id)
      this.#keep({ part: 'reasoning', text: block.text }, block.metadata)
    }
    return true
  }

  #call(part: JsonObject): boolean {
    const { toolCallId, toolName, input, args } = part
    const id = typeof toolCallId === 'string' && toolCallId !== '' ? toolCallId : null
    const call = { id, name: stringOf(toolName), arguments: jsonText(input ?? args) }
    this.size += call.arguments.length
    if (part.providerExecuted === true) this.#emit({ type: 'providerToolCall', ...call })
    else {
      this.#keep({ part: 'tool-call', at: this.#calls.length, name: call.name }, metadataOf(part))
      this.#calls.push({ type: 'toolCall', ...call })
    }
    return true
  }

  /** A preliminary result is replaced by the one that counts. */
  #result(part: JsonObject): boolean {
    if (part.preliminary === true) return true
    const { toolCallId, toolName, result, output } = part
    const id = typeof toolCallId === 'string' ? toolCallId : null
    const name = typeof toolName === 'string' ? toolName : null
    const said = jsonText(result ?? output)
    this.size += said.length
    this.#emit({ type: 'providerToolResult', id, name, output: said })
    return true
  }

  #keep(place: JsonObject, metadata: JsonObject | undefined): void {
    if (metadata !== undefined) this.#issued.push({ ...place, providerOptions: metadata })
  }
}

const FINISH: ReadonlyMap<string, string> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content-filter', 'content_filter'],
  ['tool-calls', 'tool_calls'],
])

/** Version 2 has one word, later ones have theirs and the provider's. */
function reasonOf(reason: unknown): { unified: string; raw: string | undefined } {
  if (typeof reason === 'string') return { unified: reason, raw: undefined }
  const { unified, raw } = isObject(reason) ? reason : {}
  return { unified: stringOf(unified), raw: typeof raw === 'string' ? raw : undefined }
}

function isUnexplained(unified: string, raw: string | undefined): boolean {
  return !FINISH.has(unified) && (raw === undefined || raw === '')
}

/**
 * Version 2 counts flatly, later ones by kind. A count that was not told is absent, not zero (R34); providers of the AI SDK make a zero of
 * cached input that nobody told.
 */
function usageOf(usage: unknown): Usage | null {
  if (!isObject(usage)) return null
  const inputs = isObject(usage.inputTokens) ? usage.inputTokens : { total: usage.inputTokens, cacheRead: usage.cachedInputTokens }
  const outputs = isObject(usage.outputTokens) ? usage.outputTokens : { total: usage.outputTokens }
  const counts = { input: count(inputs.total), output: count(outputs.total), cachedInput: count(inputs.cacheRead) || undefined }
  const told = Object.entries(counts).filter(([, value]) => value !== undefined)
  return told.length === 0 ? null : (Object.fromEntries(told) as Usage)
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** JSON text as sent, or of a value that was parsed on the way. */
function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value ?? {}) ?? '{}')
}
