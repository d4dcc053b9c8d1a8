import type { Usage } from '../../model/usage.ts'
import { binaryFrame } from './binary-frame.ts'
import type { ScriptedEvent, ScriptedToolCall } from './script.ts'
import {
  type AnswerIdentity,
  argumentsObject,
  CannotSay,
  pieces,
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
 * The voice of `bedrock-converse` (wire.md §9): binary frames named by a header, content in numbered blocks, `messageStop` and then
 * `metadata`, which has the usage.
 *
 * 1. A block stays open while events of its kind follow; every other event closes it first.
 * 2. Text blocks have no start, as on the real wire; tools and results have one.
 * 3. Model and mode stand in the path.
 */
export const bedrockConverseVoice: Voice = {
  api: 'bedrock-converse',
  path: '/converse',
  route,
  streamType: 'application/vnd.amazon.eventstream',
  // The first event of other services; a reader that does not know one passes over it.
  keepAlive: event('initial-response', {}),
  headers: (identity) => ({ 'x-amzn-requestid': `req-loopback-${identity.n}` }),
  stream: (events, identity) => new ConverseWords(events, identity).steps(),
  call,
  errorBody: (_status, message) => ({ message }),
}

/** The `/v1` that an endpoint of this server may end in is none of the protocol's. */
function route(pathname: string): Route | undefined {
  const parts = /^(.*?)(?:\/v1)?\/model\/([^/]+)\/converse(-stream)?$/.exec(pathname)
  if (parts === null) return undefined
  return { base: parts[1] ?? '', model: decodeURIComponent(parts[2] ?? ''), mode: parts[3] === undefined ? 'call' : 'stream' }
}

type BlockKind = 'text' | 'reasoningContent'

class ConverseWords {
  readonly #steps: Step[] = []
  readonly #events: readonly ScriptedEvent[]
  readonly #identity: AnswerIdentity
  #started = false
  #index = 0
  #open: BlockKind | null = null
  #minted = 0
  #lastProviderToolId: string | null = null

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

  #say(scripted: ScriptedEvent, index: number): void {
    if ('error' in scripted) {
      this.#steps.push({ do: 'write', bytes: exception(scripted.error.http, scripted.error.message) }, { do: 'end' })
      return
    }
    if (!this.#started) this.#frame('messageStart', { role: 'assistant' })
    this.#started = true
    if ('text' in scripted) this.#delta('text', { text: scripted.text })
    else if ('reasoning' in scripted) this.#delta('reasoningContent', { reasoningContent: { text: scripted.reasoning } })
    else if ('toolCall' in scripted) this.#tool(scripted.toolCall, scripted.toolCall.id ?? this.#mint(), {})
    else if ('providerToolCall' in scripted) this.#providerCall(scripted.providerToolCall)
    else if ('providerToolResult' in scripted) this.#providerResult(scripted.providerToolResult)
    else if ('usage' in scripted) this.#usage(scripted.usage, index)
    else if ('final' in scripted) this.#finish(scripted.final, index)
  }

  #frame(name: string, payload: object): void {
    this.#steps.push({ do: 'write', bytes: event(name, payload) })
  }

  #delta(kind: BlockKind, delta: object): void {
    if (this.#open !== kind) this.#close()
    this.#open = kind
    this.#frame('contentBlockDelta', { contentBlockIndex: this.#index, delta })
  }

  #close(): void {
    if (this.#open === null) return
    if (this.#open === 'reasoningContent') {
      const signature = `sig-loopback-${this.#identity.n}-${this.#index}`
      this.#frame('contentBlockDelta', { contentBlockIndex: this.#index, delta: { reasoningContent: { signature } } })
    }
    this.#stop()
    this.#open = null
  }

  #stop(): void {
    this.#frame('contentBlockStop', { contentBlockIndex: this.#index })
    this.#index++
  }

  #tool(tool: { readonly name: string; readonly arguments: string }, toolUseId: string, type: object): void {
    this.#close()
    this.#frame('contentBlockStart', { contentBlockIndex: this.#index, start: { toolUse: { toolUseId, name: tool.name, ...type } } })
    for (const input of pieces(tool.arguments)) this.#frame('contentBlockDelta', { contentBlockIndex: this.#index, delta: { toolUse: { input } } })
    this.#stop()
  }

  #providerCall(tool: { readonly id?: string | null | undefined; readonly name: string; readonly arguments: string }): void {
    this.#lastProviderToolId = tool.id ?? this.#mint()
    this.#tool(tool, this.#lastProviderToolId, { type: 'server_tool_use' })
  }

  #providerResult(result: { readonly id?: string | null | undefined; readonly output: string }): void {
    const toolUseId = result.id ?? this.#lastProviderToolId
    if (toolUseId === null) throw new CannotSay('a providerToolResult needs a providerToolCall before it, or its own id')
    this.#close()
    this.#frame('contentBlockStart', { contentBlockIndex: this.#index, start: { toolResult: { toolUseId, status: 'success' } } })
    this.#frame('contentBlockDelta', { contentBlockIndex: this.#index, delta: { toolResult: [{ text: result.output }] } })
    this.#stop()
  }

  #usage(usage: Usage, index: number): void {
    if (!toldByFinal(this.#events, index)) this.#frame('metadata', metadata(usage))
  }

  #finish(finish: string, index: number): void {
    this.#close()
    this.#frame('messageStop', { stopReason: STOP_REASONS[finish] ?? finish })
    this.#frame('metadata', metadata(usageOfFinal(this.#events, index)))
  }

  #mint(): string {
    this.#minted++
    return `tooluse_loopback_${this.#identity.n}_${this.#minted}`
  }
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'content_filtered',
}

/** The real payloads are padded, so that their length says little about their text. */
function event(name: string, payload: object): Uint8Array {
  const headers = { ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }
  return binaryFrame(headers, { ...payload, p: 'abcdefghijklmnopqrstuvwxyzABCDEF'.slice(0, name.length) })
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'validationException',
  401: 'unrecognizedClientException',
  403: 'accessDeniedException',
  404: 'resourceNotFoundException',
  408: 'modelTimeoutException',
  424: 'modelStreamErrorException',
  429: 'throttlingException',
  503: 'serviceUnavailableException',
}

/** What the service declares is an exception with a type; the rest is an error with a code, as of a load balancer in front of it. */
function exception(status: number | undefined, message: string): Uint8Array {
  const type =
    status === undefined || status === 529 ? undefined : (EXCEPTIONS[status] ?? (status >= 500 ? 'internalServerException' : 'validationException'))
  if (type !== undefined)
    return binaryFrame({ ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' }, { message })
  const code = status === undefined ? 'Unknown' : 'Overloaded'
  return binaryFrame({ ':message-type': 'error', ':error-code': code, ':error-message': message }, { message })
}

/** Counts that were not scripted are left out: absent is not zero (R34). `inputTokens` leaves cached ones out, ours counts them. */
function metadata(usage: Usage | undefined): object {
  return { ...(usage === undefined ? {} : { usage: usageObject(usage) }), metrics: { latencyMs: 5 } }
}

function usageObject({ input, output, cachedInput }: Usage): object {
  return {
    ...(input === undefined ? {} : { inputTokens: input - (cachedInput ?? 0) }),
    ...(output === undefined ? {} : { outputTokens: output }),
    ...(input === undefined || output === undefined ? {} : { totalTokens: input + output }),
    ...(cachedInput === undefined ? {} : { cacheReadInputTokens: cachedInput, cacheWriteInputTokens: 0 }),
  }
}

function call(outcome: ServedOutcome, identity: AnswerIdentity): unknown {
  const { content, stopReason } = contentOf(outcome, identity)
  const body = { output: { message: { role: 'assistant', content } }, stopReason, metrics: { latencyMs: 5 } }
  return outcome.usage === undefined ? body : { ...body, usage: usageObject(outcome.usage) }
}

function contentOf(outcome: ServedOutcome, identity: AnswerIdentity): { content: object[]; stopReason: string } {
  const text = (words: string): object[] => (words === '' ? [] : [{ text: words }])
  if ('refusal' in outcome) return { content: text(outcome.refusal), stopReason: 'content_filtered' }
  if ('length' in outcome) return { content: text(outcome.length), stopReason: 'max_tokens' }
  const signature = `sig-loopback-${identity.n}`
  const thinking = outcome.reasoning === undefined ? [] : [{ reasoningContent: { reasoningText: { text: outcome.reasoning, signature } } }]
  if ('empty' in outcome) return { content: thinking, stopReason: 'end_turn' }
  const tools = (outcome.toolCalls ?? []).map((tool, index) => toolBlock(tool, `tooluse_loopback_${identity.n}_${index + 1}`))
  return { content: [...thinking, ...text(outcome.ok), ...tools], stopReason: tools.length > 0 ? 'tool_use' : 'end_turn' }
}

function toolBlock(tool: ScriptedToolCall, minted: string): object {
  return { toolUse: { toolUseId: tool.id ?? minted, name: tool.name, input: argumentsObject(tool.arguments) } }
}
