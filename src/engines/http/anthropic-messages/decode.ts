import { type Failure, failure } from '../../../model/failure.ts'
import type { ToolCall } from '../../../model/message.ts'
import type { Iteration } from '../../../model/provider-event.ts'
import type { Usage } from '../../../model/usage.ts'
import { withoutCutCall } from '../call-arguments.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step } from '../decoder.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { decodeWhole } from '../whole-answer.ts'
import { nameIn, type Sampled, sampledOf, usageOf } from './iterations.ts'
import { KeptBlocks, keptInput } from './kept-blocks.ts'

/**
 * Anthropic Messages (wire.md §3).
 *
 * 1. Complete is `message_stop`. `completion: "lenient"` also takes an end of bytes after a `stop_reason` (R25).
 * 2. A second `message_start` is a splice once a block has begun, and harmless before.
 * 3. What the provider runs itself (`server_tool_use`, `mcp_tool_use`, `*_tool_result`) is never a toolCall.
 */
/** A decoder for one stream; see `StreamDecoder`. */
export function anthropicMessagesDecoder(options: DecoderOptions): EventStreamDecoder {
  return new EventStreamDecoder(new MessageReader(options), options)
}

/** The events of a whole, non-streamed answer. */
export function decodeAnthropicMessagesAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  decodeWhole(text, new MessageReader(options), stepsOf, emit)
}

function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  if (isError(body)) return [body]
  if (!Array.isArray(body.content)) return failure('protocol', 'call', 'the answer has no content')
  const blocks = body.content.flatMap((block: unknown, index): JsonObject[] => [
    { type: 'content_block_start', index, content_block: block },
    { type: 'content_block_stop', index },
  ])
  return [
    { type: 'message_start', message: { model: body.model } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: body.stop_reason }, usage: body.usage },
  ]
}

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

const PROVIDER_TOOLS = new Set(['server_tool_use', 'mcp_tool_use'])

interface OpenTool extends ToolCall {
  /** The block as it began, where the provider runs the tool itself. */
  readonly ownBlock: JsonObject | null
  arguments: string
  /** The input that came with the block itself, where there were no deltas; written while its event is read, which may fail. */
  readonly input: string
}

const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'] as const

class MessageReader implements AnswerReader {
  readonly doneLine = null
  readonly #lenient: boolean
  readonly #now: () => number
  readonly #openTools = new Map<unknown, OpenTool>()
  readonly #calls: ToolCall[] = []
  readonly #providerNames = new Map<string, string>()
  readonly #kept = new KeptBlocks()
  readonly #tellsIssued: boolean
  readonly #asked: string | null
  readonly #counts: Partial<Record<(typeof COUNTS)[number], number>> = {}
  /** As sent: read at the end, when it is whole. */
  #samplings: unknown = null
  /** The model that the message says it is from. */
  #named: string | null = null
  #blockBegun = false
  #reason: string | null = null
  outputSeen = false

  constructor(options: DecoderOptions) {
    this.#lenient = options.completion === 'lenient'
    this.#now = options.now
    this.#tellsIssued = options.issued === true
    this.#asked = options.model ?? null
  }

  get wholeAtEnd(): boolean {
    return this.#lenient && this.#reason !== null
  }

  get finishing(): boolean {
    return this.#reason !== null
  }

  onDoneLine(): Step {
    return undefined
  }

  get finish(): string | null {
    return finishOf(FINISH, this.#reason, this.#calls.length > 0)
  }

  take(event: JsonObject, name: string | undefined, emit: Emit): Step {
    const type = typeof event.type === 'string' ? event.type : name
    switch (type) {
      case 'content_block_delta':
        if (isObject(event.delta)) this.#takeDelta(event.index, event.delta, emit)
        return undefined
      case 'content_block_start':
        if (isObject(event.content_block)) this.#startBlock(event.index, event.content_block, emit)
        return undefined
      case 'content_block_stop':
        this.#stopBlock(event.index, emit)
        return undefined
      case 'message_start':
        return this.#startMessage(event.message)
      case 'message_delta':
        this.#takeMessageDelta(event)
        return undefined
      case 'message_stop':
        return 'terminated'
      default:
        return name === 'error' || isError(event) ? classifyInStream({ api: 'anthropic-messages', error: event, now: this.#now() }) : undefined
    }
  }

  release(emit: Emit): void {
    for (const index of [...this.#openTools.keys()]) this.#stopBlock(index, emit)
    for (const call of withoutCutCall(this.#calls, this.finish)) emit({ type: 'toolCall', ...call })
    if (this.#tellsIssued) for (const data of this.#kept.issued()) emit({ type: 'issued', data })
  }

  /** Of the answer; of all that was sampled where that was the model that was asked alone, as the provider then leaves some of it out. */
  usage(): Usage | null {
    const sampled = this.#sampled()
    return sampled?.iterations.length === 1 ? sampled.usage : usageOf(this.#counts)
  }

  iterations(): readonly Iteration[] {
    return this.#sampled()?.iterations ?? []
  }

  #sampled(): Sampled | null {
    return sampledOf(this.#samplings, this.#asked, this.#named)
  }

  #startMessage(message: unknown): Step {
    if (this.#blockBegun || this.#reason !== null) {
      return failure('protocol', 'stream', 'a second message began inside the answer', { code: 'spliced_message' })
    }
    if (!isObject(message)) return undefined
    this.#named = nameIn(message.model) ?? this.#named
    this.#takeCounts(message.usage)
    return undefined
  }

  #startBlock(index: unknown, block: JsonObject, emit: Emit): void {
    const { type } = block
    this.#blockBegun = true
    this.outputSeen = true
    if (typeof type !== 'string') return
    if (type === 'text') this.#tell('text', block.text, emit)
    else if (type === 'thinking') {
      this.#kept.startThought(index, block)
      this.#tell('reasoning', block.thinking, emit)
    } else if (type === 'redacted_thinking') this.#kept.keep(block)
    else if (type === 'fallback') this.#takeOver()
    else if (type === 'tool_use' || PROVIDER_TOOLS.has(type)) {
      // One that was never closed is a call all the same.
      this.#stopBlock(index, emit)
      this.#openTools.set(index, openTool(block, PROVIDER_TOOLS.has(type)))
    } else if (type.endsWith('_tool_result')) {
      const id = typeof block.tool_use_id === 'string' ? block.tool_use_id : null
      const name = id === null ? null : (this.#providerNames.get(id) ?? null)
      emit({ type: 'providerToolResult', id, name, output: textOf(block.content) })
      this.#kept.keep(block)
    }
  }

  /** Another model goes on from the text. What the one before it thought and called is nobody's, and would be refused in the next request. */
  #takeOver(): void {
    this.#calls.length = 0
    this.#kept.takeOver()
  }

  #takeDelta(index: unknown, delta: JsonObject, emit: Emit): void {
    switch (delta.type) {
      case 'text_delta':
        return this.#tell('text', delta.text, emit)
      case 'thinking_delta':
      case 'signature_delta':
        this.#kept.continueThought(index, delta)
        return this.#tell('reasoning', delta.thinking, emit)
      case 'input_json_delta': {
        const tool = this.#openTools.get(index)
        if (tool !== undefined && typeof delta.partial_json === 'string') tool.arguments += delta.partial_json
        return
      }
    }
  }

  #tell(type: 'text' | 'reasoning', text: unknown, emit: Emit): void {
    if (typeof text !== 'string' || text === '') return
    this.#blockBegun = true
    this.outputSeen = true
    if (type === 'text') this.#kept.text(text.length)
    emit({ type, text })
  }

  #stopBlock(index: unknown, emit: Emit): void {
    this.#kept.stopThought(index)
    const tool = this.#openTools.get(index)
    if (tool === undefined) return
    this.#openTools.delete(index)
    const { id, name } = tool
    const call: ToolCall = { id, name, arguments: argumentsOf(tool) }
    if (tool.ownBlock === null) {
      this.#kept.call()
      this.#calls.push(call)
      return
    }
    this.#kept.keep({ ...tool.ownBlock, input: keptInput(call.arguments) })
    if (id !== null) this.#providerNames.set(id, name)
    emit({ type: 'providerToolCall', ...call })
  }

  #takeMessageDelta(event: JsonObject): void {
    const reason = isObject(event.delta) ? event.delta.stop_reason : undefined
    if (typeof reason === 'string' && reason !== '') {
      this.#reason = reason
      this.outputSeen = true
    }
    this.#takeCounts(event.usage)
  }

  /** Running totals: a later count replaces an earlier one, a count that is not repeated stays. */
  #takeCounts(usage: unknown): void {
    if (!isObject(usage)) return
    for (const name of COUNTS) {
      const value = count(usage[name])
      if (value !== undefined) this.#counts[name] = value
    }
    if (Array.isArray(usage.iterations)) this.#samplings = usage.iterations
  }
}

function isError(value: JsonObject): boolean {
  return value.type === 'error' || (value.type === undefined && value.error !== undefined && value.error !== null)
}

function openTool(block: JsonObject, runsAtProvider: boolean): OpenTool {
  return {
    id: typeof block.id === 'string' ? block.id : null,
    name: typeof block.name === 'string' ? block.name : '',
    arguments: '',
    input: isObject(block.input) ? JSON.stringify(block.input) : '{}',
    ownBlock: runsAtProvider ? block : null,
  }
}

/** As sent; the block's own input where there were no deltas; no arguments at all are an empty object. */
function argumentsOf(tool: OpenTool): string {
  return tool.arguments !== '' ? tool.arguments : tool.input
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (JSON.stringify(content) ?? '')
}
