import type { IncomingMessage, ServerResponse } from 'node:http'
import { ConfigError, type Identity, type Kernel, type Outcome, type Turn, type TurnEvent } from '../../index.ts'
import { type Aim, fieldOfTarget } from './aim.ts'
import type { Answer, ClientRequest, Content, Dialect, StreamVoice } from './dialect.ts'
import { Outbox } from './outbox.ts'
import { BadRequest, type Problem, type ProblemEntry, problemOf, problemOfOutcome, wordsOf } from './problem.ts'
import { relevoHeaders, summaryOf } from './relevo-headers.ts'
import { WHOLE_HEADERS } from './respond.ts'

/**
 * One request of a client, answered by one turn.
 *
 * 1. Nothing is sent before there is content: an attempt that fails before may still become an answer of another entry, or an honest status.
 * 2. What was sent is never taken back. A turn that breaks off behind it says so in the way of the protocol, and its terminator is not sent.
 * 3. A client that is gone cancels its turn in the same task; nobody is asked again for it (R30).
 * 4. A deadline of the client or of the settings cancels the turn, too; it is told as a timeout.
 * 5. What cannot be put into the words of the protocol is a fault of ours: its client is told so, and neither waits nor takes the rest for whole.
 */
export interface ExchangeContext {
  readonly kernel: Kernel
  readonly dialect: Dialect
  /** As it was parsed. */
  readonly body: Readonly<Record<string, unknown>>
  /** What is asked of the kernel for a model's name as clients write it. Throws BadRequest. */
  readonly aim: (request: ClientRequest) => Aim
  /** Whose key it came with; null where none is asked for. */
  readonly caller: string | null
  /** Headers of the client that an entry of its own protocol is sent. */
  readonly headers: Readonly<Record<string, string>>
  /** 0: none. */
  readonly firstByteMs: number
  /** Of the whole call, as the client asks for it; 0: none. */
  readonly timeoutMs: number
  /** Told once, when the exchange is over. */
  readonly onOver: (over: Over) => void
}

export interface Over {
  readonly status: number
  readonly outcome: Outcome | null
  readonly startedAt: number
  /** Null where nothing was sent. */
  readonly firstByteAt: number | null
}

/** An exchange under way. */
export interface Running {
  /** Ends its turn; the client is told in the way of its protocol. Without effect on one that is over. */
  cancel(): void
}

/** Starts to answer. Throws BadRequest where no turn can be made of what was asked; nothing is sent then. */
export function startExchange(context: ExchangeContext, request: IncomingMessage, response: ServerResponse): Running {
  const exchange = new Exchange(context, context.dialect.read(context.body), response)
  exchange.begin(request)
  return exchange
}

class Exchange implements Running {
  readonly #context: ExchangeContext
  readonly #request: ClientRequest
  readonly #response: ServerResponse
  readonly #outbox: Outbox
  readonly #startedAt = Date.now()
  #firstByteTimer: NodeJS.Timeout | undefined
  #wholeTimer: NodeJS.Timeout | undefined
  readonly #aim: Aim
  #turn: Turn | null = null
  #voice: StreamVoice | null = null
  #requested: Identity | null = null
  #answering: Identity | null = null
  #attempts = 0
  /** An answer as its provider wrote it. */
  #raw: string | undefined
  #firstByteAt: number | null = null
  #expired: string | null = null
  #isUnsaid = false
  #over = false

  constructor(context: ExchangeContext, request: ClientRequest, response: ServerResponse) {
    this.#context = context
    this.#request = request
    this.#response = response
    this.#outbox = new Outbox(response)
    this.#aim = context.aim(request)
  }

  begin(incoming: IncomingMessage): void {
    const { kernel, dialect, body, caller, headers, firstByteMs, timeoutMs } = this.#context
    const { messages, tools, options, stream, passed } = this.#request
    const written = passed ?? body
    try {
      this.#turn = kernel.turn({
        messages,
        stream,
        sinks: { event: (event) => this.#take(event), flow: this.#outbox },
        passThrough: { api: dialect.api, body: 'models' in written ? withoutModels(written) : written, headers },
        ...this.#aim,
        ...(tools.length === 0 ? {} : { tools }),
        ...(Object.keys(options).length === 0 ? {} : { options }),
        ...(caller === null ? {} : { caller }),
      })
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      throw badRequestOf(error, this.#request)
    }
    this.#response.on('close', () => this.#left())
    incoming.on('error', () => this.#left())
    this.#firstByteTimer = this.#expireIn(firstByteMs, `No answer began within ${firstByteMs} ms.`)
    this.#wholeTimer = this.#expireIn(timeoutMs, `The answer was not whole within ${timeoutMs} ms.`)
  }

  cancel(): void {
    this.#turn?.cancel()
  }

  #expireIn(ms: number, message: string): NodeJS.Timeout | undefined {
    if (ms <= 0) return undefined
    return setTimeout(() => {
      this.#expired = message
      this.#turn?.cancel()
    }, ms)
  }

  #take(event: TurnEvent): void {
    switch (event.type) {
      case 'turn.started':
        this.#requested = event.requested
        return
      case 'attempt.started':
        this.#answering = { profile: event.profile, model: event.model }
        this.#attempts = event.n
        return
      case 'turn.ended':
        return this.#end(event.outcome)
      case 'text':
      case 'reasoning':
      case 'bytes':
      case 'ending':
      case 'toolCall':
      case 'providerToolCall':
      case 'providerToolResult':
      case 'notice':
        return this.#say(event)
      case 'answer':
        this.#raw = event.body
        return this.#say(event)
      default:
        return
    }
  }

  #say(event: Content): void {
    // A notice alone is no content: an answer stands behind it, or none.
    if (!this.#request.stream || this.#over || event.type === 'notice') return
    try {
      this.#outbox.write(this.#opened().content(event))
    } catch (error) {
      this.#isUnsaid = true
      this.#turn?.cancel()
      throw error
    }
  }

  /** The voice of the stream; its head goes out with its first word. */
  #opened(): StreamVoice {
    if (this.#voice !== null) return this.#voice
    this.#firstByteAt = Date.now()
    clearTimeout(this.#firstByteTimer)
    this.#response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...this.#headers(null),
    })
    this.#voice = this.#context.dialect.voice(this.#head())
    return this.#voice
  }

  #head(): Omit<Answer, 'outcome'> {
    return { turn: this.#turn?.id ?? '', model: this.#answering?.model ?? this.#request.model ?? '', at: this.#startedAt, request: this.#request }
  }

  #headers(outcome: Outcome | null): Record<string, string> {
    const { idHeader } = this.#context.dialect
    const own = relevoHeaders(
      {
        turn: this.#turn?.id ?? '',
        requested: outcome?.requested ?? this.#requested,
        served: outcome === null ? this.#answering : outcome.served,
        attempts: outcome?.attempts.length ?? this.#attempts,
        startedAt: this.#startedAt,
        now: Date.now(),
      },
      outcome,
    )
    if (idHeader !== undefined) own[idHeader] = own['x-relevo-turn'] ?? ''
    return own
  }

  #end(outcome: Outcome): void {
    if (this.#over) return
    if (this.#isUnsaid) return this.#fail(outcome, UNSAID)
    // Also where a deadline passed in the same instant: what is whole is not thrown away.
    if (isAnswered(outcome)) return this.#answerOrFail(outcome)
    // The words of the error are those of the door, which come with the promise.
    void this.#turn?.text.then(
      () => this.#fail(outcome, outcome.kind),
      (error: unknown) => this.#fail(outcome, wordsOf(outcome, error)),
    )
  }

  #answerOrFail(outcome: Outcome): void {
    try {
      this.#answer(outcome)
    } catch (error) {
      this.#isUnsaid = true
      this.#fail(outcome, UNSAID)
      throw error
    }
  }

  #answer(outcome: Outcome): void {
    if (this.#request.stream) {
      const voice = this.#opened()
      this.#outbox.write(voice.end(outcome, summaryOf(this.#turn?.id ?? '', outcome)))
      this.#outbox.end()
    } else {
      const body = this.#raw ?? JSON.stringify(this.#context.dialect.answer({ outcome, ...this.#head() }))
      this.#firstByteAt = Date.now()
      this.#respond(200, body, this.#headers(outcome))
    }
    this.#finish(200, outcome)
  }

  #fail(outcome: Outcome, message: string): void {
    if (this.#over) return
    const problem = this.#problemOf(outcome, message)
    const summary = summaryOf(this.#turn?.id ?? '', outcome)
    if (this.#voice === null) {
      const body = JSON.stringify(this.#context.dialect.error(problem, summary))
      this.#respond(problem.status, body, { ...this.#headers(outcome), ...retryAfter(problem) })
    } else {
      this.#outbox.write(this.#voice.broken(problem, summary))
      this.#outbox.end()
    }
    this.#finish(problem.status, outcome)
  }

  #problemOf(outcome: Outcome, message: string): Problem {
    if (this.#isUnsaid) return problemOf('internal', message)
    if (this.#expired !== null && outcome.kind === 'cancelled') return problemOf('timeout', this.#expired)
    return problemOfOutcome(outcome, this.#entries(outcome), message) ?? problemOf('internal', message)
  }

  /** Who was asked and how that ended, and who could not be: an operator reads in the error what a log would say. */
  #entries(outcome: Outcome): ProblemEntry[] {
    const { kernel } = this.#context
    const last = new Map(outcome.attempts.map(({ entry, result }) => [entry, result]))
    try {
      const { entries } = kernel.plan({ ...this.#aim, stream: this.#request.stream, tools: this.#request.tools.length > 0 })
      return entries.map(({ profile, model, heldUntil, skip }) => {
        const entry = `${profile}/${model ?? '*'}`
        // A model that a client typed is none that attempts are named by.
        return { entry, why: last.get(entry) ?? last.get(`${profile}/*`) ?? skip ?? 'not asked', heldUntil }
      })
    } catch {
      return [...last].map(([entry, result]) => ({ entry, why: result ?? 'unknown', heldUntil: null }))
    }
  }

  #respond(status: number, body: string, headers: Record<string, string>): void {
    this.#response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...WHOLE_HEADERS, ...headers })
    this.#outbox.write(body)
    this.#outbox.end()
  }

  #left(): void {
    if (this.#over) return
    this.#turn?.cancel()
  }

  #finish(status: number, outcome: Outcome): void {
    this.#over = true
    clearTimeout(this.#firstByteTimer)
    clearTimeout(this.#wholeTimer)
    this.#context.onOver({ status, outcome, startedAt: this.#startedAt, firstByteAt: this.#firstByteAt })
  }
}

/** Field of ours, which no provider is sent. */
function withoutModels({ models, ...own }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return own
}

/** An error of the kernel about what a client wrote, in the client's words. */
function badRequestOf({ problems: [first], message }: ConfigError, request: ClientRequest): BadRequest {
  if (first === undefined) return new BadRequest(message, null)
  const field = fieldOfTarget(first.path, request)
  const said = field === null ? first.message : first.message.replaceAll(/targets\[\d+\](\.\w+)?/g, field)
  return new BadRequest(`${said} ${first.remedy}`, field ?? first.path, { code: first.code })
}

const UNSAID = 'The gateway could not put this answer into the words of its protocol; its log says why.'

/** A refusal is an answer: what the model says where it declines, and that it declined. */
function isAnswered({ kind }: Outcome): boolean {
  return kind === 'ok' || kind === 'incomplete' || kind === 'refused'
}

export function retryAfter({ retryAfterS }: Problem): Record<string, string> {
  return retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) }
}
