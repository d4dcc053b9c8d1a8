import { type Failure, failure } from '../../../model/failure.ts'
import type { ToolCall } from '../../../model/message.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step, type StreamDecoder } from '../decoder.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { Lines } from '../ndjson.ts'
import { decodeWhole } from '../whole-answer.ts'

/**
 * Ollama's own chat (wire.md §5), one JSON object a line.
 *
 * 1. Complete is the line with `done: true`: finish marker, terminator and usage in one, so there is no end between them.
 * 2. A tool turn also says `stop`; the calls tell it apart. Their arguments come as an object and are told as its JSON text.
 * 3. What a turn with tool calls thought is told as `issued`: the model wants it back beside the results.
 */
/** A decoder for one stream; see `StreamDecoder`. */
export function ollamaDecoder(options: DecoderOptions): StreamDecoder {
  return new EventStreamDecoder(new ChatReader(options), options, (onEvent) => new Lines(onEvent))
}

/** The events of a whole, non-streamed answer: the object that a stream ends with, with the message in it. */
export function decodeOllamaAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  decodeWhole(text, new ChatReader(options), stepsOf, emit)
}

function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  if (isError(body)) return [body]
  if (!isObject(body.message)) return failure('protocol', 'call', 'the answer has no message')
  return body.done === true ? [body] : failure('truncated', 'call', 'the answer does not say that it is done')
}

const FINISH: Readonly<Record<string, string>> = { stop: 'stop', length: 'length' }

class ChatReader implements AnswerReader {
  readonly doneLine = null
  /** The finish marker is the terminator, so no end of bytes before it is an answer. */
  readonly wholeAtEnd = false
  readonly #now: () => number
  readonly #keepsThoughts: boolean
  readonly #calls: ToolCall[] = []
  #thoughts = ''
  #reason: string | null = null
  #usage: Usage | null = null
  outputSeen = false

  constructor(options: DecoderOptions) {
    this.#now = options.now
    this.#keepsThoughts = options.issued === true
  }

  onDoneLine(): Step {
    return undefined
  }

  get finish(): string | null {
    return finishOf(FINISH, this.#reason, this.#calls.length > 0)
  }

  take(value: JsonObject, _name: string | undefined, emit: Emit): Step {
    if (isError(value)) return classifyInStream({ api: 'ollama', error: value, now: this.#now() })
    if (isObject(value.message)) this.#takeMessage(value.message, emit)
    if (value.done !== true) return undefined
    this.outputSeen = true
    if (typeof value.done_reason === 'string' && value.done_reason !== '') this.#reason = value.done_reason
    this.#usage = usageOf(value)
    return 'terminated'
  }

  release(emit: Emit): void {
    for (const call of this.#calls) emit({ type: 'toolCall', ...call })
    if (this.#calls.length > 0 && this.#thoughts !== '') emit({ type: 'issued', data: { thinking: this.#thoughts } })
  }

  usage(): Usage | null {
    return this.#usage
  }

  #takeMessage(message: JsonObject, emit: Emit): void {
    if (this.#keepsThoughts && typeof message.thinking === 'string') this.#thoughts += message.thinking
    this.#tell('reasoning', message.thinking, emit)
    this.#tell('text', message.content, emit)
    if (!Array.isArray(message.tool_calls)) return
    for (const call of message.tool_calls) {
      if (!isObject(call) || !isObject(call.function)) continue
      this.outputSeen = true
      this.#calls.push(toolCall(call, call.function))
    }
  }

  #tell(type: 'text' | 'reasoning', text: unknown, emit: Emit): void {
    if (typeof text !== 'string' || text === '') return
    this.outputSeen = true
    emit({ type, text })
  }
}

function isError(value: JsonObject): boolean {
  return value.error !== undefined && value.error !== null
}

/** Older servers give no id. */
function toolCall(call: JsonObject, { name, arguments: args }: JsonObject): ToolCall {
  return {
    id: typeof call.id === 'string' && call.id !== '' ? call.id : null,
    name: typeof name === 'string' ? name : '',
    arguments: typeof args === 'string' && args !== '' ? args : isObject(args) ? JSON.stringify(args) : '{}',
  }
}

/** A count that is left out was not told: a server that has the prompt in its cache leaves out that one. */
function usageOf({ prompt_eval_count, eval_count }: JsonObject): Usage | null {
  const [input, output] = [count(prompt_eval_count), count(eval_count)]
  if (input === undefined && output === undefined) return null
  return usageFrom(input, output, undefined)
}
