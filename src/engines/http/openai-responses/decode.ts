import { type Failure, failure } from '../../../model/failure.ts'
import { type Usage, usageFrom } from '../../../model/usage.ts'
import { type AnswerReader, count, type DecoderOptions, type Emit, EventStreamDecoder, finishOf, type Step } from '../decoder.ts'
import { isErrorObject } from '../error-body.ts'
import { classifyInStream } from '../failure.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { EventFrames } from '../sse.ts'
import { decodeWhole } from '../whole-answer.ts'
import { ItemTeller } from './item-teller.ts'

/**
 * OpenAI Responses and the servers that speak it (wire.md §2, §7).
 *
 * 1. Complete is `response.completed` or `response.incomplete`, under every policy (R25); `response.failed` is an error.
 * 2. The first of two error events is the one that is told: an error event is followed by a `response.failed` that repeats it.
 * 3. A whole answer is read as a stream that has nothing but its last event, so both mean the same.
 * 4. An event that is not known means nothing.
 */

/** The last event repeats the whole answer, so it may have as many bytes as a whole answer has. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024

/** A decoder for one stream; see `StreamDecoder`. */
export function openaiResponsesDecoder(options: DecoderOptions): EventStreamDecoder {
  return new EventStreamDecoder(new ResponseReader(options), options, (onEvent) => new EventFrames(onEvent, MAX_EVENT_BYTES))
}

/** The events of a whole, non-streamed answer. */
export function decodeOpenaiResponsesAnswer(text: string, options: DecoderOptions, emit: Emit): void {
  decodeWhole(text, new ResponseReader(options), stepsOf, emit)
}

function stepsOf(body: JsonObject): readonly JsonObject[] | Failure {
  if (Array.isArray(body.output)) return [{ type: 'response.completed', response: body }]
  if (isErrorObject(body)) return [{ ...body, type: 'error' }]
  return failure('protocol', 'call', 'the answer has no output')
}

const FINISH: Readonly<Record<string, string>> = { max_output_tokens: 'length', max_tokens: 'length', incomplete: 'length' }

class ResponseReader implements AnswerReader {
  readonly doneLine = null
  readonly wholeAtEnd = false
  readonly #now: () => number
  readonly #items: ItemTeller
  #begun = false
  #reason: string | null = null
  #usage: JsonObject | null = null

  constructor(options: DecoderOptions) {
    this.#now = options.now
    this.#items = new ItemTeller(options.issued === true)
  }

  onDoneLine(): Step {
    return undefined
  }

  get outputSeen(): boolean {
    return this.#items.seen
  }

  get finish(): string | null {
    if (this.#reason !== null) return finishOf(FINISH, this.#reason, this.#items.hasCalls)
    if (this.#items.refused) return 'content_filter'
    return this.#items.hasCalls ? 'tool_calls' : 'stop'
  }

  take(event: JsonObject, name: string | undefined, emit: Emit): Step {
    const type = typeof event.type === 'string' ? event.type : (name ?? '')
    switch (type) {
      case 'response.output_text.delta':
        return this.#items.words('text', event, event.delta, emit)
      case 'response.reasoning_summary_text.delta':
        return this.#items.words('summary', event, event.delta, emit)
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        return this.#items.words('raw', event, event.delta, emit)
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        return this.#lifecycle(type, event.response)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return this.#end(type, event, emit)
      case 'error':
      case 'response.error':
        return this.#error(event)
      default:
        // Only what is none of this protocol's own events may be an error without saying so.
        if (name === 'error' || (isErrorObject(event) && !type.startsWith('response.'))) return this.#error(event)
        return this.#items.take(type, event, emit)
    }
  }

  release(emit: Emit): void {
    this.#items.release(emit)
  }

  usage(): Usage | null {
    return this.#usage === null ? null : usageOf(this.#usage)
  }

  #error(event: JsonObject): Failure {
    return classifyInStream({ api: 'openai-responses', error: event, now: this.#now() })
  }

  /** A second beginning once there is output is another answer spliced in: a gateway asked again and told nobody. */
  #lifecycle(type: string, response: unknown): Step {
    if (type === 'response.created') {
      if (this.#begun && this.#items.seen)
        return failure('protocol', 'stream', 'a second response began inside the answer', { code: 'spliced_response' })
      this.#begun = true
    }
    this.#takeUsage(response)
    return undefined
  }

  #end(type: string, event: JsonObject, emit: Emit): Step {
    const response = isObject(event.response) ? event.response : {}
    this.#takeUsage(response)
    const status = typeof response.status === 'string' ? response.status : type.slice('response.'.length)
    if (type === 'response.failed' || status === 'failed' || isObject(response.error)) return this.#error(event)
    if (type === 'response.cancelled' || status === 'cancelled')
      return failure('truncated', 'stream', 'the provider cancelled the answer before its end')
    if (status === 'queued' || status === 'in_progress') {
      return failure(
        'invalid_request',
        'stream',
        `the provider answers in the background (${status}), which nothing here waits for: leave \`background\` out`,
      )
    }
    const details = isObject(response.incomplete_details) ? response.incomplete_details : {}
    if (typeof details.reason === 'string' && details.reason !== '') this.#reason = details.reason
    else if (type === 'response.incomplete' || status === 'incomplete') this.#reason = 'incomplete'
    this.#items.end(response.output, this.#reason !== null, emit)
    return 'terminated'
  }

  #takeUsage(response: unknown): void {
    if (isObject(response) && isObject(response.usage)) this.#usage = response.usage
  }
}

/** The provider counts as faces.md §2 does: cached input is a part of input, reasoning one of output. */
function usageOf(raw: JsonObject): Usage | null {
  const input = count(raw.input_tokens)
  const output = count(raw.output_tokens)
  const details = isObject(raw.input_tokens_details) ? raw.input_tokens_details : {}
  const cachedInput = count(details.cached_tokens)
  if (input === undefined && output === undefined && cachedInput === undefined) return null
  return usageFrom(input, output, cachedInput)
}
