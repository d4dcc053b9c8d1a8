import type { Iteration } from '../../model/provider-event.ts'
import type { Usage } from '../../model/usage.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import {
  type AnswerIdentity,
  argumentsObject,
  CannotSay,
  pieces,
  plainStep,
  type ServedOutcome,
  type Step,
  toldByFinal,
  type Voice,
  waitStep,
} from './voice.ts'

/**
 * The voice of `anthropic-messages` (wire.md §3): named SSE events, content in numbered blocks that open and close, stop_reason in
 * `message_delta`, `message_stop` last.
 *
 * 1. A block stays open while events of its kind follow; every other event closes it first.
 * 2. `message_start` tells input counts only when the script reaches a usage event, so a script without usage has none on the wire.
 */
export const anthropicMessagesVoice: Voice = {
  api: 'anthropic-messages',
  path: '/v1/messages',
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
  headers: (identity) => ({ 'request-id': `req_loopback_${identity.n}` }),
  tellsIterations: true,
  stream: (events, identity) => new StreamWords(events, identity).steps(),
  call,
  errorBody: (status, message, identity) => ({
    type: 'error',
    error: { type: errorType(status), message },
    request_id: `req_loopback_${identity.n}`,
  }),
}

type BlockKind = 'text' | 'thinking'

class StreamWords {
  readonly #steps: Step[] = []
  readonly #events: readonly ScriptedEvent[]
  readonly #identity: AnswerIdentity
  #started = false
  #index = -1
  #open: BlockKind | null = null
  #minted = 0
  #lastProviderTool: { id: string; name: string } | null = null

  constructor(events: readonly ScriptedEvent[], identity: AnswerIdentity) {
    this.#events = events
    this.#identity = identity
  }

  steps(): Step[] {
    this.#events.forEach((event, index) => {
      this.#steps.push(...waitStep(event))
      const plain = plainStep(event)
      if (plain !== undefined) this.#steps.push(plain)
      else this.#say(event, index)
    })
    this.#steps.push({ do: 'end' })
    return this.#steps
  }

  #say(event: ScriptedEvent, index: number): void {
    if ('error' in event) {
      this.#frame('error', { type: 'error', error: { type: errorType(event.error.http), message: event.error.message } })
      this.#steps.push({ do: 'end' })
      return
    }
    this.#start()
    if ('text' in event) this.#block('text', { type: 'text', text: '' }, { type: 'text_delta', text: event.text })
    else if ('reasoning' in event)
      this.#block('thinking', { type: 'thinking', thinking: '', signature: '' }, { type: 'thinking_delta', thinking: event.reasoning })
    else if ('toolCall' in event) this.#tool('tool_use', event.toolCall.id ?? this.#mint('toolu'), event.toolCall)
    else if ('providerToolCall' in event) this.#providerCall(event.providerToolCall)
    else if ('providerToolResult' in event) this.#providerResult(event.providerToolResult)
    else if ('usage' in event) this.#usage(event, index)
    else if ('final' in event) this.#finish(event.final, index)
  }

  #frame(name: string, data: object): void {
    this.#steps.push({ do: 'write', bytes: `event: ${name}\ndata: ${JSON.stringify(data)}\n\n` })
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    const usage = startUsage(this.#events)
    this.#frame('message_start', { type: 'message_start', message: { ...message(this.#identity, [], null), ...(usage === null ? {} : { usage }) } })
  }

  #openBlock(block: object): void {
    this.#close()
    this.#index++
    this.#frame('content_block_start', { type: 'content_block_start', index: this.#index, content_block: block })
  }

  #delta(delta: object): void {
    this.#frame('content_block_delta', { type: 'content_block_delta', index: this.#index, delta })
  }

  #stopBlock(): void {
    this.#frame('content_block_stop', { type: 'content_block_stop', index: this.#index })
  }

  #block(kind: BlockKind, start: object, delta: object): void {
    if (this.#open !== kind) this.#openBlock(start)
    this.#open = kind
    this.#delta(delta)
  }

  #close(): void {
    if (this.#open === null) return
    if (this.#open === 'thinking') this.#delta({ type: 'signature_delta', signature: `sig-loopback-${this.#identity.n}-${this.#index}` })
    this.#stopBlock()
    this.#open = null
  }

  #tool(type: string, id: string, tool: { readonly name: string; readonly arguments: string }): void {
    this.#openBlock({ type, id, name: tool.name, input: {} })
    this.#delta({ type: 'input_json_delta', partial_json: '' })
    for (const part of pieces(tool.arguments)) this.#delta({ type: 'input_json_delta', partial_json: part })
    this.#stopBlock()
  }

  #providerCall(tool: { readonly id?: string | null | undefined; readonly name: string; readonly arguments: string }): void {
    const id = tool.id ?? this.#mint('srvtoolu')
    this.#lastProviderTool = { id, name: tool.name }
    this.#tool('server_tool_use', id, tool)
  }

  #providerResult(result: { readonly id?: string | null | undefined; readonly name?: string | null | undefined; readonly output: string }): void {
    const name = result.name ?? this.#lastProviderTool?.name
    const id = result.id ?? this.#lastProviderTool?.id
    if (name === undefined || id === undefined) throw new CannotSay('a providerToolResult needs a providerToolCall before it, or its own id and name')
    this.#openBlock({ type: `${name}_tool_result`, tool_use_id: id, content: resultContent(result.output) })
    this.#stopBlock()
  }

  #usage(spent: Spent, index: number): void {
    if (toldByFinal(this.#events, index)) return
    const usage = usageWith(spent, this.#identity)
    this.#frame('message_delta', { type: 'message_delta', delta: { stop_reason: null, stop_sequence: null }, usage })
  }

  #finish(finish: string, index: number): void {
    this.#close()
    const told = this.#events[index - 1]
    this.#frame('message_delta', {
      type: 'message_delta',
      delta: { stop_reason: STOP_REASONS[finish] ?? finish, stop_sequence: null, ...stopDetails(finish) },
      ...(told === undefined || !('usage' in told) ? {} : { usage: usageWith(told, this.#identity) }),
    })
    this.#frame('message_stop', { type: 'message_stop' })
  }

  #mint(prefix: string): string {
    this.#minted++
    return `${prefix}_loopback_${this.#identity.n}_${this.#minted}`
  }
}

const STOP_REASONS: Readonly<Record<string, string>> = { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens', content_filter: 'refusal' }

function stopDetails(finish: string): object {
  return finish === 'content_filter' ? { stop_details: { type: 'refusal', category: null, explanation: 'scripted' } } : {}
}

function message(identity: AnswerIdentity, content: readonly object[], stopReason: string | null): Record<string, unknown> {
  return {
    id: `msg_loopback_${identity.n}`,
    type: 'message',
    role: 'assistant',
    model: identity.model,
    content,
    stop_reason: stopReason,
    stop_sequence: null,
  }
}

/** The provider's `input_tokens` leaves cached ones out, ours counts them; counts that were not scripted are left out (R34). */
function usageObject(usage: Usage): object {
  const cached = usage.cachedInput
  return {
    ...(usage.input === undefined ? {} : { input_tokens: usage.input - (cached ?? 0) }),
    ...(cached === undefined ? {} : { cache_creation_input_tokens: 0, cache_read_input_tokens: cached }),
    ...(usage.output === undefined ? {} : { output_tokens: usage.output }),
  }
}

interface Spent {
  readonly usage: Usage
  readonly iterations?: readonly Iteration[] | undefined
}

/** The counts of the answer, and those of every model that was tried for it. */
function usageWith({ usage, iterations }: Spent, { model }: AnswerIdentity): object {
  if (iterations === undefined) return usageObject(usage)
  const last = iterations.length - 1
  const entries = iterations.map((each, index) => ({
    type: index === last && each.model !== model ? 'fallback_message' : 'message',
    model: each.model,
    ...usageObject(each.usage),
  }))
  return { ...usageObject(usage), iterations: entries }
}

function startUsage(events: readonly ScriptedEvent[]): object | null {
  for (const event of events) {
    if ('usage' in event)
      return usageObject(event.usage.output === undefined ? event.usage : { ...event.usage, output: Math.min(1, event.usage.output) })
    if (plainStep(event) !== undefined || 'error' in event) return null
  }
  return null
}

/** Output that is a JSON object or array stays so; any other is plain words, as tools of an MCP server may answer. */
function resultContent(output: string): unknown {
  try {
    const value: unknown = JSON.parse(output)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Plain words are the common case.
  }
  return output
}

function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  const { content, stop } = contentOf(outcome, identity)
  const details = stop === 'refusal' ? stopDetails('content_filter') : {}
  const body = { ...message(identity, content, stop), ...details }
  const { usage, iterations } = outcome
  return usage === undefined ? body : { ...body, usage: usageWith({ usage, iterations }, identity) }
}

function contentOf(outcome: ServedOutcome, identity: AnswerIdentity): { content: object[]; stop: string } {
  const text = (words: string): object[] => (words === '' ? [] : [{ type: 'text', text: words }])
  if ('refusal' in outcome) return { content: text(outcome.refusal), stop: 'refusal' }
  if ('length' in outcome) return { content: text(outcome.length), stop: 'max_tokens' }
  const thinking = outcome.reasoning === undefined ? [] : [{ type: 'thinking', thinking: outcome.reasoning, signature: `sig-loopback-${identity.n}` }]
  if ('empty' in outcome) return { content: thinking, stop: 'end_turn' }
  const tools = (outcome.toolCalls ?? []).map((tool, index) => toolBlock(tool, `toolu_loopback_${identity.n}_${index + 1}`))
  return { content: [...thinking, ...text(outcome.ok), ...tools], stop: tools.length > 0 ? 'tool_use' : 'end_turn' }
}

function toolBlock(tool: ScriptedToolCall, minted: string): object {
  return { type: 'tool_use', id: tool.id ?? minted, name: tool.name, input: argumentsObject(tool.arguments) }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

/** Without a status the type says nothing, so that its reader must not guess. */
function errorType(status: number | undefined): string {
  if (status === undefined) return 'error'
  return ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}
