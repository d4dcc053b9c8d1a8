import type { ToolCall } from '../../model/message.ts'
import type { Usage } from '../../model/usage.ts'
import { type Fault, faultProblems } from './fault.ts'

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

/** OUTCOME: a whole answer, or how it fails. */
export type ScriptedOutcome =
  | ScriptedRefusalToServe
  | (Timed & { readonly usage?: Usage | undefined } & (
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
    | { readonly usage: Usage }
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

/** Every problem of a script as one line with its path; empty when it can be performed. */
export function scriptProblems(script: LoopbackScript): string[] {
  const problems: string[] = []
  for (const [entry, queues] of Object.entries(script)) {
    for (const queue of Object.keys(queues)) {
      if (queue !== 'call' && queue !== 'stream') problems.push(`${entry}: has the queue \`${queue}\`; write call or stream`)
    }
    queues.call?.forEach((item, index) => {
      checkItem(item, CALL_KEYS, `${entry} call[${index}]`, problems)
    })
    queues.stream?.forEach((item, index) => {
      checkItem(item, STREAM_KEYS, `${entry} stream[${index}]`, problems)
    })
  }
  return problems
}

function checkItem(item: object, allowed: readonly string[], path: string, problems: string[]): void {
  const deciding = allowed.filter((key) => key in item)
  if (deciding.length !== 1) {
    problems.push(`${path}: needs exactly one of ${allowed.join(', ')}; it has ${deciding.join(' and ') || 'none'}`)
    return
  }
  if ('network' in item) checkNetwork(item.network, path, problems)
  if ('events' in item && Array.isArray(item.events))
    for (const [index, event] of (item.events as object[]).entries()) checkEvent(event, `${path}.events[${index}]`, problems)
  if ('fault' in item) for (const problem of faultProblems(item.fault)) problems.push(`${path}.fault: ${problem}`)
  if ('fault' in item && 'answer' in item && item.answer !== undefined) {
    const plain = allowed.filter((key) => key !== 'fault')
    checkItem(item.answer as object, plain, `${path}.answer`, problems)
  }
}

function checkEvent(event: object, path: string, problems: string[]): void {
  const deciding = EVENT_KEYS.filter((key) => key in event)
  if (deciding.length !== 1) problems.push(`${path}: needs exactly one of ${EVENT_KEYS.join(', ')}; it has ${deciding.join(' and ') || 'none'}`)
  if ('network' in event) checkNetwork(event.network, path, problems)
}

function checkNetwork(code: unknown, path: string, problems: string[]): void {
  if (typeof code === 'string' && RESETS.has(code)) return
  problems.push(
    `${path}: a loopback server cannot make "${String(code)}" happen; it can reset (ECONNRESET, EPIPE, UND_ERR_SOCKET). For a refused connection use an address where nothing listens`,
  )
}
