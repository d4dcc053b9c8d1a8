import type { JsonObject } from '../json-object.ts'
import type { OutputItem } from './output-items.ts'
import { runsAtCaller, runsAtProvider } from './tool-items.ts'

/**
 * What of an answer its provider wants back unchanged: thoughts it encrypted, tools it ran, each at its place. The provider checks that a
 * thought is followed by the item it belongs to, so the order of the whole output is kept.
 *
 * 1. What the message says itself is not repeated: a message and a call for the caller are kept as their place and id alone.
 * 2. A thought that has neither encrypted nor readable content is left out: nothing of it is stored at the provider (`store: false`), and
 *    its id alone is refused there.
 * 3. Hosts take histories from their users, so no item goes back of a kind that the provider does not give: no message of another role, no
 *    result, no reference to what is stored.
 */
export function issuedOf(items: readonly OutputItem[]): readonly JsonObject[] {
  const kept = items.filter((item) => item.type !== '' && !isHollow(item))
  return kept.every((item) => isSaid(item)) ? [] : kept.map(keptOf)
}

const ISSUED_KINDS: ReadonlySet<string> = new Set(['reasoning', 'compaction', 'mcp_approval_request', 'tool_search_output'])

/** Whether an item may go back whole, as it is. */
export function isIssuedKind({ type }: JsonObject): boolean {
  return typeof type === 'string' && (ISSUED_KINDS.has(type) || runsAtProvider(type))
}

function isHollow({ type, value, characters }: OutputItem): boolean {
  if (type === 'message') return characters === 0
  if (type === 'reasoning') return typeof value.encrypted_content !== 'string' && !(Array.isArray(value.content) && value.content.length > 0)
  return runsAtCaller(type) && value.status === 'incomplete'
}

/** What the message itself says again. */
function isSaid({ type }: OutputItem): boolean {
  return type === 'message' || runsAtCaller(type)
}

function keptOf({ type, value, characters }: OutputItem): JsonObject {
  if (type === 'message') return { type, id: value.id, ...(typeof value.phase === 'string' ? { phase: value.phase } : {}), characters }
  if (!runsAtCaller(type)) return writable(value)
  const call = { type: 'function_call', call_id: value.call_id ?? value.id ?? null }
  return type === 'function_call' ? { ...call, id: value.id } : call
}

/** Written once here, where a nest too deep to be written again still is a failure of the answer and not of a later request. */
function writable(value: JsonObject): JsonObject {
  JSON.stringify(value)
  return value
}
