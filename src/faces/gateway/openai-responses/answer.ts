import { acceptedUsage } from '../accepted-usage.ts'
import type { Answer } from '../dialect.ts'
import {
  endOf,
  functionCall,
  type Item,
  itemId,
  messageItem,
  outputText,
  REFUSED,
  reasoningItem,
  refusalPart,
  responseObject,
  usageOfResponses,
} from './response-object.ts'

/** A whole response. Thoughts stand in front, as a summary: what a provider tells of them is for a reader, and is nothing to send back. */
export function answerOfResponses({ outcome, ...head }: Answer): object {
  const usage = acceptedUsage(outcome)
  const end = endOf(outcome)
  const { turn } = head
  const output: Item[] = []
  const { text, reasoning, toolCalls, kind } = outcome
  if (reasoning !== '') output.push(reasoningItem(itemId('rs', turn, output.length), [reasoning]))
  const content = [...(text === '' ? [] : [outputText(text)]), ...(kind === 'refused' ? [refusalPart(REFUSED)] : [])]
  if (content.length > 0) output.push(messageItem(itemId('msg', turn, output.length), end.status, content))
  for (const call of toolCalls) output.push(functionCall(itemId('fc', turn, output.length), call, 'completed'))
  return {
    ...responseObject({ ...head, model: outcome.served?.model ?? head.model }, end.status, output),
    ...end,
    usage: usage === null ? null : usageOfResponses(usage),
  }
}
