import type { Subscriber } from 'rxjs'
import { type Failure, type FailurePhase, failure } from '../../model/failure.ts'
import type { ProviderEvent } from '../../model/provider-event.ts'
import type { Usage } from '../../model/usage.ts'
import type { AttemptRequest } from '../contract.ts'
import { type DeadlineName, Deadlines, deadlineFailure } from '../deadlines.ts'
import { brokenKind, MAX_STREAM_BYTES } from '../http/decoder.ts'
import { classifyErrno } from '../http/failure.ts'
import { isObject } from '../http/json-object.ts'
import { redacted, secretsOf } from '../redact.ts'
import { IncompleteAnswer, watch } from './guarded-fetch.ts'
import { type Final, SdkAnswer } from './sdk-answer.ts'
import { callOf } from './sdk-call.ts'
import { failureOf, failureOfPart } from './sdk-failure.ts'
import type { AiSdkModel, AiSdkSource } from './sdk-model.ts'

/**
 * One physical attempt at a model of the AI SDK: what the engine contract promises, for code that promises less.
 *
 * 1. It ends once, in `final` or `failed`; afterwards nothing is told, whatever the model still does.
 * 2. What its guarded fetch saw of the bytes wins over what the model made of them: a cut, an error frame, the code of a broken connection.
 * 3. `doGenerate` and `doStream` retry nothing by themselves; the AI SDK's retries are above them and take no part (R23).
 * 4. While the reader is full no part is read, and the streams below hold back the socket.
 * 5. The stream of a model that does not listen to its signal is let go of all the same, at once.
 */

/** Parts that are all there at once come in promises alone, which leave no timer its turn: so often the reading pauses for one. */
const READS_AT_A_STRETCH = 128

export class SdkAttempt {
  readonly #request: AttemptRequest
  readonly #api: string | undefined
  readonly #subscriber: Subscriber<ProviderEvent>
  readonly #deadlines: Deadlines
  readonly #abort = new AbortController()
  readonly #answer: SdkAnswer
  #reader: ReadableStreamDefaultReader<unknown> | null = null
  #opened = false
  #over = false
  /** What the bytes came to, once they were watched to their end. */
  #watched: Final | Failure | null = null
  /** Counts that stood in the bytes; the AI SDK makes zeros of those that did not. */
  #usage: Usage | null = null
  #decoded = false

  constructor(request: AttemptRequest, api: string | undefined, subscriber: Subscriber<ProviderEvent>) {
    this.#request = request
    this.#api = api
    this.#subscriber = subscriber
    const { clock, mode, profile } = request
    this.#deadlines = new Deadlines({ clock, timeouts: profile.timeouts, mode, onExpire: (name) => this.#onDeadline(name) })
    this.#answer = new SdkAnswer((event) => this.#tell(event), profile.completion)
    watch(this.#abort.signal, {
      completion: profile.completion,
      policy: profile.endpointPolicy,
      now: () => clock.now(),
      onStream: () => this.#open(),
      onBytes: () => this.#deadlines.byte(),
      onBroken: (code) => this.#onBroken(code),
      onEvent: (event) => this.#onWatched(event),
    })
  }

  async begin(source: AiSdkSource, fetch: typeof globalThis.fetch): Promise<void> {
    this.#deadlines.start()
    // Nobody tells when the connection stands: a connect limit is not kept, rather than taken for one of the answer.
    this.#deadlines.connected()
    try {
      const model = this.#modelOf(source, fetch)
      const call = callOf(this.#request, model, this.#abort.signal) as never
      if (this.#request.mode === 'call') this.#onWhole(await model.doGenerate(call))
      else await this.#read((await model.doStream(call)).stream)
    } catch (error) {
      this.#onError(error)
    }
  }

  /** The subscriber left, or was told the end. Only the former cuts the connection. */
  cancel(): void {
    if (this.#over) return
    this.#close()
    this.#abort.abort()
  }

  #modelOf(source: AiSdkSource, fetch: typeof globalThis.fetch): AiSdkModel {
    if (typeof source !== 'function') return source
    const { model, secret, profile } = this.#request
    return source({ model, apiKey: secret?.reveal(), fetch, profile })
  }

  #onWhole(result: object): void {
    if (this.#over) return
    this.#deadlines.byte()
    this.#open()
    const { content, finishReason, usage } = result as Record<string, unknown>
    for (const part of Array.isArray(content) ? (content as unknown[]) : []) if (isObject(part)) this.#answer.take(part)
    this.#answer.take({ type: 'finish', finishReason, usage })
    this.#conclude()
  }

  async #read(stream: ReadableStream<unknown>): Promise<void> {
    const reader = stream.getReader()
    if (this.#over) return letGo(reader)
    this.#reader = reader
    this.#open()
    const { flow } = this.#request
    for (let reads = 1; !this.#over; reads += 1) {
      if (reads % READS_AT_A_STRETCH === 0) await pause()
      if (flow.full) await this.#drained()
      if (this.#over) break
      const { value, done } = await reader.read()
      if (this.#over) break
      if (done || this.#onPart(value)) this.#conclude()
    }
  }

  #drained(): Promise<void> {
    this.#deadlines.hold()
    return new Promise((resolve) =>
      this.#request.flow.onDrain(() => {
        this.#deadlines.release()
        resolve()
      }),
    )
  }

  /** True when no part of the answer follows. */
  #onPart(part: unknown): boolean {
    if (!isObject(part)) return false
    this.#deadlines.byte()
    if (part.type === 'error') {
      this.#fail(this.#watchedFailure() ?? failureOfPart(part.error, this.#facts()))
      return false
    }
    if (this.#answer.take(part)) this.#deadlines.output()
    if (this.#answer.size > MAX_STREAM_BYTES) this.#fail(failure('protocol', this.#phase(), `an answer of more than ${MAX_STREAM_BYTES} characters`))
    return this.#answer.finished
  }

  #conclude(): void {
    const failed = this.#watchedFailure()
    if (failed !== null) return this.#fail(failed)
    const ended = this.#answer.end(this.#phase(), this.#watched as Final | null)
    if ('kind' in ended) return this.#fail(ended)
    this.#tellUsage()
    this.#tell(ended)
  }

  #onError(error: unknown): void {
    if (this.#over) return
    const incomplete = error instanceof IncompleteAnswer ? error.failure : null
    this.#fail(this.#watchedFailure() ?? incomplete ?? failureOf(error, this.#facts()))
  }

  #onBroken(code: string): void {
    if (this.#over) return
    const broken = classifyErrno(code, this.#phase() === 'opening' ? 'connect' : this.#phase())
    // An errno that is none of the network's is told by the error itself.
    if (code !== 'UNKNOWN' && code !== 'ABORT_ERR') this.#watched = this.#opened ? { ...broken, kind: brokenKind(broken) } : broken
  }

  #onWatched(event: ProviderEvent): void {
    if (event.type === 'usage') {
      const { type: _, ...usage } = event
      this.#usage = usage
      // At once, so that an attempt that is cut short keeps it (R34).
      return this.#tell(event)
    }
    this.#decoded = true
    if (event.type === 'final') this.#watched = event
    else if (event.type === 'failed') this.#watched = event.failure
  }

  #watchedFailure(): Failure | null {
    return this.#watched !== null && 'kind' in this.#watched ? this.#watched : null
  }

  #onDeadline(name: DeadlineName): void {
    if (this.#over) return
    const phase: FailurePhase = this.#opened ? this.#request.mode : 'connect'
    this.#fail(deadlineFailure(name, this.#request.profile.timeouts, phase))
  }

  #open(): void {
    if (this.#opened) return
    this.#opened = true
    this.#tell({ type: 'opened' })
  }

  #phase(): FailurePhase {
    if (this.#request.mode === 'call') return 'call'
    return this.#opened ? 'stream' : 'opening'
  }

  #facts(): Parameters<typeof failureOf>[1] {
    return { api: this.#api ?? '', now: this.#request.clock.now(), phase: this.#phase() }
  }

  #fail(reason: Failure): void {
    if (this.#over) return
    this.#tellUsage()
    this.#tell({ type: 'failed', failure: redacted(reason, secretsOf(this.#request)) })
    this.#abort.abort()
  }

  #tellUsage(): void {
    const usage = this.#decoded ? this.#usage : (this.#usage ?? this.#answer.usage)
    if (usage !== null) this.#tell({ type: 'usage', ...usage })
  }

  #tell(event: ProviderEvent): void {
    if (this.#over) return
    if (event.type !== 'final' && event.type !== 'failed') return this.#subscriber.next(event)
    // Over before it is told: a subscriber that leaves on the last event must not cut a connection that can serve again.
    this.#close()
    this.#subscriber.next(event)
    this.#subscriber.complete()
  }

  #close(): void {
    this.#over = true
    this.#deadlines.stop()
    void letGo(this.#reader)
  }
}

/** Whatever the model's stream makes of it. */
async function letGo(reader: ReadableStreamDefaultReader<unknown> | null): Promise<void> {
  try {
    await reader?.cancel()
  } catch {
    // It is gone already.
  }
}

/** One turn of the event loop; a timer of zero takes a millisecond, and bytes that are there wait for it. */
function pause(): Promise<void> {
  return new Promise((resolve) => void (typeof setImmediate === 'function' ? setImmediate(resolve) : setTimeout(resolve, 0)))
}
