import type { Usage } from '../../model/usage.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import {
  type AnswerIdentity,
  argumentsObject,
  CannotSay,
  plainStep,
  type Route,
  type ServedOutcome,
  type Step,
  toldByFinal,
  usageOfFinal,
  type Voice,
  waitStep,
} from './voice.ts'

/**
 * The voice of `gemini` (wire.md §4): SSE without event names, frames parted by CRLF, every frame a whole response; the finish reason and
 * the usage stand in the last one, and nothing comes after it.
 *
 * 1. The first call of an answer carries a signature, as it does from Gemini 3 on.
 * 2. `STOP` ends tool turns too, so a turn that ends in `tool_calls` without a call cannot be said.
 */
export const geminiVoice: Voice = {
  api: 'gemini',
  path: '/models/',
  route,
  keepAlive: ': keep-alive\r\n\r\n',
  headers: () => ({ vary: 'Origin, X-Origin, Referer', 'x-content-type-options': 'nosniff' }),
  stream: (events, identity) => new ResponseWords(events, identity).steps(),
  call,
  errorBody: (status, message) => ({ error: errorObject(status, message) }),
}

const PATH = /^(.*?)(?:\/v1(?:beta)?)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/

function route(pathname: string): Route | undefined {
  const [, base = '', model = '', method] = PATH.exec(pathname) ?? []
  if (method === undefined) return undefined
  return { base, model: decodeURIComponent(model), mode: method === 'streamGenerateContent' ? 'stream' : 'call' }
}

class ResponseWords {
  readonly #steps: Step[] = []
  readonly #events: readonly ScriptedEvent[]
  readonly #identity: AnswerIdentity
  #hasCalled = false

  constructor(events: readonly ScriptedEvent[], identity: AnswerIdentity) {
    this.#events = events
    this.#identity = identity
  }

  steps(): Step[] {
    this.#events.forEach((event, index) => {
      this.#steps.push(...waitStep(event))
      const plain = plainStep(event)
      if (plain !== undefined) this.#steps.push(plain)
      else if ('error' in event) this.#steps.push(frame({ error: errorObject(event.error.http, event.error.message) }), { do: 'end' })
      else this.#say(event, index)
    })
    this.#steps.push({ do: 'end' })
    return this.#steps
  }

  #say(event: ScriptedEvent, index: number): void {
    if ('text' in event) this.#part({ text: event.text })
    else if ('reasoning' in event) this.#part({ text: event.reasoning, thought: true })
    else if ('toolCall' in event) this.#call(event.toolCall)
    else if ('providerToolCall' in event) this.#part({ toolCall: toolPart(event.providerToolCall, 'args', event.providerToolCall.arguments) })
    else if ('providerToolResult' in event)
      this.#part({ toolResponse: toolPart(event.providerToolResult, 'response', event.providerToolResult.output) })
    else if ('usage' in event) this.#usage(event.usage, index)
    else if ('final' in event) this.#finish(event.final, index)
  }

  #part(part: object): void {
    this.#steps.push(frame(answer(this.#identity, [part])))
  }

  #call(call: ScriptedToolCall): void {
    this.#part(callPart(call, this.#hasCalled ? null : this.#identity))
    this.#hasCalled = true
  }

  #usage(usage: Usage, index: number): void {
    if (!toldByFinal(this.#events, index)) this.#steps.push(frame({ ...envelope(this.#identity), usageMetadata: usageObject(usage) }))
  }

  #finish(finish: string, index: number): void {
    if (finish === 'tool_calls' && !this.#hasCalled)
      throw new CannotSay('gemini ends tool turns with STOP; script a toolCall before `final: tool_calls`')
    this.#steps.push(frame(answer(this.#identity, [{ text: '' }], FINISH_REASONS[finish] ?? finish, usageOfFinal(this.#events, index))))
  }
}

const FINISH_REASONS: Readonly<Record<string, string>> = { stop: 'STOP', tool_calls: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' }

function frame(value: object): Step {
  return { do: 'write', bytes: `data: ${JSON.stringify(value)}\r\n\r\n` }
}

function envelope(identity: AnswerIdentity): object {
  return { modelVersion: identity.model, responseId: `response-loopback-${identity.n}` }
}

function answer(identity: AnswerIdentity, parts: readonly object[], finishReason?: string, usage?: Usage): object {
  const candidate = {
    content: { ...(parts.length === 0 ? {} : { parts }), role: 'model' },
    ...(finishReason === undefined ? {} : { finishReason }),
    index: 0,
  }
  return { candidates: [candidate], ...(usage === undefined ? {} : { usageMetadata: usageObject(usage) }), ...envelope(identity) }
}

/** Counts that were not scripted are left out: absent is not zero (R34). */
function usageObject(usage: Usage): object {
  return {
    ...(usage.input === undefined ? {} : { promptTokenCount: usage.input }),
    ...(usage.output === undefined ? {} : { candidatesTokenCount: usage.output }),
    ...(usage.input === undefined || usage.output === undefined ? {} : { totalTokenCount: usage.input + usage.output }),
    ...(usage.cachedInput === undefined ? {} : { cachedContentTokenCount: usage.cachedInput }),
  }
}

/** A call; signed by the answer whose first one it is. */
function callPart(call: ScriptedToolCall, signedBy: AnswerIdentity | null): object {
  const functionCall = { ...(call.id == null ? {} : { id: call.id }), name: call.name, args: argumentsObject(call.arguments) }
  return signedBy === null ? { functionCall } : { functionCall, thoughtSignature: `c2lnLWxvb3BiYWNr${signedBy.n}` }
}

/** A tool that the provider runs: its arguments or its result, which the protocol has as an object. */
function toolPart(tool: { readonly id?: string | null | undefined; readonly name?: string | null | undefined }, field: string, text: string): object {
  if (tool.name == null) throw new CannotSay('gemini names the tool of every result; give the providerToolResult a name')
  return { ...(tool.id == null ? {} : { id: tool.id }), toolType: tool.name, [field]: field === 'args' ? argumentsObject(text) : resultObject(text) }
}

function resultObject(output: string): object {
  try {
    return argumentsObject(output === '' ? '""' : output)
  } catch {
    // Plain words are the common case.
  }
  return { output }
}

function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  const { parts, finish } = partsOf(outcome, identity)
  return answer(identity, parts, finish, outcome.usage)
}

function partsOf(outcome: ServedOutcome, identity: AnswerIdentity): { parts: object[]; finish: string } {
  const text = (words: string): object[] => (words === '' ? [] : [{ text: words }])
  if ('refusal' in outcome) return { parts: text(outcome.refusal), finish: 'SAFETY' }
  if ('length' in outcome) return { parts: text(outcome.length), finish: 'MAX_TOKENS' }
  const thought = outcome.reasoning === undefined ? [] : [{ text: outcome.reasoning, thought: true }]
  if ('empty' in outcome) return { parts: thought, finish: 'STOP' }
  const calls = (outcome.toolCalls ?? []).map((one, index) => callPart(one, index === 0 ? identity : null))
  return { parts: [...thought, ...text(outcome.ok), ...calls], finish: 'STOP' }
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
}

/** Without a status the provider says only a message, and its reader knows nothing more. */
function errorObject(status: number | undefined, message: string): object {
  if (status === undefined) return { message }
  return { code: status, message, status: STATUSES[status] ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION') }
}
