import type { ToolCall } from '../../../model/message.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import type { OutputItem } from './output-items.ts'

/**
 * What an item says of a tool.
 *
 * 1. A call is answered under its `call_id`; the id of the item itself (`fc_…`) names only its place in the output.
 * 2. An unknown item whose type ends in `_call` ran at the provider: what a caller has to run is known by name.
 */

/** Tools that the caller runs although it did not define them. */
const CALLER_TOOLS: ReadonlySet<string> = new Set(['computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'])

export function runsAtCaller(type: string): boolean {
  return type === 'function_call' || type === 'custom_tool_call' || CALLER_TOOLS.has(type)
}

export function runsAtProvider(type: string): boolean {
  return !runsAtCaller(type) && (type.endsWith('_call') || type === 'mcp_list_tools')
}

/** A call for the caller to run. No arguments at all are an empty object; what is no JSON by its kind is written as JSON. */
export function toolCallOf({ type, value, input }: OutputItem): ToolCall {
  const id = [value.call_id, value.id].find((one): one is string => typeof one === 'string' && one !== '') ?? null
  if (type === 'function_call') return { id, name: textOf(value.name), arguments: textOf(value.arguments) || input || '{}' }
  if (type === 'custom_tool_call') return { id, name: textOf(value.name), arguments: JSON.stringify(value.input ?? input) }
  return { id, name: nameOf(type), arguments: JSON.stringify(without(value, ['id', 'type', 'status', 'call_id'])) }
}

/** A call that runs at the provider, with as much of its arguments as is known when it starts to run. */
export function providerCallOf({ type, value, input }: OutputItem): ToolCall {
  const name = typeof value.name === 'string' ? value.name : nameOf(type)
  const known = type === 'code_interpreter_call' && input !== '' ? { ...value, code: input } : value
  const said = typeof known.arguments === 'string' ? known.arguments || input || '{}' : JSON.stringify(providerInput(known))
  return { id: idOf(value), name, arguments: said }
}

/** The words of an MCP server as they are; of every other tool the whole item, since the protocol has no field for results in common. */
export function providerResultOf({ type, value }: OutputItem): { id: string | null; name: string; output: string } {
  const name = typeof value.name === 'string' ? value.name : nameOf(type)
  const output = typeof value.output === 'string' ? value.output : JSON.stringify(without(value, ['id', 'type', 'name', 'arguments']))
  return { id: idOf(value), name, output }
}

/** Fields that say what came out; what else an item has is what went in. */
const OUTCOME = ['id', 'type', 'status', 'name', 'output', 'outputs', 'result', 'results', 'error', 'tools', 'approval_request_id']

function providerInput(value: JsonObject): JsonObject {
  if (isObject(value.action)) return value.action
  const said = Object.entries(without(value, OUTCOME)).filter(([, one]) => one !== null && one !== '')
  return Object.fromEntries(said)
}

function nameOf(type: string): string {
  return type.replace(/_call$/, '')
}

function idOf(value: JsonObject): string | null {
  return typeof value.id === 'string' && value.id !== '' ? value.id : null
}

function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** Text as sent; a server that sends an object where a text belongs means its JSON. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return isObject(value) ? JSON.stringify(value) : ''
}
