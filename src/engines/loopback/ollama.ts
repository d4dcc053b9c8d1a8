import { fieldOf } from './recorded.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import {
  type AnswerIdentity,
  argumentsObject,
  CannotSay,
  plainStep,
  type ServedOutcome,
  type Step,
  usageOfFinal,
  type Voice,
  waitStep,
} from './voice.ts'

/**
 * The voice of `ollama` (wire.md §5): a JSON object a line, whole tool calls, and the line with `done: true` last, which alone has counts.
 *
 * 1. A stream is what the server gives unless the request says `stream: false`.
 * 2. What the protocol has no place for is left unsaid: a status inside a stream, cached counts, and counts before the end.
 */
const PATH = '/api/chat'

export const ollamaVoice: Voice = {
  api: 'ollama',
  path: PATH,
  route: (pathname, body) => {
    if (!pathname.endsWith(PATH)) return undefined
    const model = fieldOf(body, 'model')
    const mode = fieldOf(body, 'stream') === false ? 'call' : 'stream'
    return { base: pathname.slice(0, -PATH.length), model: typeof model === 'string' ? model : '', mode }
  },
  streamType: 'application/x-ndjson',
  // A reader takes no empty line for an event.
  keepAlive: '\n',
  headers: () => ({}),
  stream,
  call,
  errorBody: (_status, message) => ({ error: message }),
}

function stream(events: readonly ScriptedEvent[], identity: AnswerIdentity): Step[] {
  const steps: Step[] = events.flatMap((event, index) => [...waitStep(event), ...(plain(event) ?? said(event, events, index, identity))])
  return [...steps, { do: 'end' }]
}

function plain(event: ScriptedEvent): Step[] | undefined {
  const step = plainStep(event)
  return step === undefined ? undefined : [step]
}

function said(event: ScriptedEvent, events: readonly ScriptedEvent[], index: number, identity: AnswerIdentity): Step[] {
  if ('error' in event) return [line({ error: event.error.message }), { do: 'end' }]
  if ('usage' in event) return []
  if ('final' in event) return [line(lastObject(identity, message({}), event.final, usageOfFinal(events, index)))]
  if ('text' in event) return [line(object(identity, message({ content: event.text })))]
  if ('reasoning' in event) return [line(object(identity, message({ thinking: event.reasoning })))]
  if ('toolCall' in event) return [line(object(identity, message({ tool_calls: [toolCall(event.toolCall)] })))]
  throw new CannotSay('ollama has no tools that run at the provider; script providerToolCall and providerToolResult on anthropic-messages')
}

function line(value: object): Step {
  return { do: 'write', bytes: `${JSON.stringify(value)}\n` }
}

function message(parts: object): object {
  return { role: 'assistant', content: '', ...parts }
}

function object(identity: AnswerIdentity, said: object): object {
  return { model: identity.model, created_at: new Date(identity.created * 1000).toISOString(), message: said, done: false }
}

/** A tool turn says `stop` like any other. */
function lastObject(identity: AnswerIdentity, said: object, finish: string, usage: ServedOutcome['usage']): object {
  return {
    ...object(identity, said),
    done: true,
    done_reason: finish === 'tool_calls' ? 'stop' : finish,
    total_duration: 5_000_000,
    load_duration: 1_000_000,
    ...(usage?.input === undefined ? {} : { prompt_eval_count: usage.input, prompt_eval_duration: 1_000_000 }),
    ...(usage?.output === undefined ? {} : { eval_count: usage.output, eval_duration: 3_000_000 }),
  }
}

/** A call has an id where the script gives one, as newer servers do; older ones had none. */
function toolCall(call: ScriptedToolCall): object {
  const id = call.id == null ? {} : { id: call.id }
  return { ...id, function: { name: call.name, arguments: argumentsObject(call.arguments) } }
}

function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  if ('refusal' in outcome) return lastObject(identity, message({ content: outcome.refusal }), 'content_filter', outcome.usage)
  if ('length' in outcome) return lastObject(identity, message({ content: outcome.length }), 'length', outcome.usage)
  const thinking = outcome.reasoning === undefined ? {} : { thinking: outcome.reasoning }
  if ('empty' in outcome) return lastObject(identity, message(thinking), 'stop', outcome.usage)
  const calls = outcome.toolCalls ?? []
  const tools = calls.length === 0 ? {} : { tool_calls: calls.map(toolCall) }
  return lastObject(identity, message({ content: outcome.ok, ...thinking, ...tools }), 'stop', outcome.usage)
}
