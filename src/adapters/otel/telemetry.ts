import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Context, context, diag, type MeterProvider, metrics, type Span, type Tracer, type TracerProvider, trace } from '@opentelemetry/api'
import { type AttemptMessage, DIAGNOSTICS_CHANNELS, type LimitMessage, type MessageSource, type TurnMessage } from '../../runtime/channels.ts'
import { type Fallback, Meters } from './meters.ts'
import { EVENT, type NameVersion, OWN } from './names.ts'
import * as spans from './spans.ts'

/**
 * Turns what the kernels of this process publish into spans and metrics.
 *
 * 1. A fault here, or in what the host plugged into its SDK, loses what it was about and reaches no turn: Node would raise it as an uncaught
 *    exception, so each message is taken under guard and a fault goes to the log of OpenTelemetry.
 * 2. Every span ends: with its turn, with `stop`, or when so many are open that the oldest cannot be a turn any more.
 * 3. There is no way to record a prompt or an answer: they are in no message.
 */
export interface TelemetryOptions {
  /** Default: the global one, also when it is set later. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Default: the global one, which has to be set before. */
  readonly meterProvider?: MeterProvider | undefined
  /** The names of metrics; default `1.36`. */
  readonly names?: NameVersion | undefined
}

export interface Telemetry {
  /** Listens no more, and ends the spans of turns that are still running where they stand. */
  stop(): void
}

/** Spans and metrics of every turn of this process from now on, of any kernel, until `stop`. */
export function startTelemetry({ tracerProvider = trace, meterProvider = metrics, names = '1.36' }: TelemetryOptions = {}): Telemetry {
  const watch = new TurnWatch(tracerProvider.getTracer('relevo'), new Meters(meterProvider.getMeter('relevo'), names))
  const listeners = [
    [DIAGNOSTICS_CHANNELS.turn, guarded((message) => watch.turn(message as TurnMessage))],
    [DIAGNOSTICS_CHANNELS.attempt, guarded((message) => watch.attempt(message as AttemptMessage))],
    [DIAGNOSTICS_CHANNELS.limit, guarded((message) => watch.limit(message as LimitMessage))],
  ] as const
  for (const [channel, listener] of listeners) subscribe(channel, listener)
  return {
    stop() {
      for (const [channel, listener] of listeners) unsubscribe(channel, listener)
      for (const name of watch.names()) guarded(() => watch.abandon(name))(null)
    },
  }
}

function guarded(take: (message: unknown) => void): (message: unknown) => void {
  return (message) => {
    try {
      take(message)
    } catch (fault) {
      try {
        diag.error('relevo/otel: a message was lost', fault)
      } catch {}
    }
  }
}

/** How many turns are followed at once; past that the oldest one is given up. A process runs out of sockets long before. */
export const MOST_OPEN_TURNS = 20_000

interface OpenTurn {
  readonly span: Span
  /** What the caller of the turn was in. */
  readonly parent: Context
  attempt: OpenAttempt | null
  /** The entry that the turn would go on from, and why it does. */
  left: Omit<Fallback, 'to'> | null
  /** Epoch ms of the last thing heard of it. */
  lastAt: number
}

interface OpenAttempt {
  readonly started: spans.AttemptStarted
  readonly span: Span
  firstChunkMs: number | null
}

class TurnWatch {
  readonly #tracer: Tracer
  readonly #meters: Meters
  readonly #open = new Map<string, OpenTurn>()

  constructor(tracer: Tracer, meters: Meters) {
    this.#tracer = tracer
    this.#meters = meters
  }

  turn(message: TurnMessage): void {
    if (message.type === 'turn.started') return this.#start(message)
    if (message.type === 'turn.ended') return this.#end(message)
    const open = this.#heard(message)
    if (open === undefined) return
    if (message.type === 'entry.skipped') open.left ??= { from: message.entry, reason: message.event.reason }
    spans.addTurnEvent(open.span, message)
  }

  attempt(message: AttemptMessage): void {
    const open = this.#heard(message)
    if (open === undefined) return
    if (message.type === 'attempt.started') return this.#startAttempt(open, message)
    const { attempt } = open
    if (attempt === null || attempt.started.n !== message.n) return
    if (message.type === 'output.committed') {
      attempt.firstChunkMs = Math.max(0, message.at - attempt.started.at)
      this.#meters.firstChunk(attempt.started, attempt.firstChunkMs)
    }
    if (message.type === 'attempt.ended') this.#endAttempt(open, attempt, message)
  }

  limit(message: LimitMessage): void {
    this.#meters.hold(message)
    const { key, reason, untilAt } = message.hold
    this.#heard(message)?.span.addEvent(EVENT.hold, { [OWN.key]: key, [OWN.reason]: reason, [OWN.until]: untilAt }, spans.instant(message.at))
  }

  /** Of the turns that are under way. */
  names(): readonly string[] {
    return [...this.#open.keys()]
  }

  /** Ends the spans of a turn of which no end was heard. */
  abandon(name: string): void {
    const open = this.#open.get(name)
    if (open === undefined) return
    this.#open.delete(name)
    open.attempt?.span.end(spans.instant(open.lastAt))
    open.span.end(spans.instant(open.lastAt))
  }

  #start(message: Extract<TurnMessage, { readonly type: 'turn.started' }>): void {
    const name = nameOf(message)
    this.abandon(name)
    if (this.#open.size >= MOST_OPEN_TURNS) this.abandon(this.#open.keys().next().value as string)
    const parent = context.active()
    const span = spans.startTurnSpan(this.#tracer, message, message.at, parent)
    this.#open.set(name, { span, parent, attempt: null, left: null, lastAt: message.at })
  }

  #end(message: spans.Ended): void {
    const name = nameOf(message)
    const open = this.#open.get(name)
    this.#open.delete(name)
    // An attempt whose end was lost to a defect ends with its turn.
    open?.attempt?.span.end(spans.instant(message.at))
    spans.endTurnSpan(open?.span ?? spans.startTurnSpan(this.#tracer, message, message.startedAt, context.active()), message)
    this.#meters.turn(message)
  }

  #startAttempt(open: OpenTurn, started: spans.AttemptStarted): void {
    const { left } = open
    open.left = null
    open.attempt = { started, span: spans.startAttemptSpan(this.#tracer, started, open), firstChunkMs: null }
    if (left === null || left.from === started.entry) return
    const { from, reason } = left
    open.span.addEvent(EVENT.handoff, { [OWN.from]: from, [OWN.to]: started.entry, [OWN.reason]: reason }, spans.instant(started.at))
    this.#meters.fallback({ from, to: started.entry, reason })
  }

  #endAttempt(open: OpenTurn, { started, span, firstChunkMs }: OpenAttempt, ended: spans.AttemptEnded): void {
    open.attempt = null
    open.left = { from: ended.entry, reason: ended.result }
    spans.endAttemptSpan(span, ended, started.model, firstChunkMs)
    this.#meters.attempt(started, ended)
  }

  #heard(message: MessageSource & { readonly turn: string; readonly at: number }): OpenTurn | undefined {
    const open = this.#open.get(nameOf(message))
    if (open !== undefined) open.lastAt = message.at
    return open
  }
}

/** Two kernels may have a turn of the same name. */
function nameOf({ kernel, turn }: MessageSource & { readonly turn: string }): string {
  return `${kernel} ${turn}`
}
