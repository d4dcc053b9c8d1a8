import type { Usage } from '../../model/usage.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import {
  type AnswerIdentity,
  type Asked,
  CannotSay,
  pieces,
  plainStep,
  type ServedOutcome,
  type Step,
  toldByFinal,
  usageOfFinal,
  type Voice,
  waitStep,
} from './voice.ts'

/**
 * The voice of `openai-chat` (wire.md §1): SSE without event names, finish_reason in a chunk of its own, usage in a chunk with empty
 * choices and only when asked for, `[DONE]` last. Reasoning is `reasoning_content`, as compatible servers send it.
 */
export const openaiChatVoice: Voice = {
  api: 'openai-chat',
  path: '/v1/chat/completions',
  keepAlive: ': keep-alive\n\n',
  headers: (identity) => ({ 'x-request-id': `req_loopback_${identity.n}`, 'openai-version': '2020-10-01' }),
  stream: (events, identity, asked) => new ChatWords(events, identity, asked).steps(),
  call,
  errorBody: (status, message) => ({ error: errorObject(status, message) }),
}

class ChatWords {
  readonly #steps: Step[] = []
  readonly #events: readonly ScriptedEvent[]
  readonly #identity: AnswerIdentity
  readonly #asked: Asked
  #opened = false
  #toolIndex = 0

  constructor(events: readonly ScriptedEvent[], identity: AnswerIdentity, asked: Asked) {
    this.#events = events
    this.#identity = identity
    this.#asked = asked
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
    if (!this.#opened) this.#chunk({ role: 'assistant', content: '', refusal: null })
    this.#opened = true
    if ('text' in event) this.#chunk({ content: event.text })
    else if ('reasoning' in event) this.#chunk({ reasoning_content: event.reasoning })
    else if ('toolCall' in event) this.#tool(event.toolCall)
    else if ('usage' in event) this.#usage(toldByFinal(this.#events, index) ? undefined : event.usage)
    else if ('final' in event) this.#finish(event.final, index)
    else
      throw new CannotSay('openai-chat has no tools that run at the provider; script providerToolCall and providerToolResult on anthropic-messages')
  }

  #chunk(delta: object, finish: string | null = null): void {
    this.#steps.push(frame(chunk(this.#identity, this.#asked, delta, finish)))
  }

  #tool(call: ScriptedToolCall): void {
    for (const delta of toolDeltas(call, this.#toolIndex)) this.#chunk({ tool_calls: [delta] })
    this.#toolIndex++
  }

  #usage(usage: Usage | undefined): void {
    if (this.#asked.usage && usage !== undefined) this.#steps.push(frame(usageChunk(this.#identity, usage)))
  }

  #finish(finish: string, index: number): void {
    this.#chunk({}, finish)
    this.#usage(usageOfFinal(this.#events, index))
    this.#steps.push({ do: 'write', bytes: 'data: [DONE]\n\n' })
  }
}

function frame(value: object): Step {
  return { do: 'write', bytes: `data: ${JSON.stringify(value)}\n\n` }
}

function envelope(identity: AnswerIdentity, object: string): Record<string, unknown> {
  return { id: `chatcmpl-loopback-${identity.n}`, object, created: identity.created, model: identity.model, system_fingerprint: 'fp_loopback' }
}

function chunk(identity: AnswerIdentity, asked: Asked, delta: object, finish: string | null): object {
  const body = { ...envelope(identity, 'chat.completion.chunk'), choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] }
  return asked.usage ? { ...body, usage: null } : body
}

function usageChunk(identity: AnswerIdentity, usage: Usage): object {
  return { ...envelope(identity, 'chat.completion.chunk'), choices: [], usage: usageObject(usage) }
}

/** Counts that were not scripted are left out: absent is not zero (R34). */
function usageObject(usage: Usage): object {
  return {
    ...(usage.input === undefined ? {} : { prompt_tokens: usage.input }),
    ...(usage.output === undefined ? {} : { completion_tokens: usage.output }),
    ...(usage.input === undefined || usage.output === undefined ? {} : { total_tokens: usage.input + usage.output }),
    ...(usage.cachedInput === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cachedInput, audio_tokens: 0 } }),
  }
}

/** The first piece brings id, type and name; the later ones only fragments of the arguments. */
function toolDeltas(call: ScriptedToolCall, index: number): object[] {
  const id = call.id ?? undefined
  const first = { index, ...(id === undefined ? {} : { id }), type: 'function', function: { name: call.name, arguments: '' } }
  return [first, ...pieces(call.arguments).map((part) => ({ index, function: { arguments: part } }))]
}

function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  const { message, finish } = messageOf(outcome)
  const body = {
    ...envelope(identity, 'chat.completion'),
    choices: [{ index: 0, message: { role: 'assistant', ...message }, logprobs: null, finish_reason: finish }],
  }
  return outcome.usage === undefined ? body : { ...body, usage: usageObject(outcome.usage) }
}

function messageOf(outcome: ServedOutcome): { message: object; finish: string } {
  if ('refusal' in outcome) return { message: { content: null, refusal: outcome.refusal }, finish: 'stop' }
  if ('length' in outcome) return { message: { content: outcome.length, refusal: null }, finish: 'length' }
  const reasoning = outcome.reasoning === undefined ? {} : { reasoning_content: outcome.reasoning }
  if ('empty' in outcome) return { message: { content: '', refusal: null, ...reasoning }, finish: 'stop' }
  const calls = outcome.toolCalls ?? []
  if (calls.length === 0) return { message: { content: outcome.ok, refusal: null, ...reasoning }, finish: 'stop' }
  const toolCalls = calls.map((one) => ({
    ...(one.id == null ? {} : { id: one.id }),
    type: 'function',
    function: { name: one.name, arguments: one.arguments },
  }))
  return { message: { content: outcome.ok === '' ? null : outcome.ok, refusal: null, ...reasoning, tool_calls: toolCalls }, finish: 'tool_calls' }
}

const ERROR_TYPES: Readonly<Record<number, { type: string; code: string | null }>> = {
  400: { type: 'invalid_request_error', code: null },
  401: { type: 'invalid_request_error', code: 'invalid_api_key' },
  403: { type: 'permission_error', code: null },
  404: { type: 'invalid_request_error', code: 'model_not_found' },
  429: { type: 'requests', code: 'rate_limit_exceeded' },
  529: { type: 'server_error', code: 'engine_overloaded' },
}

/** Without a status the provider says only a message, and its reader knows nothing more. */
function errorObject(status: number | undefined, message: string): object {
  if (status === undefined) return { message, type: null, param: null, code: null }
  const known = ERROR_TYPES[status] ?? (status >= 500 ? { type: 'server_error', code: null } : { type: 'invalid_request_error', code: null })
  return { message, type: known.type, param: null, code: known.code }
}
