import type { Usage } from '../../model/usage.ts'
import {
  call,
  errorObject,
  functionCall,
  INCOMPLETE,
  type Item,
  messageItem,
  outputText,
  reasoningItem,
  responseObject,
  usageObject,
} from './response-object.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import { type AnswerIdentity, CannotSay, pieces, plainStep, type Step, toldByFinal, usageOfFinal, type Voice, waitStep } from './voice.ts'

/**
 * The voice of `openai-responses` (wire.md §2): named SSE events with a sequence number, output items that open and close, and the whole
 * answer once more in the last event.
 *
 * 1. An item stays open while events of its kind follow; every other event closes it first.
 * 2. Usage that no finish follows at once is told by a further `response.in_progress`, the only other event with a place for it.
 * 3. A tool that runs at the provider is an MCP call: the kind of tool that has a name, arguments and an output in words.
 */
export const openaiResponsesVoice: Voice = {
  api: 'openai-responses',
  path: '/v1/responses',
  keepAlive: ': keep-alive\n\n',
  headers: (identity) => ({ 'x-request-id': `req_loopback_${identity.n}`, 'openai-version': '2020-10-01' }),
  stream: (events, identity) => new ResponseWords(events, identity).steps(),
  call,
  errorBody: (status, message) => ({ error: errorObject(status, message) }),
}

type OpenKind = 'message' | 'reasoning'

class ResponseWords {
  readonly #steps: Step[] = []
  readonly #events: readonly ScriptedEvent[]
  readonly #identity: AnswerIdentity
  readonly #output: Item[] = []
  #sequence = 0
  #started = false
  #open: { kind: OpenKind; text: string } | null = null
  #providerTool: Item | null = null

  constructor(events: readonly ScriptedEvent[], identity: AnswerIdentity) {
    this.#events = events
    this.#identity = identity
  }

  steps(): Step[] {
    this.#events.forEach((event, index) => {
      this.#steps.push(...waitStep(event))
      const plain = plainStep(event)
      if (plain !== undefined) this.#steps.push(plain)
      else if ('error' in event) this.#fail(event.error.http, event.error.message)
      else this.#say(event, index)
    })
    this.#steps.push({ do: 'end' })
    return this.#steps
  }

  /** The pair that the provider sends: the error, then the response that failed by it. */
  #fail(status: number | undefined, message: string): void {
    const error = errorObject(status, message)
    this.#event('error', { error })
    const { code, type } = error
    this.#event('response.failed', { response: this.#response('failed', { error: { code: code ?? type, message } }) })
    this.#steps.push({ do: 'end' })
  }

  #say(event: ScriptedEvent, index: number): void {
    if (!this.#started) this.#start()
    if ('text' in event) this.#message(event.text)
    else if ('reasoning' in event) this.#reasoning(event.reasoning)
    else if ('toolCall' in event) this.#toolCall(event.toolCall)
    else if ('providerToolCall' in event) this.#providerCall(event.providerToolCall)
    else if ('providerToolResult' in event) this.#providerResult(event.providerToolResult)
    else if ('usage' in event) this.#usage(event.usage, index)
    else if ('final' in event) this.#finish(event.final, index)
  }

  #start(): void {
    this.#started = true
    for (const type of ['response.created', 'response.in_progress']) this.#event(type, { response: this.#response('in_progress') })
  }

  #event(type: string, data: object): void {
    const value = { type, sequence_number: this.#sequence, ...data }
    this.#sequence++
    this.#steps.push({ do: 'write', bytes: `event: ${type}\ndata: ${JSON.stringify(value)}\n\n` })
  }

  #response(status: string, more: object = {}): object {
    return { ...responseObject(this.#identity, status, this.#output), ...more }
  }

  get #index(): number {
    return this.#output.length
  }

  #id(prefix: string): string {
    return `${prefix}_loopback_${this.#identity.n}_${this.#index}`
  }

  #place(prefix: string): object {
    return { item_id: this.#id(prefix), output_index: this.#index }
  }

  #message(text: string): void {
    if (this.#begin('message')) {
      const item = { ...messageItem(this.#id('msg'), []), status: 'in_progress' }
      this.#event('response.output_item.added', { output_index: this.#index, item })
      this.#event('response.content_part.added', { ...this.#place('msg'), content_index: 0, part: outputText('') })
    }
    this.#event('response.output_text.delta', { ...this.#place('msg'), content_index: 0, delta: text, logprobs: [] })
    this.#grow(text)
  }

  #reasoning(text: string): void {
    if (this.#begin('reasoning')) {
      this.#event('response.output_item.added', { output_index: this.#index, item: reasoningItem(this.#id('rs'), []) })
      this.#event('response.reasoning_summary_part.added', { ...this.#place('rs'), summary_index: 0, part: { type: 'summary_text', text: '' } })
    }
    this.#event('response.reasoning_summary_text.delta', { ...this.#place('rs'), summary_index: 0, delta: text })
    this.#grow(text)
  }

  /** True when an item of this kind has to be opened. */
  #begin(kind: OpenKind): boolean {
    if (this.#open?.kind === kind) return false
    this.#close()
    this.#open = { kind, text: '' }
    return true
  }

  #grow(text: string): void {
    if (this.#open !== null) this.#open.text += text
  }

  #close(): void {
    if (this.#open === null) return
    const { kind, text } = this.#open
    this.#open = null
    if (kind === 'message') {
      const place = { ...this.#place('msg'), content_index: 0 }
      this.#event('response.output_text.done', { ...place, text, logprobs: [] })
      this.#event('response.content_part.done', { ...place, part: outputText(text) })
      return this.#done(messageItem(this.#id('msg'), [outputText(text)]))
    }
    const place = { ...this.#place('rs'), summary_index: 0 }
    this.#event('response.reasoning_summary_text.done', { ...place, text })
    this.#event('response.reasoning_summary_part.done', { ...place, part: { type: 'summary_text', text } })
    this.#done(reasoningItem(this.#id('rs'), [text]))
  }

  #done(item: Item): void {
    this.#event('response.output_item.done', { output_index: this.#index, item })
    this.#output.push(item)
  }

  #toolCall(call: ScriptedToolCall): void {
    this.#close()
    const item = functionCall(this.#id('fc'), call, this.#id('call'))
    this.#event('response.output_item.added', { output_index: this.#index, item: { ...item, status: 'in_progress', arguments: '' } })
    for (const delta of pieces(call.arguments)) this.#event('response.function_call_arguments.delta', { ...this.#place('fc'), delta })
    this.#event('response.function_call_arguments.done', { ...this.#place('fc'), arguments: call.arguments })
    this.#done(item)
  }

  #providerCall(tool: { readonly id?: string | null | undefined; readonly name: string; readonly arguments: string }): void {
    this.#close()
    const id = tool.id ?? this.#id('mcp')
    this.#providerTool = {
      id,
      type: 'mcp_call',
      status: 'in_progress',
      server_label: 'loopback',
      name: tool.name,
      arguments: tool.arguments,
      output: null,
      error: null,
    }
    const place = { item_id: id, output_index: this.#index }
    this.#event('response.output_item.added', { output_index: this.#index, item: { ...this.#providerTool, arguments: '' } })
    this.#event('response.mcp_call.in_progress', place)
    for (const delta of pieces(tool.arguments)) this.#event('response.mcp_call_arguments.delta', { ...place, delta })
    this.#event('response.mcp_call_arguments.done', { ...place, arguments: tool.arguments })
  }

  #providerResult(result: { readonly output: string }): void {
    const tool = this.#providerTool
    if (tool === null) throw new CannotSay('a providerToolResult of openai-responses needs its providerToolCall directly before it')
    this.#providerTool = null
    this.#event('response.mcp_call.completed', { item_id: tool.id, output_index: this.#index })
    this.#done({ ...tool, status: 'completed', output: result.output })
  }

  #usage(usage: Usage, index: number): void {
    if (!toldByFinal(this.#events, index))
      this.#event('response.in_progress', { response: this.#response('in_progress', { usage: usageObject(usage) }) })
  }

  #finish(finish: string, index: number): void {
    this.#close()
    const usage = usageOfFinal(this.#events, index)
    const reason = INCOMPLETE[finish]
    const status = reason === undefined ? 'completed' : 'incomplete'
    const response = this.#response(status, {
      incomplete_details: reason === undefined ? null : { reason },
      ...(usage === undefined ? {} : { usage: usageObject(usage) }),
    })
    this.#event(`response.${status}`, { response })
  }
}
