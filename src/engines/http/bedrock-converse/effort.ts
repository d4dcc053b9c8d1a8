import type { JsonObject } from '../json-object.ts'

type Effort = 'low' | 'medium' | 'high'

/**
 * How a model on Bedrock is asked for effort. The protocol itself has no word for it: each maker has a field of its own among
 * `additionalModelRequestFields`, and a model that does not know a field refuses the call. So the field is sent where the id of the model
 * names a maker of this table, and left out elsewhere (an application inference profile names none); a profile can state it in `body`.
 */
const MAKERS: readonly { readonly named: RegExp; readonly fields: (effort: Effort) => JsonObject }[] = [
  // The same words as on Anthropic's own wire.
  { named: /\banthropic\.claude/, fields: (effort) => ({ output_config: { effort } }) },
  { named: /\bopenai\.gpt-oss/, fields: (effort) => ({ reasoning_effort: effort }) },
  { named: /\bamazon\.nova-2/, fields: (effort) => ({ reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }) },
]

export function effortFields(model: string, effort: Effort): JsonObject | undefined {
  return MAKERS.find(({ named }) => named.test(model))?.fields(effort)
}
