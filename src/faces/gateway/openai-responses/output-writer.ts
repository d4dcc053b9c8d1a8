import type { ToolCall } from '../../../index.ts'
import {
  functionCall,
  type Item,
  itemId,
  messageItem,
  outputText,
  type ResponseStatus,
  reasoningItem,
  refusalPart,
  summaryText,
} from './response-object.ts'

/**
 * Says the items of an answer as events.
 *
 * 1. One item is open at a time; what belongs to another closes it first. Closing repeats it whole, as the protocol does.
 * 2. Every event has a number, one more than the one before.
 * 3. Items that are closed are the output of the answer.
 */
export class OutputWriter {
  readonly #turn: string
  readonly #place: number
  readonly #output: Item[] = []
  #sequence: number
  #open: { readonly kind: 'message' | 'reasoning'; readonly id: string; readonly delta: string; text: string } | null = null

  /** `sequence`, `place`: numbers of the first event and the first item, where others went before. */
  constructor(turn: string, sequence = 0, place = 0) {
    this.#turn = turn
    this.#sequence = sequence
    this.#place = place
  }

  get output(): readonly Item[] {
    return this.#output
  }

  event(type: string, data: object): string {
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: this.#sequence++, ...data })}\n\n`
  }

  text(text: string): string {
    return this.#opened('message') + this.#grow('response.output_text.delta', text)
  }

  reasoning(text: string): string {
    return this.#opened('reasoning') + this.#grow('response.reasoning_summary_text.delta', text)
  }

  toolCall(call: ToolCall): string {
    const before = this.close('completed')
    const id = this.#id('fc')
    const output_index = this.#index
    const item = functionCall(id, call, 'completed')
    const place = { item_id: id, output_index }
    return [
      before,
      this.event('response.output_item.added', { output_index, item: { ...item, status: 'in_progress', arguments: '' } }),
      this.event('response.function_call_arguments.delta', { ...place, delta: call.arguments }),
      this.event('response.function_call_arguments.done', { ...place, name: call.name, arguments: call.arguments }),
      this.#done(item),
    ].join('')
  }

  /** A refusal stands behind the text of the answer, in the same message. */
  refusal(refusal: string, status: ResponseStatus): string {
    const text = this.#open?.kind === 'message' ? this.#open.text : ''
    const opening = text === '' ? this.close('completed') + this.#begin('message') : this.#textDone(text)
    this.#open = null
    const content = text === '' ? [] : [outputText(text)]
    const place = { item_id: this.#id('msg'), output_index: this.#index, content_index: content.length }
    return [
      opening,
      this.event('response.content_part.added', { ...place, part: refusalPart('') }),
      this.event('response.refusal.delta', { ...place, delta: refusal }),
      this.event('response.refusal.done', { ...place, refusal }),
      this.event('response.content_part.done', { ...place, part: refusalPart(refusal) }),
      this.#done(messageItem(this.#id('msg'), status, [...content, refusalPart(refusal)])),
    ].join('')
  }

  /** Closes the item that is open; a message says by `status` whether it is whole. */
  close(status: ResponseStatus): string {
    if (this.#open === null) return ''
    const { kind, id, text } = this.#open
    this.#open = null
    if (kind === 'message') return this.#textDone(text) + this.#done(messageItem(id, status, [outputText(text)]))
    const place = { item_id: id, output_index: this.#index, summary_index: 0 }
    return [
      this.event('response.reasoning_summary_text.done', { ...place, text }),
      this.event('response.reasoning_summary_part.done', { ...place, part: summaryText(text) }),
      this.#done(reasoningItem(id, [text])),
    ].join('')
  }

  get #index(): number {
    return this.#place + this.#output.length
  }

  #id(prefix: 'msg' | 'rs' | 'fc'): string {
    return itemId(prefix, this.#turn, this.#index)
  }

  #opened(kind: 'message' | 'reasoning'): string {
    if (this.#open?.kind === kind) return ''
    const before = this.close('completed') + this.#begin(kind)
    const id = this.#id(kind === 'message' ? 'msg' : 'rs')
    const place = { item_id: id, output_index: this.#index, [kind === 'message' ? 'content_index' : 'summary_index']: 0 }
    this.#open = { kind, id, text: '', delta: `${JSON.stringify(place).slice(1, -1)}${kind === 'message' ? ',"logprobs":[]' : ''}` }
    return kind === 'message'
      ? before + this.event('response.content_part.added', { ...place, part: outputText('') })
      : before + this.event('response.reasoning_summary_part.added', { ...place, part: summaryText('') })
  }

  #begin(kind: 'message' | 'reasoning'): string {
    const item = kind === 'message' ? messageItem(this.#id('msg'), 'in_progress', []) : reasoningItem(this.#id('rs'), [])
    return this.event('response.output_item.added', { output_index: this.#index, item })
  }

  /** Most of a stream is this event, so what stays the same in it is written once. */
  #grow(type: string, text: string): string {
    if (this.#open === null) return ''
    this.#open.text += text
    return `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#sequence++},${this.#open.delta},"delta":${JSON.stringify(text)}}\n\n`
  }

  #textDone(text: string): string {
    const place = { item_id: this.#id('msg'), output_index: this.#index, content_index: 0 }
    return (
      this.event('response.output_text.done', { ...place, text, logprobs: [] }) +
      this.event('response.content_part.done', { ...place, part: outputText(text) })
    )
  }

  #done(item: Item): string {
    const said = this.event('response.output_item.done', { output_index: this.#index, item })
    this.#output.push(item)
    return said
  }
}
