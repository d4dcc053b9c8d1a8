import type { ToolCall } from '../../../model/message.ts'
import type { Emit } from '../decoder.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import { issuedOf } from './issued.ts'
import { described, type OutputItem, OutputItems, partsOf, type Words } from './output-items.ts'
import { providerCallOf, providerResultOf, runsAtCaller, runsAtProvider, toolCallOf } from './tool-items.ts'

/**
 * What the items of an answer tell.
 *
 * 1. Words are told as they come; the whole text of a part is told only where none of it came before.
 * 2. Calls for the caller leave in `release`, made of the whole item where there is one. A call that the provider itself left incomplete is none.
 * 3. A tool of the provider is told as a call when it begins to run, at the latest: what ran is never asked again (R28).
 * 4. A thought without readable words is told as reasoning without text: that there was one is part of the answer.
 * 5. A refusal is a finish, not text.
 */
export class ItemTeller {
  readonly #items = new OutputItems()
  readonly #calls = new Map<OutputItem, ToolCall>()
  readonly #wantsIssued: boolean
  #issued: readonly JsonObject[] = []
  refused = false
  seen = false

  constructor(wantsIssued: boolean) {
    this.#wantsIssued = wantsIssued
  }

  get hasCalls(): boolean {
    return this.#calls.size > 0
  }

  words(kind: Words, event: JsonObject, text: unknown, emit: Emit): undefined {
    if (typeof text !== 'string' || text === '') return
    const item = this.#items.pieceOf(event)
    this.#tell(item, kind, partOf(kind, event), text, emit)
  }

  take(type: string, event: JsonObject, emit: Emit): undefined {
    switch (type) {
      case 'response.output_item.added':
        if (isObject(event.item)) this.#added(this.#items.begin(event, event.item))
        return
      case 'response.output_item.done':
        if (isObject(event.item)) this.#close(this.#items.end(event, event.item), emit)
        return
      case 'response.output_text.done':
        return this.#rest('text', event, emit)
      case 'response.reasoning_summary_text.done':
        return this.#rest('summary', event, emit)
      case 'response.reasoning_text.done':
      case 'response.reasoning.done':
        return this.#rest('raw', event, emit)
      case 'response.refusal.delta':
      case 'response.refusal.done':
        this.refused = true
        this.seen = true
        return
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
      case 'response.mcp_call_arguments.delta':
      case 'response.code_interpreter_call_code.delta':
        return this.#piece(event, event.delta)
      case 'response.function_call_arguments.done':
        return this.#inputDone(event, event.arguments, emit)
      case 'response.custom_tool_call_input.done':
        return this.#inputDone(event, event.input, emit)
      case 'response.mcp_call_arguments.done':
        return this.#inputDone(event, event.arguments, emit)
      case 'response.code_interpreter_call_code.done':
        return this.#inputDone(event, event.code, emit)
      default:
        return this.#progress(type, event, emit)
    }
  }

  /**
   * The answer is over; `output` is the list of its items, which some servers leave empty. What the stream did not tell is told from it, but
   * no words of an item in front of those that were: a resumed stream told them before.
   */
  end(output: unknown, incomplete: boolean, emit: Emit): void {
    const highest = this.#items.highest
    for (const [at, value] of partsOf(output)) {
      const known = this.#items.placed(value, at)
      if (known?.closed === true) continue
      const item = known === undefined ? this.#items.begin({ output_index: at }, value) : described(known, value)
      const wasTold = known === undefined && at <= highest && !runsAtCaller(item.type) && !runsAtProvider(item.type)
      if (wasTold) item.closed = true
      else this.#close(item, emit)
    }
    for (const item of this.#items.all) {
      if (item.closed) continue
      if (incomplete && runsAtCaller(item.type) && !item.inputWhole) item.value = { ...item.value, status: 'incomplete' }
      this.#close(item, emit)
    }
    if (this.#wantsIssued) this.#issued = issuedOf(this.#inOrder())
  }

  release(emit: Emit): void {
    for (const item of this.#inOrder()) {
      const call = this.#calls.get(item)
      if (call !== undefined) emit({ type: 'toolCall', ...call })
    }
    for (const data of this.#issued) emit({ type: 'issued', data })
  }

  #inOrder(): readonly OutputItem[] {
    return [...this.#items.all].sort((one, other) => one.index - other.index)
  }

  #added(item: OutputItem): void {
    if (item.type !== 'message') this.seen = true
  }

  #tell(item: OutputItem, kind: Words, part: number, text: string, emit: Emit): void {
    this.seen = true
    item.told[kind].add(part)
    if (kind === 'text') item.characters += text.length
    emit({ type: kind === 'text' ? 'text' : 'reasoning', text })
  }

  #rest(kind: Words, event: JsonObject, emit: Emit): undefined {
    if (typeof event.text !== 'string' || event.text === '') return
    const item = this.#items.pieceOf(event)
    const part = partOf(kind, event)
    if (!item.told[kind].has(part)) this.#tell(item, kind, part, event.text, emit)
  }

  #piece(event: JsonObject, delta: unknown): undefined {
    this.seen = true
    if (typeof delta === 'string') this.#items.pieceOf(event).input += delta
  }

  #inputDone(event: JsonObject, whole: unknown, emit: Emit): undefined {
    this.seen = true
    if (typeof whole !== 'string') return
    const item = this.#items.pieceOf(event)
    item.input = whole
    item.inputWhole = true
    if (runsAtProvider(item.type)) this.#tellCall(item, emit)
  }

  /** `response.web_search_call.searching`: how far a tool of the provider is. Only `in_progress` comes before it runs. */
  #progress(type: string, event: JsonObject, emit: Emit): undefined {
    const [, tool = '', phase = ''] = type.split('.')
    if (!runsAtProvider(tool) || phase === '' || phase === 'in_progress') return
    this.seen = true
    const item = this.#items.pieceOf(event)
    if (item.type === '') item.type = tool
    if (item.type !== tool) return
    if (item.value.id === undefined) item.value = { ...item.value, id: event.item_id }
    this.#tellCall(item, emit)
  }

  #tellCall(item: OutputItem, emit: Emit): void {
    if (item.callTold) return
    item.callTold = true
    emit({ type: 'providerToolCall', ...providerCallOf(item) })
  }

  #close(item: OutputItem, emit: Emit): void {
    if (item.closed) return
    item.closed = true
    const { type, value } = item
    if (type === 'message') this.#closeMessage(item, emit)
    else if (type === 'reasoning') this.#closeReasoning(item, emit)
    else if (runsAtCaller(type)) {
      this.seen = true
      if (value.status !== 'incomplete') this.#calls.set(item, toolCallOf(item))
    } else if (runsAtProvider(type)) {
      this.seen = true
      this.#tellCall(item, emit)
      emit({ type: 'providerToolResult', ...providerResultOf(item) })
    }
  }

  /** Parts are compared while they come; a whole item adds words only where none came, since servers number parts as they like. */
  #closeMessage(item: OutputItem, emit: Emit): void {
    const isTold = item.told.text.size > 0
    for (const [at, part] of partsOf(item.value.content)) {
      if (part.type === 'refusal') {
        this.refused = true
        this.seen = true
      } else if (part.type === 'output_text' && !isTold) this.#whole(item, 'text', at, part.text, emit)
    }
  }

  #closeReasoning(item: OutputItem, emit: Emit): void {
    if (item.told.summary.size > 0 || item.told.raw.size > 0) return
    for (const [at, part] of partsOf(item.value.summary)) this.#whole(item, 'summary', at, part.text, emit)
    for (const [at, part] of partsOf(item.value.content)) this.#whole(item, 'raw', at, part.text, emit)
    if (item.told.summary.size > 0 || item.told.raw.size > 0) return
    this.seen = true
    emit({ type: 'reasoning', text: '' })
  }

  #whole(item: OutputItem, kind: Words, part: number, text: unknown, emit: Emit): void {
    if (typeof text === 'string' && text !== '') this.#tell(item, kind, part, text, emit)
  }
}

function partOf(kind: Words, event: JsonObject): number {
  const part = kind === 'summary' ? event.summary_index : event.content_index
  return typeof part === 'number' ? part : 0
}
