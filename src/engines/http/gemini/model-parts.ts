import type { AssistantMessage, ToolCall } from '../../../model/message.ts'
import { textOf } from '../../../model/message.ts'
import { argumentsObject } from '../call-arguments.ts'
import { isObject, type JsonObject } from '../json-object.ts'

/**
 * The parts of a model's content out of a message: its text, its calls, and what Google gave with them.
 *
 * 1. What the message says wins: a signed text that the message no longer holds at its place loses its signature, a signature whose call is
 *    gone or has another name is left out.
 * 2. A part with a signature stays a part of its own; joined to another one its signature would no longer fit.
 * 3. From Gemini 3 on the provider refuses a step whose first call has no signature. A history that another provider made, or that was
 *    edited, has none; it gets the one that the provider documents for this.
 * 4. Hosts take histories from their users, so no part goes back of a kind that the provider does not give: no call, no file.
 */
export interface CallWriting {
  /** Whether call ids are part of the protocol spoken. */
  readonly withIds: boolean
  /** Whether a step without a signature is refused. */
  readonly wantsSignature: boolean
}

/** Documented by Google for histories that its model did not produce. */
const NO_SIGNATURE = 'skip_thought_signature_validator'

/** The text of a message, with the parts that stood in it put back where they stood. */
export function textParts(message: AssistantMessage): JsonObject[] {
  const text = textOf(message)
  const parts: JsonObject[] = []
  let from = 0
  for (const { at, part } of placed(message)) {
    const own = part.thought !== true && typeof part.text === 'string' ? part.text : ''
    if (at < from || !text.startsWith(own, at) || at > text.length) continue
    if (at > from) parts.push({ text: text.slice(from, at) })
    parts.push(part)
    from = at + own.length
  }
  if (from < text.length) parts.push({ text: text.slice(from) })
  return parts
}

/** The calls of a message. `given` are the same calls before ids were made up or mapped. */
export function callParts(message: AssistantMessage, given: readonly ToolCall[], writing: CallWriting): JsonObject[] {
  const signatures = signaturesOf(message, given)
  return (message.toolCalls ?? []).map((call, at): JsonObject => {
    const functionCall = { ...(writing.withIds && hasId(given[at]) ? { id: call.id } : {}), name: call.name, args: argumentsObject(call.arguments) }
    const thoughtSignature = signatures.get(at) ?? (at === 0 && writing.wantsSignature ? NO_SIGNATURE : undefined)
    return thoughtSignature === undefined ? { functionCall } : { functionCall, thoughtSignature }
  })
}

/** Whether a call came with an id of its own. */
export function hasId(call: ToolCall | undefined): boolean {
  return typeof call?.id === 'string'
}

function placed(message: AssistantMessage): { at: number; part: JsonObject }[] {
  return (message.issued?.data ?? []).flatMap(({ at, part }) => {
    const own = isObject(part) ? issuedPart(part) : undefined
    return typeof at === 'number' && Number.isInteger(at) && own !== undefined ? [{ at, part: own }] : []
  })
}

const OWN_TOOL_PARTS = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse'] as const

/** What of a part the provider may have given: a signed text, or what a tool of its own said. */
function issuedPart(part: JsonObject): JsonObject | undefined {
  const signed = typeof part.thoughtSignature === 'string' ? { thoughtSignature: part.thoughtSignature } : {}
  const name = OWN_TOOL_PARTS.find((one) => isObject(part[one]))
  if (name !== undefined) return { [name]: part[name], ...signed }
  if (typeof part.text !== 'string' || part.thoughtSignature === undefined) return undefined
  return part.thought === true ? { text: part.text, thought: true, ...signed } : { text: part.text, ...signed }
}

/** Signatures by the place of their call in the message. A call is found by its id, wherever it stands now, else by its place. */
function signaturesOf(message: AssistantMessage, given: readonly ToolCall[]): Map<number, string> {
  const found = new Map<number, string>()
  const places = new Map<unknown, number>()
  for (const [at, { id }] of given.entries()) if (!places.has(id)) places.set(id, at)
  for (const { call, id, name, thoughtSignature } of message.issued?.data ?? []) {
    if (typeof call !== 'number' || typeof thoughtSignature !== 'string') continue
    const at = (typeof id === 'string' ? places.get(id) : undefined) ?? call
    if (given[at]?.name === name) found.set(at, thoughtSignature)
  }
  return found
}
