import type { ToolCall } from '../../../src/model/message.ts'
import type { Usage } from '../../../src/model/usage.ts'
import { bytes } from './kit.ts'

/** Streams of our own making, drawn from a seed: other texts, ids, cuts, key orders and fields nobody knows. */
export interface Variant {
  readonly body: Uint8Array
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly ToolCall[]
  readonly finish: string
  readonly usage: Usage
  /** Byte behind the finish marker's event. */
  readonly finishAt: number
  /** Byte at which the terminator is complete. */
  readonly endAt: number
}

export type Random = () => number

export const WORDS = [
  'alpha',
  'ünïcode',
  '😀 emoji',
  '"quoted"',
  '\\slash',
  'line\nbreak',
  'data: [DONE]',
  'tab\t',
  'event: error',
  '',
  ' ',
  '終わり',
  '</think>',
  '{"a":1}',
]

export const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
export const many = (random: Random, most: number): string[] => Array.from({ length: Math.floor(random() * (most + 1)) }, () => pick(random, WORDS))

/** The object with its keys in another order and, now and then, one that nobody knows. */
export function scrambled(random: Random, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => scrambled(random, item))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, scrambled(random, item)])
  if (random() < 0.3) entries.push([`x_${Math.floor(random() * 1e6)}`, pick(random, [null, 1, 'x', { finish_reason: 'no' }, ['text']])])
  for (let at = entries.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const held = entries[at] as [string, unknown]
    entries[at] = entries[other] as [string, unknown]
    entries[other] = held
  }
  return Object.fromEntries(entries)
}

export function toolCalls(random: Random): ToolCall[] {
  return Array.from({ length: random() < 0.5 ? 0 : 1 + Math.floor(random() * 3) }, (_, n) => ({
    id: `id_${n}_${Math.floor(random() * 1e9).toString(36)}`,
    name: pick(random, ['search', 'read_file', 'get-weather']),
    arguments:
      random() < 0.2
        ? ''
        : JSON.stringify(scrambled(random, { q: pick(random, WORDS), n: Math.floor(random() * 99), deep: { list: many(random, 3) } })),
  }))
}

export function fragments(random: Random, text: string): string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    const size = 1 + Math.floor(random() * 12)
    parts.push(text.slice(at, at + size))
    at += size
  }
  return parts
}

export const tokens = (random: Random) => Math.floor(random() * 5000)
export const withoutEmpty = (calls: readonly ToolCall[]) =>
  calls.map((call) => ({ ...call, arguments: call.arguments === '' ? '{}' : call.arguments }))

/** Keeps where in bytes each event ended. */
class Writer {
  text = ''
  readonly #random: Random
  constructor(random: Random) {
    this.#random = random
  }
  get length(): number {
    return bytes(this.text).length
  }
  event(value: unknown, name?: string): void {
    if (this.#random() < 0.15) this.text += ': a comment\n\n'
    this.text += `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(scrambled(this.#random, value))}\n\n`
  }
}

export function chatVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const calls = toolCalls(random)
  const reason = calls.length > 0 ? pick(random, ['tool_calls', 'stop']) : pick(random, ['stop', 'length', 'content_filter'])
  const usage = { input: tokens(random) + 10, output: tokens(random), cachedInput: Math.floor(random() * 10) }
  const firstIndex = random() < 0.3 ? 1 : 0
  const reasoningKey = pick(random, ['reasoning_content', 'reasoning'])
  const writer = new Writer(random)
  const delta = (value: unknown, finish: string | null = null) =>
    writer.event({ id: 'c1', object: 'chat.completion.chunk', choices: [{ index: 0, delta: value, finish_reason: finish }] })
  if (random() < 0.3) writer.event({ id: '', model: '', choices: [], prompt_filter_results: [] })
  delta({ role: 'assistant', content: '' })
  for (const part of reasoning) delta({ [reasoningKey]: part, content: null })
  for (const part of texts) delta({ content: part })
  for (const [n, call] of calls.entries()) {
    const index = n + firstIndex
    const begin = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }
    if (random() < 0.3) {
      delta({ tool_calls: [{ ...begin, function: { name: call.name, arguments: call.arguments } }] })
      continue
    }
    delta({ tool_calls: [begin] })
    for (const part of fragments(random, call.arguments)) delta({ tool_calls: [{ index, function: { arguments: part } }] })
  }
  delta({}, reason)
  const finishAt = writer.length
  writer.event({
    id: 'c1',
    choices: [],
    usage: { prompt_tokens: usage.input, completion_tokens: usage.output, prompt_tokens_details: { cached_tokens: usage.cachedInput } },
  })
  writer.text += 'data: [DONE]\n'
  const endAt = writer.length
  writer.text += '\n'
  const finish = calls.length > 0 ? 'tool_calls' : reason
  return { body: bytes(writer.text), text: texts.join(''), reasoning: reasoning.join(''), calls: withoutEmpty(calls), finish, usage, finishAt, endAt }
}

const ANTHROPIC_REASON: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

export function anthropicVariant(random: Random): Variant {
  const reasoning = many(random, 4)
  const texts = many(random, 8)
  const calls = toolCalls(random)
  const finish = calls.length > 0 ? 'tool_calls' : pick(random, ['stop', 'length', 'content_filter'])
  const counted = { plain: tokens(random), written: Math.floor(random() * 50), cached: Math.floor(random() * 50), output: tokens(random) }
  const writer = new Writer(random)
  const event = (value: { type: string } & Record<string, unknown>) => {
    if (random() < 0.1) writer.event({ type: 'ping' }, 'ping')
    writer.event(value, value.type)
  }
  const cache = { cache_creation_input_tokens: counted.written, cache_read_input_tokens: counted.cached }
  event({
    type: 'message_start',
    message: { id: 'm1', type: 'message', content: [], stop_reason: null, usage: { input_tokens: counted.plain, output_tokens: 1, ...cache } },
  })
  let index = 0
  const block = (content: unknown, deltas: readonly unknown[]) => {
    event({ type: 'content_block_start', index, content_block: content })
    for (const delta of deltas) event({ type: 'content_block_delta', index, delta })
    event({ type: 'content_block_stop', index })
    index += 1
  }
  const thinking = reasoning.map((part) => ({ type: 'thinking_delta', thinking: part }))
  if (reasoning.length > 0) block({ type: 'thinking', thinking: '', signature: '' }, [...thinking, { type: 'signature_delta', signature: 'c2ln' }])
  if (texts.length > 0)
    block(
      { type: 'text', text: '' },
      texts.map((text) => ({ type: 'text_delta', text })),
    )
  for (const call of calls) {
    const pieces = fragments(random, call.arguments).map((part) => ({ type: 'input_json_delta', partial_json: part }))
    block({ type: 'tool_use', id: call.id, name: call.name, input: {} }, [{ type: 'input_json_delta', partial_json: '' }, ...pieces])
  }
  event({ type: 'message_delta', delta: { stop_reason: ANTHROPIC_REASON[finish], stop_sequence: null }, usage: { output_tokens: counted.output } })
  const finishAt = writer.length
  writer.event({ type: 'message_stop' }, 'message_stop')
  const endAt = writer.length
  const usage = { input: counted.plain + counted.written + counted.cached, output: counted.output, cachedInput: counted.cached }
  return { body: bytes(writer.text), text: texts.join(''), reasoning: reasoning.join(''), calls: withoutEmpty(calls), finish, usage, finishAt, endAt }
}
