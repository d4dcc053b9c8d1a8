import { Observable, type Subscriber } from 'rxjs'
import { type Failure, type FailurePhase, failure } from '../model/failure.ts'
import type { ToolCall } from '../model/message.ts'
import type { ProviderEvent } from '../model/provider-event.ts'
import type { AttemptRequest, Engine } from './contract.ts'
import { Deadlines, deadlineFailure } from './deadlines.ts'
import { classifyErrno, classifyResponse } from './http/failure.ts'
import type { ScriptedEvent, ScriptedOutcome, ScriptedStream, ScriptedToolCall } from './loopback/script.ts'

/** Entry name (`a.x/m1`, `b.y/*`) → what it will do, in order of use. */
export type Script = Readonly<
  Record<string, { readonly call?: readonly ScriptedOutcome[] | undefined; readonly stream?: readonly ScriptedStream[] | undefined }>
>

/**
 * An engine that does what a script says, in the vocabulary of docs/scenarios.md, for every profile.
 *
 * 1. Items are used up in order of the attempts, per entry and mode, over all turns.
 * 2. It takes no time except where `afterMs` says so, and emits synchronously otherwise.
 * 3. Beyond the end of a script an entry refuses, so that the walk leaves it; `onUnscripted` is told before.
 * 4. HTTP outcomes pass through the one classifier, deadlines through the one watchdog.
 */
export function scriptedEngine(script: Script, onUnscripted: (request: AttemptRequest) => void = () => {}): Engine {
  const used = new Map<string, number>()
  const take = <Item>(request: AttemptRequest, items: readonly Item[] | undefined): Item | undefined => {
    const key = `${request.mode} ${request.entry}`
    const at = used.get(key) ?? 0
    used.set(key, at + 1)
    const item = items?.[at]
    if (item === undefined) onUnscripted(request)
    return item
  }
  return {
    attempt: (request) =>
      new Observable<ProviderEvent>((subscriber) => {
        const entry = script[request.entry]
        const run = new Performance(request, subscriber)
        if (request.mode === 'stream') run.stream(take(request, entry?.stream))
        else run.call(take(request, entry?.call))
        return () => run.stop()
      }),
  }
}

/** One attempt on its way through its script item. */
class Performance {
  readonly #request: AttemptRequest
  readonly #out: Subscriber<ProviderEvent>
  readonly #deadlines: Deadlines
  readonly #phase: FailurePhase
  readonly #calls: ToolCall[] = []
  #cancelWake: (() => void) | null = null
  #over = false

  constructor(request: AttemptRequest, out: Subscriber<ProviderEvent>) {
    this.#request = request
    this.#out = out
    this.#phase = request.mode === 'stream' ? 'stream' : 'call'
    this.#deadlines = new Deadlines({
      clock: request.clock,
      timeouts: request.profile.timeouts,
      mode: request.mode,
      onExpire: (name) => this.#fail(deadlineFailure(name, request.profile.timeouts, this.#phase)),
    })
  }

  stop(): void {
    this.#over = true
    this.#cancelWake?.()
    this.#deadlines.stop()
  }

  call(outcome: ScriptedOutcome | undefined): void {
    this.#begin()
    if (outcome === undefined) return this.#unscripted()
    this.#after(outcome.afterMs, () => this.#answer(outcome))
  }

  stream(stream: ScriptedStream | undefined): void {
    this.#begin()
    if (stream === undefined) return this.#unscripted()
    if (!('events' in stream)) return this.#after(stream.afterMs, () => this.#answer(stream, 'opening'))
    this.#emit({ type: 'opened' })
    this.#play(stream.events, 0)
  }

  #begin(): void {
    this.#deadlines.start()
    this.#deadlines.connected()
  }

  #unscripted(): void {
    this.#fail(failure('invalid_request', this.#phase, 'asked beyond the end of the script'))
  }

  #answer(outcome: ScriptedOutcome, phase: FailurePhase = 'call'): void {
    if ('pending' in outcome) return
    if ('iterations' in outcome && outcome.iterations !== undefined) this.#emit({ type: 'iterations', iterations: outcome.iterations })
    if (outcome.usage !== undefined) this.#emit({ type: 'usage', ...outcome.usage })
    const failed = failureOf(outcome, phase, this.#request)
    if (failed !== null) return this.#fail(failed)
    if ('reasoning' in outcome && outcome.reasoning !== undefined) this.#emit({ type: 'reasoning', text: outcome.reasoning })
    if ('ok' in outcome) {
      if (outcome.ok !== '') this.#emit({ type: 'text', text: outcome.ok })
      const calls = outcome.toolCalls ?? []
      for (const call of calls) this.#emit({ type: 'toolCall', ...toolCallOf(call) })
      return this.#finish(calls.length > 0 ? 'tool_calls' : 'stop')
    }
    if ('length' in outcome) {
      this.#emit({ type: 'text', text: outcome.length })
      return this.#finish('length')
    }
    this.#finish('stop')
  }

  /** Plays the events from `from` on: at once while they take no time and the reader keeps up. */
  #play(events: readonly ScriptedEvent[], from: number): void {
    let at = from
    let event = events[at]
    // A stall has no wake: only a deadline or a cancel ends it.
    while (event !== undefined && (event.afterMs ?? 0) === 0 && !this.#over) {
      if ('stall' in event) return
      if (this.#request.flow.full) return this.#pause(() => this.#play(events, at))
      this.#one(event, events, at)
      event = events[++at]
    }
    if (this.#over) return
    if (event === undefined) return this.#fail(failure('truncated', 'stream', 'the body ended before its completion signal'))
    const due = event
    this.#after(event.afterMs, () => {
      this.#one(due, events, at)
      if (!this.#over && !('stall' in due)) this.#play(events, at + 1)
    })
  }

  #pause(resume: () => void): void {
    this.#deadlines.hold()
    this.#request.flow.onDrain(() => {
      if (this.#over) return
      this.#deadlines.release()
      resume()
    })
  }

  #one(event: ScriptedEvent, events: readonly ScriptedEvent[], at: number): void {
    if ('stall' in event) return
    this.#deadlines.byte()
    if ('text' in event) return this.#output({ type: 'text', text: event.text })
    if ('reasoning' in event) return this.#output({ type: 'reasoning', text: event.reasoning })
    if ('toolCall' in event) return void this.#calls.push(toolCallOf(event.toolCall))
    if ('providerToolCall' in event) {
      const { id = null, name, arguments: args } = event.providerToolCall
      return this.#output({ type: 'providerToolCall', id, name, arguments: args })
    }
    if ('providerToolResult' in event) {
      const { id = null, name = null, output } = event.providerToolResult
      return this.#output({ type: 'providerToolResult', id, name, output })
    }
    if ('usage' in event) {
      if (event.iterations !== undefined) this.#emit({ type: 'iterations', iterations: event.iterations })
      return this.#emit({ type: 'usage', ...event.usage })
    }
    if ('eof' in event) return this.#fail(failure('truncated', 'stream', 'the body ended before its completion signal'))
    if ('network' in event) return this.#fail(classifyErrno(event.network, 'stream'))
    if ('error' in event) return this.#fail(inBandFailure(event.error, this.#request))
    for (const call of this.#calls) this.#emit({ type: 'toolCall', ...call })
    this.#finish(event.final, events.slice(at + 1).some(isContent))
  }

  #output(event: ProviderEvent): void {
    this.#deadlines.output()
    this.#emit(event)
  }

  #after(ms: number | undefined, then: () => void): void {
    if (ms === undefined || ms === 0) return then()
    this.#cancelWake = this.#request.clock.wakeAt(this.#request.clock.now() + ms, then)
  }

  #emit(event: ProviderEvent): void {
    if (!this.#over) this.#out.next(event)
  }

  #finish(finish: string, contentAfter = false): void {
    this.#end({ type: 'final', finish, terminated: true, ...(contentAfter ? { contentAfter } : {}) })
  }

  #fail(failed: Failure): void {
    this.#end({ type: 'failed', failure: failed })
  }

  #end(event: ProviderEvent): void {
    if (this.#over) return
    this.stop()
    this.#out.next(event)
    this.#out.complete()
  }
}

function isContent(event: ScriptedEvent): boolean {
  return !('eof' in event) && !('usage' in event) && !('stall' in event)
}

function toolCallOf(call: ScriptedToolCall): ToolCall {
  return { id: call.id ?? null, name: call.name, arguments: call.arguments }
}

/** The failure that an outcome stands for, or null when it answers. */
function failureOf(outcome: ScriptedOutcome, phase: FailurePhase, request: AttemptRequest): Failure | null {
  if ('http' in outcome) return httpFailure(outcome.http, outcome.headers ?? {}, outcome.body, phase, request)
  if ('network' in outcome) return classifyErrno(outcome.network, phase === 'opening' ? 'connect' : phase)
  if ('timeout' in outcome) return deadlineFailure(outcome.timeout, request.profile.timeouts, phase)
  if ('refusal' in outcome) return failure('refusal', phase, outcome.refusal)
  return null
}

function inBandFailure(error: { readonly http?: number | undefined; readonly message: string }, request: AttemptRequest): Failure {
  if (error.http === undefined) return failure('unknown', 'stream', error.message)
  return httpFailure(error.http, {}, error.message, 'stream', request)
}

function httpFailure(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  phase: FailurePhase,
  request: AttemptRequest,
): Failure {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  return classifyResponse({ api: request.profile.api ?? 'openai-chat', status, headers, body: text, now: request.clock.now(), phase })
}
