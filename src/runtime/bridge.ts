import type { Subscription } from 'rxjs'
import type { AttemptRequest, Engine } from '../engines/contract.ts'
import { redacted, scrubFor, secretsOf } from '../engines/redact.ts'
import { type Failure, failure } from '../model/failure.ts'
import type { Issued, ToolCall } from '../model/message.ts'
import type { Finish, Iteration, PassedFrames, ProviderEvent, StreamFrame } from '../model/provider-event.ts'
import type { Scrub } from '../model/scrub.ts'
import { scrubThrown } from '../model/scrub-thrown.ts'
import type { TurnContent } from '../model/turn-event.ts'
import type { Usage } from '../model/usage.ts'
import { commits } from '../policy/replay.ts'
import type { AttemptEnd } from '../policy/verdict.ts'
import { AnswerText } from './answer-text.ts'
import { type Heard, PassedStream } from './passed-stream.ts'
import { toldIterations, toldUsage, toldUsd } from './told-usage.ts'

/**
 * The bridge between one attempt of an engine and the turn: text goes past the machines to the sinks, boundaries go to the machines.
 *
 * 1. Nothing is forwarded after `close`, whatever the engine still says.
 * 2. The end is told exactly once, also when the engine breaks its contract: what it says makes no sense, or its teardown throws.
 * 3. Only what a reader may see is forwarded, and the first of it is told as the commit before it is (R27).
 * 4. A call forwards nothing; its answer is kept until it is judged.
 * 5. What signs a request is in nothing that is told of it but the content: an engine of a host may fail, throw and name what it likes.
 * 6. A stream that passes through is read as ever, and told as the bytes that say it (passed-stream.ts).
 * 7. Whatever an engine says before `opened` opens the stream all the same: a commit that the chart cannot take would be lost.
 */
export interface BridgeListener {
  readonly eventSink: boolean
  readonly draftSink: boolean
  opened(): void
  /** The replay boundary is crossed now; told once, before the content that crosses it. */
  committed(): void
  content(event: TurnContent): void
  ended(end: Omit<AttemptEnd, 'committed' | 'mode'>, contentAfter: boolean): void
  /** The engine threw when it was let go; whether it reached its socket is unknown. */
  teardownThrew(error: unknown): void
}

export class Bridge {
  /** Reasoning so far. */
  reasoning = ''
  readonly toolCalls: ToolCall[] = []
  /** What the provider wants back unchanged with this answer. */
  readonly issued: Issued['data'] = []
  usage: Usage | null = null
  /** The models that the provider itself tried, when more than one; the last answered. */
  iterations: readonly Iteration[] = []
  /** What a CLI says that this run would cost, in USD. */
  reportedUsd: number | null = null
  /** The answer ended without its terminator. */
  unterminated = false
  readonly #listener: BridgeListener
  readonly #text: AnswerText
  readonly #streaming: boolean
  #opened = false
  #committed = false
  #providerTools = false
  readonly #request: AttemptRequest
  #passed: PassedStream | null = null
  /** The JSON of a whole answer as it came. */
  #json: string | null = null
  /** Characters at the end of the text that were kept back with the end of a passed stream. */
  #unseen = 0
  #subscription: Subscription | null = null
  #closed = false

  constructor(request: AttemptRequest, endMarkers: readonly string[], listener: BridgeListener) {
    this.#request = request
    this.#listener = listener
    this.#text = new AnswerText(endMarkers)
    this.#streaming = request.mode === 'stream'
  }

  /** Asks the engine, unless the attempt was closed before it began. */
  open(engine: Engine, request: AttemptRequest): void {
    if (this.#closed) return
    try {
      const subscription = engine.attempt(request).subscribe({
        next: (event) => this.#hear(event),
        error: (error: unknown) => this.#end(brokenContract(`it raised an error: ${String(error)}`), null, false),
        complete: () => this.#end(brokenContract('it completed without a final or failed event'), null, false),
      })
      this.#subscription = subscription
      if (this.#closed) this.#letGo()
    } catch (error) {
      this.#end(brokenContract(`it threw: ${String(error)}`), null, false)
    }
  }

  /** Ends the attempt from outside: the engine is unsubscribed, which reaches its socket at once (R30). */
  close(): void {
    this.#closed = true
    this.#letGo()
  }

  #letGo(): void {
    const subscription = this.#subscription
    this.#subscription = null
    try {
      subscription?.unsubscribe()
    } catch (error) {
      this.#listener.teardownThrew(scrubThrown(error, this.#scrub))
    }
  }

  /** RxJS would report a throw to nobody, and the attempt would never end. */
  #hear(event: ProviderEvent): void {
    try {
      this.#take(event)
    } catch (error) {
      if (this.#closed) throw error
      this.#end(brokenContract(`what it said is no event: ${String(error)}`), null, false)
    }
  }

  #take(event: ProviderEvent): void {
    if (this.#closed) return
    if (!this.#opened && !isBookkeeping(event)) {
      this.#opened = true
      this.#listener.opened()
    }
    switch (event.type) {
      case 'text':
        return this.#show(this.#text.read(event.text), event)
      case 'reasoning':
        if (event.text === '') return
        this.reasoning += event.text
        return this.#forward(event)
      case 'providerToolCall':
      case 'providerToolResult':
        this.#providerTools = true
        return this.#forward(event)
      case 'frames':
        return this.#pass(event)
      case 'final':
        this.unterminated = !event.terminated
        this.#showRest(this.#text.rest())
        return this.#end(null, this.#finishOf(event.finish), event.contentAfter ?? false)
      case 'failed':
        return this.#end(event.failure, null, false)
      default:
        return this.#note(event)
    }
  }

  /** What is no output and does not end the attempt. */
  #note(event: ProviderEvent): void {
    switch (event.type) {
      case 'toolCall':
        this.toolCalls.push({ id: event.id, name: event.name, arguments: event.arguments })
        return
      case 'usage':
        this.usage = toldUsage(event)
        return
      case 'iterations':
        this.iterations = toldIterations(event.iterations).map((each) => ({ ...each, model: this.#scrub.text(each.model) }))
        return
      case 'reportedCost':
        this.reportedUsd = toldUsd(event.usd)
        return
      case 'issued':
        this.issued.push(event.data)
        return
      case 'body':
        this.#json = event.json
        return
    }
  }

  /** Events with their bytes: what they say is kept as ever, and they are shown in place of it. */
  #pass(group: PassedFrames): void {
    const passed = this.#passedStream()
    if (group.frames.length === 0 && !group.ending && passed.isClear) return passed.skimmed(group.bytes)
    const heard: Heard = { group, texts: [], shown: [] }
    let output: ProviderEvent['type'] | null = null
    for (const event of group.events) if (this.#read(event, heard)) output = event.type
    // The end of a stream is told when it is whole, so nothing in it crosses the boundary before.
    if (output !== null && !group.ending) this.#commit(output)
    if (this.#closed) return
    passed.take(heard, this.#text.isHolding)
    const { skim } = this.#request
    if (skim !== undefined) skim.stopsAt = this.#committed && passed.isClear ? this.#text.stopsAt : null
  }

  /** Whether the event of a passed stream is output. */
  #read(event: ProviderEvent, { group, texts, shown }: Heard): boolean {
    switch (event.type) {
      case 'text': {
        const visible = this.#text.read(event.text)
        texts.push(event.text)
        shown.push(visible)
        this.#text.keep(visible)
        if (group.ending) this.#unseen += visible.length
        return visible !== ''
      }
      case 'reasoning':
        this.reasoning += event.text
        return event.text !== ''
      case 'providerToolCall':
      case 'providerToolResult':
        this.#providerTools = true
        return true
      default:
        this.#note(event)
        return false
    }
  }

  #passedStream(): PassedStream {
    if (this.#passed !== null) return this.#passed
    if (this.#request.passThrough === undefined || !this.#streaming || !this.#listener.eventSink) throw new Error('frames that nobody asked for')
    this.#passed = new PassedStream({
      isOpen: () => this.#committed && !this.#closed,
      commit: () => this.#cross(),
      tell: (bytes) => this.#listener.content({ type: 'bytes', bytes }),
      whole: this.#text.whole,
      isAltered: () => this.#text.isAltered,
    })
    return this.#passed
  }

  #showRest(rest: string): void {
    const passed = this.#passed
    if (passed === null) return this.#show(rest)
    this.#unseen = 0
    this.#text.keep(rest)
    if (this.text !== '') this.#commit('text')
    passed.finish(rest)
  }

  /** What closes a passed stream that served: the bytes that are still held, and its end. Null for one that was told in our own words. */
  get passed(): { readonly held: readonly Uint8Array[]; readonly ending: readonly StreamFrame[] } | null {
    return this.#passed === null ? null : { held: this.#passed.held, ending: this.#passed.endingFrames() }
  }

  /** The provider's JSON, where it passes through and nothing of its text had to be taken out. */
  get body(): string | null {
    return this.#text.isAltered ? null : this.#json
  }

  /** Visible text so far, forwarded or kept; of a passed stream what was read of it. */
  get text(): string {
    return this.#text.visible
  }

  /** Visible text that the event sink was handed: all of it, since it is kept only once the way to that sink is clear. */
  get forwarded(): string {
    if (!this.#streaming || !this.#listener.eventSink) return ''
    return this.#unseen === 0 ? this.text : this.text.slice(0, -this.#unseen)
  }

  /** `event` is the engine's own, passed on as it is where nothing had to be taken out of it: most events are text. */
  #show(visible: string, event?: Extract<ProviderEvent, { type: 'text' }>): void {
    if (visible === '') return
    if (this.#streaming && this.#listener.eventSink) {
      this.#commit('text')
      if (this.#closed) return
      this.#text.keep(visible)
      this.#listener.content(event?.text === visible ? event : { type: 'text', text: visible })
    } else this.#text.keep(visible)
    if (this.#streaming && this.#listener.draftSink && !this.#closed) this.#listener.content({ type: 'draft', text: this.text })
  }

  #forward(event: Extract<ProviderEvent, { type: 'reasoning' | 'providerToolCall' | 'providerToolResult' }>): void {
    if (!this.#streaming || !this.#listener.eventSink) return
    this.#commit(event.type)
    if (!this.#closed) this.#listener.content(event)
  }

  /** Words that are not of our vocabulary are the provider's, and go where charts are looked at. */
  #finishOf(finish: Finish): Finish {
    return finish === null || OUR_FINISHES.has(finish) ? finish : (this.#scrub.data(finish) as Finish)
  }

  get #scrub(): Scrub {
    return scrubFor(secretsOf(this.#request))
  }

  #commit(type: ProviderEvent['type']): void {
    if (!this.#committed && commits(type, this.#listener.eventSink)) this.#cross()
  }

  #cross(): void {
    if (this.#committed || this.#closed) return
    this.#committed = true
    this.#listener.committed()
    this.#passed?.release()
  }

  #end(failed: Failure | null, finish: AttemptEnd['finish'], contentAfter: boolean): void {
    if (this.#closed) return
    // Looked through while the attempt can still end otherwise: what a host calls a failure may be none.
    const clean = failed === null ? null : redacted(failed, secretsOf(this.#request))
    this.close()
    const answered = this.#text.answers || this.toolCalls.length > 0
    this.#listener.ended({ failure: clean, finish, answered, providerTools: this.#providerTools }, contentAfter)
  }
}

const OUR_FINISHES: ReadonlySet<Finish> = new Set(['stop', 'tool_calls', 'length', 'content_filter'])

/** Counts and ends open nothing: they may come with a request that was refused. */
function isBookkeeping({ type }: ProviderEvent): boolean {
  return type === 'failed' || type === 'usage' || type === 'iterations' || type === 'reportedCost'
}

function brokenContract(what: string): Failure {
  return failure('unknown', 'call', `the engine broke its contract: ${what}`)
}
