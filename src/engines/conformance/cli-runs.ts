import type { Usage } from '../../model/usage.ts'
import type { FakeAnswer, FakeFailure, FakePiece, FakeRun, FakeTool, FakeUsage } from '../fake-cli/script.ts'
import type { ScriptedEvent, ScriptedOutcome, ScriptedStream } from '../loopback/script.ts'
import type { Situation } from './subject.ts'

/**
 * A situation as runs of a fake CLI, one an attempt.
 *
 * 1. What a provider answers is what the program hears of it; so a status becomes the failure that the program tells of such an answer.
 * 2. What no program can be put into throws, and is never imitated by something else: a subject says in `lacks` that it is not asked for.
 */
export function runsOf({ items }: Situation): FakeRun[] {
  return items.map((item) => ('events' in item ? streamRun(item.events) : outcomeRun(item)))
}

/** The pace of what goes on without an end. */
const PACE_MS = 5

function outcomeRun(item: ScriptedOutcome | Exclude<ScriptedStream, { events: unknown }>): FakeRun {
  if ('http' in item) return statusRun(item.http, item.body)
  if ('network' in item) return { network: 'down', afterMs: PACE_MS }
  if ('timeout' in item) return timeoutRun(item.timeout)
  if ('pending' in item) return { silence: true }
  const usage = usageOf(item.usage)
  if ('refusal' in item) return { text: [item.refusal], usage, finish: 'refusal' }
  if ('length' in item) return { text: [item.length], usage, finish: 'length' }
  const reasoning = item.reasoning
  if ('empty' in item) return { text: [], usage, reasoning }
  if (item.toolCalls !== undefined) throw unplayable('a tool call of the caller')
  return { text: [item.ok], usage, reasoning }
}

function timeoutRun(name: 'connect' | 'first_byte' | 'idle' | 'total'): FakeRun {
  if (name === 'total') return { busy: true, afterMs: PACE_MS }
  return name === 'idle' ? { text: [], stall: true } : { silence: true }
}

/** A stream, added up. */
interface Told {
  readonly pieces: FakePiece[]
  readonly tools: FakeTool[]
  reasoning: string
  usage: FakeUsage | null
}

function streamRun(events: readonly ScriptedEvent[]): FakeRun {
  const told: Told = { pieces: [], tools: [], reasoning: '', usage: null }
  for (const [index, event] of events.entries()) {
    const run = endOf(event, told, events.slice(index + 1))
    if (run !== null) return run
    add(event, told)
  }
  return cut(told)
}

function add(event: ScriptedEvent, told: Told): void {
  if ('text' in event) told.pieces.push({ text: event.text, afterMs: event.afterMs })
  else if ('reasoning' in event) told.reasoning += event.reasoning
  else if ('usage' in event) told.usage = usageOf(event.usage)
  else if ('providerToolCall' in event)
    told.tools.push({ name: event.providerToolCall.name, arguments: objectOf(event.providerToolCall.arguments), output: '' })
  else if ('providerToolResult' in event) {
    const tool = told.tools.pop()
    if (tool === undefined) throw unplayable('the result of a tool that was not called')
    told.tools.push({ ...tool, output: event.providerToolResult.output })
  } else throw unplayable(Object.keys(event).join(' and '))
}

/** The run that ends with this event; null where it goes on. */
function endOf(event: ScriptedEvent, told: Told, behind: readonly ScriptedEvent[]): FakeRun | null {
  const after = told.pieces.length === 0 ? undefined : told.pieces
  if ('eof' in event) return cut(told)
  if ('stall' in event) return { ...answerOf(told), stall: true }
  if ('network' in event) return { network: 'down', after, afterMs: PACE_MS }
  if ('error' in event) {
    const { http, message } = event.error
    return { ...(http === undefined ? { says: message } : statusRun(http, undefined)), after }
  }
  if (!('final' in event)) return null
  const late = behind.flatMap((one) => ('text' in one ? [one.text] : [])).join('')
  return { ...answerOf(told), finish: finishOf(event.final), late: late === '' ? undefined : late }
}

/** It leaves without its last word; without a word where it has said none. */
function cut(told: Told): FakeRun {
  const isBegun = told.pieces.length > 0 || told.tools.length > 0 || told.reasoning !== ''
  return isBegun ? { ...answerOf(told), cut: true } : { raw: { exit: 0 } }
}

function answerOf({ pieces, tools, reasoning, usage }: Told): FakeAnswer {
  return { text: pieces, usage, ...(tools.length === 0 ? {} : { tools }), ...(reasoning === '' ? {} : { reasoning }) }
}

function finishOf(final: 'stop' | 'tool_calls' | 'length' | 'content_filter'): 'length' | 'refusal' | undefined {
  if (final === 'tool_calls') throw unplayable('a tool call of the caller')
  if (final === 'stop') return undefined
  return final === 'length' ? 'length' : 'refusal'
}

/** What a program tells of a status, and of the words beside it that say more. */
function statusRun(http: number, body: unknown): FakeFailure {
  const { code, message } = errorOf(body)
  if (code === 'insufficient_quota' || http === 402) return { spend: true }
  if (code === 'context_length_exceeded' || http === 413) return { context: true }
  if (http === 401) return { auth: message === undefined ? true : { said: message } }
  if (http === 404) return { model: true }
  if (http === 429) return { throttle: true }
  if (http === 529) return { overloaded: true }
  if (http >= 500) return { server: true }
  throw unplayable(`a status ${http}`)
}

function errorOf(body: unknown): { readonly code?: unknown; readonly message?: string | undefined } {
  const { error } = (typeof body === 'object' && body !== null ? body : {}) as { error?: { code?: unknown; message?: unknown } }
  return { code: error?.code, message: typeof error?.message === 'string' ? error.message : undefined }
}

function usageOf(usage: Usage | undefined): FakeUsage | null {
  return usage === undefined ? null : { input: usage.input ?? 0, output: usage.output ?? 0, cachedInput: usage.cachedInput }
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  return JSON.parse(json) as Readonly<Record<string, unknown>>
}

function unplayable(what: string): Error {
  return new Error(`no coding-agent CLI can be put into this: ${what}; name it in the \`lacks\` of the subject`)
}
