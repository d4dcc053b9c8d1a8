import { bytes } from './kit.ts'
import { fragments, many, pick, type Random, scrambled, tokens, toolCalls, type Variant, withoutEmpty } from './variants.ts'

interface Item {
  readonly added: Record<string, unknown>
  readonly done: Record<string, unknown>
  /** Names and fields of the events between. */
  readonly pieces: readonly (readonly [string, Record<string, unknown>])[]
}

/** A stream of Responses drawn from a seed: raw or summarised thoughts, ids that change, the output repeated at the end or left out. */
export function responsesVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const calls = toolCalls(random)
  const finish = calls.length > 0 ? 'tool_calls' : pick(random, ['stop', 'length', 'content_filter'])
  const usage = { input: tokens(random) + 10, output: tokens(random), cachedInput: Math.floor(random() * 10) }
  const items = [...reasoningItems(random, reasoning), ...messageItems(texts), ...calls.map((call) => callItem(random, call))]
  const stream = new Stream(random)
  stream.event('response.created', { response: { id: 'r', status: 'in_progress', error: null, output: [], usage: null } })
  if (random() < 0.3) stream.event('response.queued', { response: { id: 'r', status: 'queued' } })
  stream.event('response.in_progress', { response: { id: 'r', status: 'in_progress', error: null } })
  for (const [at, item] of items.entries()) stream.item(item, at)
  const incomplete = finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : null
  const status = incomplete === null ? 'completed' : 'incomplete'
  const counts = { input_tokens: usage.input, output_tokens: usage.output, input_tokens_details: { cached_tokens: usage.cachedInput } }
  const output = random() < 0.3 ? [] : items.map((item) => item.done)
  stream.event(`response.${status}`, {
    response: { id: 'r', status, error: null, incomplete_details: incomplete && { reason: incomplete }, output, usage: counts },
  })
  const endAt = bytes(stream.text).length
  const text = texts.join('')
  const body = bytes(stream.text + (random() < 0.3 ? 'data: [DONE]\n\n' : ''))
  return { body, text, reasoning: reasoning.join(''), calls: withoutEmpty(calls), finish, usage, finishAt: endAt, endAt }
}

class Stream {
  text = ''
  readonly #random: Random
  #sequence = 0
  readonly #changesIds: boolean

  constructor(random: Random) {
    this.#random = random
    this.#changesIds = random() < 0.2
  }

  event(type: string, more: Record<string, unknown>): void {
    if (this.#random() < 0.15) this.text += ': a comment\n\n'
    if (this.#random() < 0.1) this.#write('response.something_new', { delta: 'never told' })
    this.#write(type, more)
  }

  item({ added, done, pieces }: Item, output_index: number): void {
    const id = () => (this.#changesIds ? `changed_${this.#sequence}` : done.id)
    this.event('response.output_item.added', { output_index, item: { ...added, id: id() } })
    for (const [type, fields] of pieces) this.event(type, { output_index, item_id: id(), ...fields })
    if (this.#random() < 0.9) this.event('response.output_item.done', { output_index, item: { ...done, id: id() } })
  }

  #write(type: string, more: Record<string, unknown>): void {
    const data = JSON.stringify(scrambled(this.#random, { type, sequence_number: this.#sequence, ...more }))
    this.#sequence += 1
    // Bedrock writes the name behind the data.
    this.text += this.#random() < 0.2 ? `data: ${data}\nevent: ${type}\n\n` : `event: ${type}\ndata: ${data}\n\n`
  }
}

function reasoningItems(random: Random, parts: readonly string[]): Item[] {
  if (parts.length === 0) return []
  const text = parts.join('')
  const raw = random() < 0.5
  const name = raw ? 'response.reasoning_text' : 'response.reasoning_summary_text'
  const place = raw ? { content_index: 0 } : { summary_index: 0 }
  const item = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'c2ln' }
  const words = raw ? { content: [{ type: 'reasoning_text', text }] } : { summary: [{ type: 'summary_text', text }] }
  const deltas = parts.map((delta): [string, Record<string, unknown>] => [`${name}.delta`, { ...place, delta }])
  return [{ added: item, done: { ...item, ...words }, pieces: [...deltas, [`${name}.done`, { ...place, text }]] }]
}

function messageItems(texts: readonly string[]): Item[] {
  if (texts.length === 0) return []
  const text = texts.join('')
  const item = { type: 'message', id: 'msg', role: 'assistant', content: [] as unknown[] }
  const deltas = texts.map((delta): [string, Record<string, unknown>] => ['response.output_text.delta', { content_index: 0, delta }])
  const part = { type: 'output_text', text, annotations: [] }
  const pieces: Item['pieces'] = [['response.content_part.added', { content_index: 0, part: { ...part, text: '' } }], ...deltas]
  return [{ added: item, done: { ...item, content: [part] }, pieces: [...pieces, ['response.output_text.done', { content_index: 0, text }]] }]
}

function callItem(random: Random, call: Variant['calls'][number]): Item {
  const item = { type: 'function_call', id: `fc_${call.id}`, call_id: call.id, name: call.name }
  const name = 'response.function_call_arguments'
  const deltas =
    random() < 0.3 ? [] : fragments(random, call.arguments).map((delta): [string, Record<string, unknown>] => [`${name}.delta`, { delta }])
  const done: [string, Record<string, unknown>][] = [[`${name}.done`, { arguments: call.arguments }]]
  return { added: { ...item, arguments: '' }, done: { ...item, arguments: call.arguments }, pieces: [...deltas, ...done] }
}
