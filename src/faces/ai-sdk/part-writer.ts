import type { JSONValue } from '@ai-sdk/provider'
import type { Outcome, Turn, TurnEvent } from '../../index.ts'
import { callIdOf, finishReasonOf, issuedOf, metadataOf, usageOf } from './result.ts'
import { RunningTools } from './running-tools.ts'
import type { ModelPart } from './specification.ts'

/**
 * The events of a turn as stream parts of the AI SDK.
 *
 * 1. Every delta stands between the start and the end of its block, and one block is open at a time.
 * 2. `response-metadata` stands before the first content and names the model that is answering; another one follows if a recovery was
 *    served by a different model.
 * 3. Tool calls come from the outcome, behind the text: what their issuer wants back is known only then, and the first of them carries it.
 *    Without tool calls the last block does.
 */
export class PartWriter {
  readonly #turn: Turn
  #model: string | undefined
  #at = 0
  #toldModel: string | null = null
  #open: { readonly type: 'text' | 'reasoning'; readonly id: string } | null = null
  #blocks = 0
  /** Tools that ran at the provider. */
  readonly #running = new RunningTools()
  #ran = 0

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Parts of one event; facts have none. */
  partsOf(event: TurnEvent): ModelPart[] {
    switch (event.type) {
      case 'attempt.started':
        this.#model = event.model
        this.#at = event.at
        return []
      case 'text':
      case 'reasoning':
        return this.#delta(event.type, event.text)
      // Takes the place of a stream that broke off before any text of it was shown.
      case 'answer':
        return event.text === '' ? [] : this.#delta('text', event.text)
      case 'providerToolCall':
        return this.#providerCall(event)
      case 'providerToolResult':
        return this.#providerResult(event)
      default:
        return []
    }
  }

  /** What closes an answer. */
  closing(outcome: Outcome): ModelPart[] {
    const { toolCalls, served } = outcome
    const parts: ModelPart[] = this.#metadata(served?.model ?? this.#model)
    const issued = issuedOf(outcome)
    if (toolCalls.length > 0 || issued.providerMetadata === undefined) parts.push(...this.#close())
    // An empty text is dropped by the AI SDK, an empty reasoning is kept.
    else parts.push(...(this.#open === null ? this.#delta('reasoning', '') : []), ...this.#close(issued))
    for (const [at, call] of toolCalls.entries()) {
      const { name: toolName, arguments: input } = call
      const toolCallId = callIdOf(this.#turn, call, at)
      parts.push(...inputParts(toolCallId, toolName, input, {}))
      parts.push({ type: 'tool-call', toolCallId, toolName, input, ...(at === 0 ? issued : {}) })
    }
    return [...parts, this.#finish(outcome)]
  }

  /** What closes a stream that broke off behind content: the error, and what it took all the same. */
  broken(outcome: Outcome, error: Error): ModelPart[] {
    return [...this.#close(), { type: 'error', error }, this.#finish(outcome)]
  }

  #finish(outcome: Outcome): ModelPart {
    return { type: 'finish', finishReason: finishReasonOf(outcome), usage: usageOf(outcome), providerMetadata: metadataOf(this.#turn, outcome) }
  }

  #delta(type: 'text' | 'reasoning', text: string): ModelPart[] {
    const parts = this.#metadata(this.#toldModel ?? this.#model)
    if (this.#open?.type !== type) {
      parts.push(...this.#close())
      this.#open = { type, id: String(++this.#blocks) }
      parts.push({ type: `${type}-start`, id: this.#open.id })
    }
    if (text !== '') parts.push({ type: `${type}-delta`, id: this.#open.id, delta: text })
    return parts
  }

  #close(more: ReturnType<typeof issuedOf> = {}): ModelPart[] {
    if (this.#open === null) return []
    const { type, id } = this.#open
    this.#open = null
    return [{ type: `${type}-end`, id, ...more }]
  }

  #metadata(model: string | undefined): ModelPart[] {
    if (this.#toldModel !== null && (model === undefined || model === this.#toldModel)) return []
    this.#toldModel = model ?? ''
    return [{ type: 'response-metadata', id: this.#turn.id, timestamp: new Date(this.#at), ...(model === undefined ? {} : { modelId: model }) }]
  }

  /** Such a tool is in no list of the caller's: it is `dynamic`. */
  #providerCall({ id, name, arguments: input }: Extract<TurnEvent, { type: 'providerToolCall' }>): ModelPart[] {
    const toolCallId = id ?? `${this.#turn.id}-provider-${++this.#ran}`
    this.#running.add({ id: toolCallId, given: id, name })
    const ran = { providerExecuted: true, dynamic: true }
    return [
      ...this.#metadata(this.#toldModel ?? this.#model),
      ...this.#close(),
      ...inputParts(toolCallId, name, input, ran),
      { type: 'tool-call', toolCallId, toolName: name, input, ...ran },
    ]
  }

  /** A result without an id answers the oldest call that is still open. One that answers none cannot be told to the AI SDK. */
  #providerResult({ id, output }: Extract<TurnEvent, { type: 'providerToolResult' }>): ModelPart[] {
    const call = this.#running.answered(id)
    if (call === undefined) return []
    return [{ type: 'tool-result', toolCallId: call.id, toolName: call.name, result: jsonOr(output), dynamic: true }]
  }
}

function inputParts(id: string, toolName: string, input: string, ran: { providerExecuted?: boolean; dynamic?: boolean }): ModelPart[] {
  const delta: ModelPart[] = input === '' ? [] : [{ type: 'tool-input-delta', id, delta: input }]
  return [{ type: 'tool-input-start', id, toolName, ...ran }, ...delta, { type: 'tool-input-end', id }]
}

function jsonOr(output: string): NonNullable<JSONValue> {
  try {
    return (JSON.parse(output) as JSONValue) ?? output
  } catch {
    return output
  }
}
