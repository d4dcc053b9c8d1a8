import type { Outcome, ToolCall, Usage } from '../../../index.ts'
import type { Head } from '../dialect.ts'
import { ownReasoningId } from './own-reasoning.ts'

/** What the whole answer is made of, which a stream tells piece by piece and then once more. */
export type Item = Readonly<Record<string, unknown>>

export type ResponseStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed'

/** What a client is told where a model declined: its own words are not kept. */
export const REFUSED = 'The model declined to answer.'

export function responseObject({ turn, model, at, request }: Head, status: ResponseStatus, output: readonly Item[]): Record<string, unknown> {
  return {
    id: responseId(turn),
    object: 'response',
    created_at: Math.floor(at / 1000),
    status,
    background: false,
    error: null,
    incomplete_details: null,
    model,
    output,
    previous_response_id: null,
    // Nothing is kept here, whatever was asked for.
    store: false,
    usage: null,
    ...request.repeated,
  }
}

/** How an answer ends: its status, and why it is not whole. */
export function endOf({ kind }: Outcome): {
  readonly status: 'completed' | 'incomplete'
  readonly incomplete_details: { readonly reason: string } | null
} {
  if (kind === 'incomplete') return { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
  if (kind === 'refused') return { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
  return { status: 'completed', incomplete_details: null }
}

export function responseId(turn: string): string {
  return `resp_${turn}`
}

export function itemId(prefix: 'msg' | 'rs' | 'fc', turn: string, index: number): string {
  return prefix === 'rs' ? ownReasoningId(turn, index) : `${prefix}_${turn}_${index}`
}

export function outputText(text: string): Item {
  return { type: 'output_text', text, annotations: [], logprobs: [] }
}

export function refusalPart(refusal: string): Item {
  return { type: 'refusal', refusal }
}

export function messageItem(id: string, status: ResponseStatus, content: readonly Item[]): Item {
  return { id, type: 'message', status, role: 'assistant', content }
}

export function reasoningItem(id: string, summary: readonly string[]): Item {
  return { id, type: 'reasoning', summary: summary.map(summaryText) }
}

export function summaryText(text: string): Item {
  return { type: 'summary_text', text }
}

/** A call without an id gets one: clients answer a call by it. */
export function functionCall(id: string, { id: callId, name, arguments: args }: ToolCall, status: ResponseStatus): Item {
  return { id, type: 'function_call', status, arguments: args, call_id: callId ?? `call_${id.slice(3)}`, name }
}

/** Clients of this protocol add up the parts of the counts: one that nobody told is 0 in these, as it is where the model has no such tokens. */
export function usageOfResponses({ input = 0, output = 0, cachedInput = 0 }: Usage): object {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cachedInput },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}
