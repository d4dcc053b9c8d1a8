import type { ToolCall } from '../../model/message.ts'
import type { Iteration } from '../../model/provider-event.ts'
import type { Usage } from '../../model/usage.ts'
import type { Fault } from './fault.ts'
import { faultProblems } from './fault-problems.ts'

/**
 * What a loopback provider is told to do: the OUTCOME and STREAM vocabulary of scenarios (docs/scenarios.md), and faults of the wire beside it (fault.ts).
 *
 * 1. Every item has exactly one deciding key; anything else is a problem with a path, found before the server listens.
 * 2. What a socket on this machine cannot be made to do (refuse a connection, lose a name) is refused here, never imitated by something else.
 */

/** A tool call; the scenario language lets the id be left out. */
export type ScriptedToolCall = Omit<ToolCall, 'id'> & { readonly id?: string | null | undefined }

interface Timed {
  /** Delay before the item in ms, scaled by `timeScale`; 0 by default. */
  readonly afterMs?: number | undefined
}

/** How a provider that does not serve behaves; may stand in both queues. */
export type ScriptedRefusalToServe = Timed & { readonly usage?: Usage | undefined } & (
    | { readonly http: number; readonly headers?: Readonly<Record<string, string>> | undefined; readonly body?: unknown }
    | { readonly network: string }
    | { readonly timeout: 'connect' | 'first_byte' | 'idle' | 'total' }
    | { readonly pending: true }
  )

/** Tokens, and those of each model that the provider itself tried inside the one response; only anthropic-messages has words for the latter. */
interface Spent<Told> {
  readonly usage: Told
  readonly iterations?: readonly Iteration[] | undefined
}

/** OUTCOME: a whole answer, or how it fails. */
export type ScriptedOutcome =
  | ScriptedRefusalToServe
  | (Timed &
      Partial<Spent<Usage | undefined>> &
      (
        | { readonly ok: string; readonly toolCalls?: readonly ScriptedToolCall[] | undefined; readonly reasoning?: string | undefined }
        | { readonly empty: true; readonly reasoning?: string | undefined }
        | { readonly refusal: string }
        | { readonly length: string }
      ))

/** One step of a stream. */
export type ScriptedEvent = Timed &
  (
    | { readonly text: string }
    | { readonly reasoning: string }
    | { readonly toolCall: ScriptedToolCall }
    | { readonly providerToolCall: { readonly id?: string | null | undefined; readonly name: string; readonly arguments: string } }
    | { readonly providerToolResult: { readonly id?: string | null | undefined; readonly name?: string | null | undefined; readonly output: string } }
    | Spent<Usage>
    | { readonly final: 'stop' | 'tool_calls' | 'length' | 'content_filter' }
    | { readonly eof: true }
    | { readonly error: { readonly http?: number | undefined; readonly message: string } }
    | { readonly network: string }
    | { readonly stall: true }
  )

/** STREAM: events, or a failure at the opening. Events that end without saying how, end the body cleanly. */
export type ScriptedStream = { readonly events: readonly ScriptedEvent[] } | ScriptedRefusalToServe

/** A fault, or several one after the other, and the answer that it is done to: a short ordinary one unless given. */
export type ScriptedFault<Answer> = Timed & { readonly fault: Fault | readonly Fault[]; readonly answer?: Answer | undefined }

export type ScriptedCallItem = ScriptedOutcome | ScriptedFault<ScriptedOutcome>
export type ScriptedStreamItem = ScriptedStream | ScriptedFault<ScriptedStream>

/** Per entry (`a.x/m1`, `c.z/*` for an unpinned one), in the order of use. A request beyond the end of a queue is unscripted. */
export type LoopbackScript = Readonly<
  Record<string, { readonly call?: readonly ScriptedCallItem[] | undefined; readonly stream?: readonly ScriptedStreamItem[] | undefined }>
>

const CALL_KEYS = ['ok', 'empty', 'refusal', 'length', 'http', 'network', 'timeout', 'pending', 'fault']
const STREAM_KEYS = ['events', 'http', 'network', 'timeout', 'pending', 'fault']
const EVENT_KEYS = ['text', 'reasoning', 'toolCall', 'providerToolCall', 'providerToolResult', 'usage', 'final', 'eof', 'error', 'network', 'stall']
const RESETS = new Set(['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE'])

/** What may stand beside the deciding key of an item; of an event only the time, and of usage its parts. */
const BESIDE = ['afterMs', 'usage', 'iterations', 'headers', 'body', 'toolCalls', 'reasoning', 'answer']

/** Every problem of a script as one line with its path; empty when it can be performed. */
export function scriptProblems(script: LoopbackScript): string[] {
  if (!isObject(script)) return ['script: give an object of entries, such as { "a.x/m1": { "call": [{ "ok": "hello" }] } }']
  const problems: string[] = []
  for (const [entry, queues] of Object.entries(script)) {
    if (!isObject(queues)) {
      problems.push(`${entry}: give an object with the lists call and stream`)
      continue
    }
    for (const [queue, items] of Object.entries(queues)) {
      if (queue !== 'call' && queue !== 'stream') problems.push(`${entry}: has the queue \`${queue}\`; write call or stream`)
      else if (items !== undefined) checkList(items, `${entry} ${queue}`, problems, queue === 'call' ? CALL_KEYS : STREAM_KEYS)
    }
  }
  return problems
}

function checkList(items: unknown, path: string, problems: string[], allowed: readonly string[]): void {
  if (!Array.isArray(items)) problems.push(`${path}: give a list, an item for each request`)
  else for (const [index, item] of items.entries()) checkItem(item, allowed, `${path}[${index}]`, problems)
}

function checkItem(item: unknown, allowed: readonly string[], path: string, problems: string[]): void {
  if (!checkKeys(item, allowed, BESIDE, path, problems)) return
  if ('network' in item) checkNetwork(item['network'], path, problems)
  if ('events' in item) {
    const { events } = item
    if (!Array.isArray(events)) problems.push(`${path}.events: give a list`)
    else for (const [index, event] of events.entries()) checkEvent(event, `${path}.events[${index}]`, problems)
  }
  if ('fault' in item) for (const problem of faultProblems(item['fault'])) problems.push(`${path}.fault: ${problem}`)
  if ('fault' in item && item['answer'] !== undefined) {
    const plain = allowed.filter((key) => key !== 'fault')
    checkItem(item['answer'], plain, `${path}.answer`, problems)
  }
}

function checkEvent(event: unknown, path: string, problems: string[]): void {
  const beside = isObject(event) && 'usage' in event ? ['afterMs', 'iterations'] : ['afterMs']
  if (!checkKeys(event, EVENT_KEYS, beside, path, problems)) return
  if ('network' in event) checkNetwork(event['network'], path, problems)
}

/** Whether there is exactly one deciding key. What else stands there and has no meaning is told: in silence it would be a wish not granted. */
function checkKeys(
  item: unknown,
  allowed: readonly string[],
  beside: readonly string[],
  path: string,
  problems: string[],
): item is Readonly<Record<string, unknown>> {
  const deciding = isObject(item) ? allowed.filter((key) => key in item) : []
  if (!isObject(item) || deciding.length !== 1) {
    problems.push(`${path}: needs exactly one of ${allowed.join(', ')}; it has ${deciding.join(' and ') || 'none'}`)
    return false
  }
  const odd = Object.keys(item).filter((key) => !allowed.includes(key) && !beside.includes(key))
  if (odd.length > 0) problems.push(`${path}: has ${odd.join(', ')}, which mean nothing here; beside ${deciding[0]} may stand ${beside.join(', ')}`)
  return true
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function checkNetwork(code: unknown, path: string, problems: string[]): void {
  if (typeof code === 'string' && RESETS.has(code)) return
  problems.push(
    `${path}: a loopback server cannot make "${String(code)}" happen; it can reset (ECONNRESET, EPIPE, UND_ERR_SOCKET). For a refused connection use an address where nothing listens`,
  )
}
