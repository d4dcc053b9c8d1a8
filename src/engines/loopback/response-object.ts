import type { Usage } from '../../model/usage.ts'
import type { ScriptedToolCall } from './script.ts'
import type { AnswerIdentity, ServedOutcome } from './voice.ts'

/** What the whole answer of `openai-responses` is made of, which a stream tells piece by piece and then once more. */
export type Item = Readonly<Record<string, unknown>>

/** The finishes that the protocol calls incomplete, each with its reason. */
export const INCOMPLETE: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' }

/** Without usage there is none, not zero (R34). */
export function responseObject(identity: AnswerIdentity, status: string, output: readonly Item[]): Record<string, unknown> {
  return {
    id: `resp_loopback_${identity.n}`,
    object: 'response',
    created_at: identity.created,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    model: identity.model,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    usage: null,
  }
}

export function outputText(text: string): Item {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

export function messageItem(id: string, content: readonly Item[]): Item {
  return { id, type: 'message', status: 'completed', role: 'assistant', content }
}

/** What is encrypted names the item, so that a test sees which one came back. */
export function reasoningItem(id: string, summary: readonly string[]): Item {
  return { id, type: 'reasoning', summary: summary.map((text) => ({ type: 'summary_text', text })), encrypted_content: `encrypted-${id}` }
}

export function functionCall(id: string, call: ScriptedToolCall, minted: string): Item {
  return { id, type: 'function_call', status: 'completed', arguments: call.arguments, call_id: call.id ?? minted, name: call.name }
}

/** Counts that were not scripted are left out. */
export function usageObject(usage: Usage): object {
  return {
    ...(usage.input === undefined ? {} : { input_tokens: usage.input }),
    ...(usage.cachedInput === undefined ? {} : { input_tokens_details: { cached_tokens: usage.cachedInput } }),
    ...(usage.output === undefined ? {} : { output_tokens: usage.output }),
    ...(usage.input === undefined || usage.output === undefined ? {} : { total_tokens: usage.input + usage.output }),
  }
}

export function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  const status = 'length' in outcome ? 'incomplete' : 'completed'
  return {
    ...responseObject(identity, status, outputOf(outcome, identity)),
    incomplete_details: 'length' in outcome ? { reason: INCOMPLETE.length } : null,
    ...(outcome.usage === undefined ? {} : { usage: usageObject(outcome.usage) }),
  }
}

function outputOf(outcome: ServedOutcome, identity: AnswerIdentity): Item[] {
  const id = (prefix: string, index: number): string => `${prefix}_loopback_${identity.n}_${index}`
  const message = (...content: Item[]): Item => messageItem(id('msg', 1), content)
  if ('refusal' in outcome) return [message({ type: 'refusal', refusal: outcome.refusal })]
  if ('length' in outcome) return [message(outputText(outcome.length))]
  const reasoning = outcome.reasoning === undefined ? [] : [reasoningItem(id('rs', 0), [outcome.reasoning])]
  if ('empty' in outcome) return reasoning
  const calls = (outcome.toolCalls ?? []).map((one, at) => functionCall(id('fc', at + 2), one, id('call', at + 2)))
  return [...reasoning, ...(outcome.ok === '' ? [] : [message(outputText(outcome.ok))]), ...calls]
}

const ERRORS: Readonly<Record<number, { type: string; code: string | null }>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'permission_error', code: null },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  529: { type: 'server_error', code: 'server_is_overloaded' },
}

/** Without a status the provider says only a message, and its reader knows nothing more. */
export function errorObject(status: number | undefined, message: string): { message: string; type: string | null; param: null; code: string | null } {
  if (status === undefined) return { message, type: null, param: null, code: null }
  const other = status >= 500 ? 'server_error' : 'invalid_request_error'
  const { type, code } = ERRORS[status] ?? { type: other, code: null }
  return { message, type, param: null, code }
}
