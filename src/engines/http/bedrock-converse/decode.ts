import { type Failure, failure } from '../../../model/failure.ts'
import type { ToolCall } from '../../../model/message.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { argumentsObject, withoutCutCall } from '../call-arguments.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step, type StreamDecoder } from '../decoder.ts'
import { BinaryFrames, EXCEPTION } from '../event-stream.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { decodeWhole } from '../whole-answer.ts'
import { KeptBlocks } from './kept-blocks.ts'

/**
 * Bedrock Converse (wire.md §9), in binary frames whose name says what their payload is.
 *
 * 1. The finish marker is `messageStop`, the terminator the `metadata` behind it, which has the usage. An end of bytes between the two is a
 *    whole answer without its usage. A `metadata` before the finish marker only tells usage.
 * 2. A frame that is an exception ends the answer, whatever came before it.
 * 3. What ran at the provider (a `toolUse` of the type `server_tool_use`, and the results beside it) is never a toolCall.
 * 4. Padding (`p`), empty deltas and events that nobody knows mean nothing.
 */

/** A decoder for one stream; see `StreamDecoder`. */
export function bedrockConverseDecoder(options: DecoderOptions): StreamDecoder {
  return new EventStreamDecoder(new ConverseReader(options), options, (onEvent) => new BinaryFrames(onEvent))
}

/** The events of a whole, non-streamed answer. */
export function decodeBedrockConverseAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  decodeWhole(text, new ConverseReader(options), stepsOf, emit)
}

const SERVER_TOOL = 'server_tool_use'

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
}

/** A whole answer as the events of a stream, each under its name. */
function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  const message = isObject(body.output) ? body.output.message : undefined
  if (!isObject(message) || !Array.isArray(message.content)) {
    if (typeof body.__type === 'string') return [{ [EXCEPTION + body.__type]: body }]
    return failure('protocol', 'call', 'the answer has no message')
  }
  if (body.stopReason === undefined || body.stopReason === null) return failure('truncated', 'call', 'the answer does not say why it stopped')
  const blocks = message.content.flatMap((block: unknown, contentBlockIndex): JsonObject[] =>
    isObject(block)
      ? [
          { contentBlockStart: { contentBlockIndex, start: block } },
          { contentBlockDelta: { contentBlockIndex, delta: deltaOf(block) } },
          { contentBlockStop: { contentBlockIndex } },
        ]
      : [],
  )
  return [...blocks, { messageStop: { stopReason: body.stopReason } }, { metadata: { usage: body.usage } }]
}

function deltaOf({ text, reasoningContent, toolResult, citationsContent }: JsonObject): JsonObject {
  if (isObject(reasoningContent)) {
    return { reasoningContent: isObject(reasoningContent.reasoningText) ? reasoningContent.reasoningText : reasoningContent }
  }
  if (isObject(toolResult)) return { toolResult: toolResult.content }
  return { text: isObject(citationsContent) ? citedText(citationsContent.content) : text }
}

/** Text with its sources comes in parts; a stream tells the text alone. */
function citedText(content: unknown): string {
  return Array.isArray(content) ? content.map((part: unknown) => (isObject(part) ? textOr(part.text, '') : '')).join('') : ''
}

interface OpenTool extends ToolCall {
  readonly runsAtProvider: boolean
  arguments: string
  /** The input that came with the block itself, in a whole answer; written while its event is read, which may fail. */
  readonly input: string
}

interface OpenResult {
  readonly id: string | null
  /** As it began, so that its issuer can have it back. */
  readonly start: JsonObject
  readonly content: unknown[]
  /** The content as text; written while its event is read, which may fail. */
  output: string
}

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'] as const

class ConverseReader implements AnswerReader {
  readonly doneLine = null
  readonly #now: () => number
  readonly #openTools = new Map<unknown, OpenTool>()
  readonly #openResults = new Map<unknown, OpenResult>()
  readonly #providerNames = new Map<string, string>()
  readonly #kept: KeptBlocks | null
  readonly #calls: ToolCall[] = []
  readonly #counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
  #stopped = false
  #reason: string | null = null
  outputSeen = false

  constructor(options: DecoderOptions) {
    this.#now = options.now
    this.#kept = options.issued === true ? new KeptBlocks() : null
  }

  get wholeAtEnd(): boolean {
    return this.#stopped
  }

  onDoneLine(): Step {
    return undefined
  }

  get finish(): string | null {
    return finishOf(FINISH, this.#reason, this.#calls.length > 0)
  }

  /** A frame names what it carries; in a whole answer the one key does. */
  take(value: JsonObject, name: string | undefined, emit: Emit): Step {
    const [type, body] = name === undefined ? (Object.entries(value)[0] ?? ['', null]) : [name, value]
    return isObject(body) ? this.#takeEvent(type, body, emit) : undefined
  }

  release(emit: Emit): void {
    for (const index of [...this.#openTools.keys(), ...this.#openResults.keys()]) this.#stopBlock(index, emit)
    for (const call of withoutCutCall(this.#calls, this.finish)) emit({ type: 'toolCall', ...call })
    this.#kept?.release(emit)
  }

  /** `input` counts what was read from and written to a cache (faces.md §2); `inputTokens` counts neither. */
  usage(): Usage | null {
    const { inputTokens, outputTokens: output, cacheReadInputTokens: cachedInput, cacheWriteInputTokens: written } = this.#counts
    const input = inputTokens === undefined ? undefined : inputTokens + (cachedInput ?? 0) + (written ?? 0)
    if (input === undefined && output === undefined) return null
    return usageFrom(input, output, cachedInput)
  }

  #takeEvent(type: string, body: JsonObject, emit: Emit): Step {
    switch (type) {
      case 'contentBlockDelta':
        if (isObject(body.delta)) this.#takeDelta(body.contentBlockIndex, body.delta, emit)
        return undefined
      case 'contentBlockStart':
        if (isObject(body.start)) this.#startBlock(body.contentBlockIndex, body.start, emit)
        return undefined
      case 'contentBlockStop':
        this.#stopBlock(body.contentBlockIndex, emit)
        return undefined
      case 'messageStop':
        this.outputSeen = true
        this.#stopped = true
        this.#reason = reasonOf(body.stopReason)
        return undefined
      case 'metadata':
        this.#takeCounts(body.usage)
        return this.#stopped ? 'terminated' : undefined
      default:
        if (!type.startsWith(EXCEPTION)) return undefined
        return classifyInStream({ api: 'bedrock-converse', error: { ...body, __type: type.slice(EXCEPTION.length) }, now: this.#now() })
    }
  }

  #startBlock(index: unknown, start: JsonObject, emit: Emit): void {
    if (isObject(start.toolUse)) {
      // One that was never closed is a call all the same.
      this.#stopBlock(index, emit)
      this.#openTools.set(index, openTool(start.toolUse))
    } else if (isObject(start.toolResult)) {
      this.#stopBlock(index, emit)
      this.#openResults.set(index, { id: textOr(start.toolResult.toolUseId, null), start: start.toolResult, content: [], output: '' })
    } else return
    this.outputSeen = true
  }

  #takeDelta(index: unknown, delta: JsonObject, emit: Emit): void {
    if (typeof delta.text === 'string') this.#tell('text', delta.text, emit)
    if (isObject(delta.toolUse) && typeof delta.toolUse.input === 'string') {
      const tool = this.#openTools.get(index)
      if (tool !== undefined) tool.arguments += delta.toolUse.input
    }
    if (isObject(delta.reasoningContent)) {
      this.#kept?.reasoning(index, delta.reasoningContent)
      this.#tell('reasoning', textOr(delta.reasoningContent.text, ''), emit)
    }
    const result = this.#openResults.get(index)
    if (result !== undefined && Array.isArray(delta.toolResult)) takeParts(result, delta.toolResult)
  }

  #tell(type: 'text' | 'reasoning', text: string, emit: Emit): void {
    if (text === '') return
    this.outputSeen = true
    if (type === 'text') this.#kept?.text(text.length)
    emit({ type, text })
  }

  #stopBlock(index: unknown, emit: Emit): void {
    this.#kept?.stop(index)
    const result = this.#openResults.get(index)
    if (result !== undefined) this.#stopResult(index, result, emit)
    const tool = this.#openTools.get(index)
    if (tool !== undefined) this.#stopTool(index, tool, emit)
  }

  #stopResult(index: unknown, { id, start, content, output }: OpenResult, emit: Emit): void {
    this.#openResults.delete(index)
    this.#kept?.keep({ toolResult: { ...start, content } })
    emit({ type: 'providerToolResult', id, name: id === null ? null : (this.#providerNames.get(id) ?? null), output })
  }

  #stopTool(index: unknown, tool: OpenTool, emit: Emit): void {
    this.#openTools.delete(index)
    const { id, name } = tool
    const call: ToolCall = { id, name, arguments: tool.arguments === '' ? tool.input : tool.arguments }
    if (!tool.runsAtProvider) {
      this.#kept?.call()
      this.#calls.push(call)
      return
    }
    if (id !== null) this.#providerNames.set(id, name)
    this.#kept?.keep({ toolUse: { toolUseId: id, name, input: argumentsObject(call.arguments), type: SERVER_TOOL } })
    emit({ type: 'providerToolCall', ...call })
  }

  #takeCounts(usage: unknown): void {
    if (!isObject(usage)) return
    for (const name of COUNTS) {
      const value = count(usage[name])
      if (value !== undefined) this.#counts[name] = value
    }
  }
}

/** A reason that came as a number is one all the same. */
function reasonOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value)
  return typeof value === 'string' && value !== '' ? value : null
}

function openTool({ toolUseId, name, type, input }: JsonObject): OpenTool {
  return {
    id: textOr(toolUseId, null),
    name: textOr(name, ''),
    arguments: '',
    input: isObject(input) ? JSON.stringify(input) : '{}',
    runsAtProvider: type === SERVER_TOOL,
  }
}

function takeParts(result: OpenResult, parts: readonly unknown[]): void {
  for (const part of parts) {
    result.output += partOf(part)
    result.content.push(part)
  }
}

/** A part of a result: text, or an object that is told as its JSON text. */
function partOf(part: unknown): string {
  if (!isObject(part)) return ''
  return typeof part.text === 'string' ? part.text : (JSON.stringify(part.json) ?? '')
}

function textOr<Other>(value: unknown, other: Other): string | Other {
  return typeof value === 'string' ? value : other
}
