import type { Outcome, ToolCall, Usage } from '../../../index.ts'
import { acceptedUsage } from '../accepted-usage.ts'
import type { Answer } from '../dialect.ts'

/** A whole chat completion. Reasoning stands in `reasoning_content`, where the servers of this protocol that tell any put it. */
export function answerOfChat({ turn, model, at, outcome }: Answer): object {
  const { text, reasoning, toolCalls } = outcome
  const usage = acceptedUsage(outcome)
  const isRefused = outcome.kind === 'refused'
  return {
    id: `chatcmpl-${turn}`,
    object: 'chat.completion',
    created: Math.floor(at / 1000),
    model: outcome.served?.model ?? model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: isRefused ? REFUSED : null,
          ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
          ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call, index) => toolCallOf(call, index, turn)) }),
        },
        logprobs: null,
        finish_reason: finishOf(outcome),
      },
    ],
    ...(usage === null ? {} : { usage: usageOfChat(usage) }),
  }
}

/** What a client is told where a model declined: its own words are not kept. */
export const REFUSED = 'The model declined to answer.'

export function finishOf({ kind, toolCalls }: Outcome): string {
  if (kind === 'incomplete') return 'length'
  if (kind === 'refused') return 'content_filter'
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

/** A call without an id gets one: clients of this protocol answer a call by it. */
export function toolCallOf({ id, name, arguments: args }: ToolCall, index: number, turn: string): object {
  return { id: id ?? `call_${turn}_${index}`, type: 'function', function: { name, arguments: args } }
}

export function usageOfChat({ input = 0, output = 0, cachedInput }: Usage): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(cachedInput === undefined ? {} : { prompt_tokens_details: { cached_tokens: cachedInput } }),
  }
}
