import type { Outcome, ToolCall, Usage } from '../../../index.ts'
import { acceptedUsage } from '../accepted-usage.ts'
import type { Answer, Head } from '../dialect.ts'
import { OWN_SIGNATURE } from './own-thought.ts'

/** A whole message. */
export function answerOfMessages({ outcome, ...head }: Answer): object {
  const { text, reasoning } = outcome
  const ids = new CallIds(head.turn)
  const content = [
    ...(reasoning === '' ? [] : [{ type: 'thinking', thinking: reasoning, signature: OWN_SIGNATURE }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...outcome.toolCalls.map((call) => ({ type: 'tool_use', id: ids.of(call), name: call.name, input: JSON.parse(inputText(call.arguments)) })),
  ]
  return Object.assign(messageOf(head, outcome.served?.model, usageOfMessages(acceptedUsage(outcome))), { content }, stopOf(outcome))
}

/** A message before anything is said in it. */
export function messageOf({ turn, model }: Head, served: string | null | undefined, usage: object): object {
  const blank = { content: [], stop_reason: null, stop_sequence: null }
  return { id: `msg_${turn}`, type: 'message', role: 'assistant', model: served ?? model, usage, ...blank }
}

/** How the message ended; a model that declined keeps no words of its own on it. */
export function stopOf({ kind, toolCalls }: Outcome): object {
  if (kind === 'refused') return { stop_reason: 'refusal', stop_sequence: null, stop_details: REFUSED }
  const reason = kind === 'incomplete' ? 'max_tokens' : toolCalls.length > 0 ? 'tool_use' : 'end_turn'
  return { stop_reason: reason, stop_sequence: null, stop_details: null }
}

const REFUSED = { type: 'refusal', category: null, explanation: 'The model declined to answer.' }

/**
 * Input counts stand apart by where they came from here. Clients of this protocol reckon with both sums, so that one that nobody told is 0;
 * `relevo.usage` says what was told.
 */
export function usageOfMessages(usage: Usage | null): object {
  const { input = 0, output = 0, cachedInput } = usage ?? {}
  return {
    input_tokens: Math.max(0, input - (cachedInput ?? 0)),
    cache_creation_input_tokens: null,
    cache_read_input_tokens: cachedInput ?? null,
    output_tokens: output,
  }
}

/**
 * Arguments as the text of a JSON object, which is all that this protocol takes; none at all are an empty one. What is no object is kept under
 * one key, so that the model still sees what it wrote when its call comes back: a client's own parser must not end the conversation.
 */
export function inputText(text: string): string {
  if (text.trim() === '') return '{}'
  return isObjectText(text) ? text : JSON.stringify({ invalid_arguments: text })
}

function isObjectText(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    // What nests too deep can be read and not be written.
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** `^[a-zA-Z0-9_-]+$`, as the provider's own error says. */
const FITS = /^[A-Za-z0-9_-]{1,64}$/

/**
 * Ids of the calls of one answer. A client sends them back, and an entry of this protocol is passed that: one that it would refuse, of which
 * there is none, or that was there before, is replaced.
 */
export class CallIds {
  readonly #turn: string
  readonly #taken = new Set<string>()

  constructor(turn: string) {
    this.#turn = turn
  }

  of({ id }: Pick<ToolCall, 'id'>): string {
    const given = id !== null && FITS.test(id) && !this.#taken.has(id) ? id : `toolu_${this.#turn}_${this.#taken.size}`
    this.#taken.add(given)
    return given
  }
}
