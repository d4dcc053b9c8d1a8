import type { ToolCall } from '../../model/message.ts'
import { isObject, type JsonObject } from './json-object.ts'

/** Far from what exhausts a stack. */
const MAX_DEPTH = 500

/**
 * The arguments of a call for a protocol that takes only an object. Arguments that were none are kept under one key, so that the model
 * still sees what it wrote, and so are those that nest deeper than a request could be written: a model that ran wild must not end the
 * conversation.
 */
export function argumentsObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    if (isObject(value) && (text.length <= MAX_DEPTH || isShallow(value, MAX_DEPTH))) return value
  } catch {
    // Told below.
  }
  return { invalid_arguments: text }
}

/**
 * The calls of an answer without the one that its bound cut off: when the tokens ran out the last call is none where its arguments are no
 * JSON or had not begun. A host would run it with half of them, or with none (wire.md §1).
 */
export function withoutCutCall(calls: readonly ToolCall[], finish: string | null): readonly ToolCall[] {
  const last = calls[calls.length - 1]
  return RAN_OUT.has(finish) && last !== undefined && !hasArguments(last.arguments) ? calls.slice(0, -1) : calls
}

/** Finishes in the middle of a token's work; the second is Anthropic's and Bedrock's word. */
const RAN_OUT: ReadonlySet<string | null> = new Set(['length', 'model_context_window_exceeded'])

function hasArguments(text: string): boolean {
  try {
    return isObject(JSON.parse(text)) && text !== '{}'
  } catch {
    return false
  }
}

function isShallow(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return left > 0 && Object.values(value).every((one) => isShallow(one, left - 1))
}
