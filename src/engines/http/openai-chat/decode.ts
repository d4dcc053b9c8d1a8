import { type Failure, failure } from '../../../model/failure.ts'
import type { CompletionPolicy } from '../../../model/settings.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { withoutCutCall } from '../call-arguments.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step } from '../decoder.ts'
import { isErrorObject } from '../error-body.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { decodeWhole } from '../whole-answer.ts'
import { CallPieces } from './call-pieces.ts'
import { dialectOf } from './dialects.ts'
import { KeptReasoning, reasoningField, reasoningInDetails, textOfPart } from './reasoning.ts'

/**
 * OpenAI Chat Completions and the servers that speak it (wire.md §1, §6–8).
 *
 * 1. Complete is what the profile's policy says: `done` wants `[DONE]`, `finish` a finish reason, `either` one of them. `strict` and
 *    `lenient` mean `either` here (R25).
 * 2. An error frame may carry choices and may stand after a finish reason; it wins.
 * 3. A refusal is a finish, not text: its words are no answer and must not cross the replay boundary.
 */
/** A decoder for one stream; see `StreamDecoder`. */
export function openaiChatDecoder(options: DecoderOptions): EventStreamDecoder {
  return new EventStreamDecoder(new ChatReader(options), options)
}

/** The events of a whole, non-streamed answer. */
export function decodeOpenaiChatAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  decodeWhole(text, new ChatReader(options), stepsOf, emit)
}

function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  if (isErrorObject(body)) return [body]
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined
  if (!isObject(choice) || !isObject(choice.message)) return failure('protocol', 'call', 'the answer has no choices[0].message')
  return [{ choices: [{ index: 0, delta: choice.message, finish_reason: choice.finish_reason }], usage: body.usage, x_groq: body.x_groq }]
}

const FINISH: Readonly<Record<string, string>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
}

/** Finish reasons that say that the model did not finish. */
const FAILED_FINISH: Readonly<Record<string, 'overloaded' | 'server_error'>> = {
  insufficient_system_resource: 'overloaded',
  error: 'server_error',
}

class ChatReader implements AnswerReader {
  readonly doneLine = '[DONE]'
  readonly #policy: 'done' | 'finish' | 'either'
  readonly #now: () => number
  readonly #calls = new CallPieces()
  readonly #kept: KeptReasoning
  #reason: string | null = null
  #usage: Usage | null = null
  #refused = false
  /** Details beside a field repeat it. */
  #thinksInField = false
  #toolsRun = new Set<string>()
  outputSeen = false

  constructor(options: DecoderOptions) {
    this.#policy = policyOf(options.completion ?? 'strict')
    this.#now = options.now
    const { profile, issued } = options
    this.#kept = new KeptReasoning(issued === true && profile !== undefined ? dialectOf(profile).reasoning : 'none')
  }

  get wholeAtEnd(): boolean {
    return this.#reason !== null && this.#policy !== 'done'
  }

  get finishing(): boolean {
    return this.#reason !== null
  }

  onDoneLine(): Step {
    if (this.#reason !== null || this.#policy !== 'finish') return 'terminated'
    return failure('truncated', 'stream', 'the stream was terminated without a finish reason')
  }

  get finish(): string | null {
    const reason = this.#reason
    if (this.#refused && (reason === null || reason === 'stop')) return 'content_filter'
    return finishOf(FINISH, reason, this.#calls.any)
  }

  take(chunk: JsonObject, name: string | undefined, emit: Emit): Step {
    if (name === 'error' || isErrorObject(chunk)) {
      this.#takeUsage(chunk)
      return classifyInStream({ api: 'openai-chat', error: chunk, now: this.#now() })
    }
    this.#takeUsage(chunk)
    const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices.find(isFirst) : undefined
    if (!isObject(choice)) return undefined
    if (isObject(choice.delta)) this.#takeDelta(choice.delta, emit)
    return this.#takeReason(choice.finish_reason)
  }

  release(emit: Emit): void {
    for (const call of withoutCutCall(this.#calls.whole(), this.finish)) emit({ type: 'toolCall', ...call })
    const issued = this.#kept.issued()
    if (issued !== null) emit({ type: 'issued', data: issued })
  }

  usage(): Usage | null {
    return this.#usage
  }

  #takeDelta(delta: JsonObject, emit: Emit): void {
    this.#kept.take(delta)
    const field = reasoningField(delta)
    if (field !== '') this.#thinksInField = true
    const reasoning = this.#thinksInField ? field : reasoningInDetails(delta)
    if (reasoning !== '') this.#tell('reasoning', reasoning, emit)
    const { content } = delta
    if (typeof content === 'string') {
      if (content !== '') this.#tell('text', content, emit)
    } else if (Array.isArray(content)) this.#takeParts(content, emit)
    if (Array.isArray(delta.tool_calls)) for (const piece of delta.tool_calls) this.#takePiece(piece)
    if (isObject(delta.function_call)) this.#takePiece({ index: 0, function: delta.function_call })
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      this.#refused = true
      this.outputSeen = true
    }
    if (Array.isArray(delta.executed_tools)) for (const tool of delta.executed_tools) this.#takeExecuted(tool, emit)
  }

  #tell(type: 'text' | 'reasoning', text: string, emit: Emit): void {
    this.outputSeen = true
    emit({ type, text })
  }

  #takePiece(piece: unknown): void {
    this.outputSeen = true
    this.#calls.add(piece)
  }

  /** Mistral: content as an array of text and thinking parts, the latter with parts of their own. */
  #takeParts(parts: readonly unknown[], emit: Emit): void {
    for (const part of parts) {
      if (!isObject(part)) continue
      if (part.type === 'text' && typeof part.text === 'string' && part.text !== '') this.#tell('text', part.text, emit)
      if (part.type !== 'thinking') continue
      const thinking = Array.isArray(part.thinking) ? part.thinking.map(textOfPart).join('') : part.thinking
      if (typeof thinking === 'string' && thinking !== '') this.#tell('reasoning', thinking, emit)
    }
  }

  /** Groq's compound models run tools themselves; each is told first as a call, then again with its output. */
  #takeExecuted(tool: unknown, emit: Emit): void {
    if (!isObject(tool)) return
    this.outputSeen = true
    const name = typeof tool.type === 'string' ? tool.type : 'tool'
    const id = typeof tool.id === 'string' ? tool.id : null
    const args = typeof tool.arguments === 'string' ? tool.arguments : '{}'
    const key = `${typeof tool.index === 'number' ? tool.index : ''} ${name} ${args}`
    if (!this.#toolsRun.has(key)) {
      this.#toolsRun.add(key)
      emit({ type: 'providerToolCall', id, name, arguments: args })
    }
    if (typeof tool.output === 'string') emit({ type: 'providerToolResult', id, name, output: tool.output })
  }

  #takeReason(reason: unknown): Step {
    if (typeof reason !== 'string' || reason === '') return undefined
    const kind = Object.hasOwn(FAILED_FINISH, reason) ? FAILED_FINISH[reason] : undefined
    if (kind !== undefined) return failure(kind, 'stream', `the provider finished with ${reason}`, { code: reason })
    this.#reason = reason
    this.outputSeen = true
    return undefined
  }

  /** Totals: the last ones told count. Groq tells them beside the chunk as well. */
  #takeUsage({ usage, x_groq }: JsonObject): void {
    const told = usageOf(usage) ?? (isObject(x_groq) ? usageOf(x_groq.usage) : null)
    if (told !== null) this.#usage = told
  }
}

/** Only one choice is ever asked for; it may stand behind one that was not. */
export function isFirst(choice: unknown): boolean {
  return isObject(choice) && (typeof choice.index !== 'number' || choice.index === 0)
}

function policyOf(completion: CompletionPolicy): 'done' | 'finish' | 'either' {
  return completion === 'done' || completion === 'finish' ? completion : 'either'
}

/** `input` counts cached tokens, `output` counts reasoning (faces.md §2). */
function usageOf(raw: unknown): Usage | null {
  if (!isObject(raw)) return null
  const input = count(raw.prompt_tokens)
  const output = outputOf(raw, input)
  const details = isObject(raw.prompt_tokens_details) ? raw.prompt_tokens_details : {}
  const cachedInput = count(details.cached_tokens) ?? count(raw.prompt_cache_hit_tokens)
  if (input === undefined && output === undefined && cachedInput === undefined) return null
  return usageFrom(input, output, cachedInput)
}

/** xAI leaves reasoning out of `completion_tokens`; its total tells. */
function outputOf(raw: JsonObject, input: number | undefined): number | undefined {
  const output = count(raw.completion_tokens)
  const details = isObject(raw.completion_tokens_details) ? raw.completion_tokens_details : {}
  const reasoning = count(details.reasoning_tokens)
  if (output === undefined || input === undefined || reasoning === undefined) return output
  return raw.total_tokens === input + output + reasoning ? output + reasoning : output
}
