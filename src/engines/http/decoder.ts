import { type Failure, failure } from '../../model/failure.ts'
import type { Iteration, ProviderEvent } from '../../model/provider-event.ts'
import type { CompletionPolicy, Profile } from '../../model/settings.ts'
import type { Usage } from '../../model/usage.ts'
import { BareError } from './bare-error.ts'
import { readErrorBody } from './error-body.ts'
import { classifyInStream } from './failure.ts'
import type { FrameEvent, Framing, FramingOf } from './framing.ts'
import { isObject } from './json-object.ts'
import { EventFrames } from './sse.ts'

/**
 * A stream of bytes as ProviderEvents, pure and synchronous, for every protocol and framing.
 *
 * 1. It ends in exactly one `final` or `failed`; usage, when any was told, is the event before it (faces.md §2).
 * 2. After the terminator nothing is read (wire.md §12.2); what the same chunk still holds is only noted as `contentAfter`.
 * 3. An error frame wins over a finish marker before it, so nothing that depends on the finish marker leaves before the end.
 * 4. The verdict can be asked at any byte and consumes nothing.
 * 5. One JSON.parse an event, hand checks after it.
 * 6. It never throws, whatever the bytes: JSON.parse reads a nest of any depth, but writing it again exhausts the stack.
 * 7. Bytes that are unreadable from the first on are told as such once they can no longer be one bare error (bare-error.ts).
 */
export type Verdict = 'complete' | 'complete-unterminated' | 'truncated' | 'error-frame' | 'malformed'

export type Emit = (event: ProviderEvent) => void

export interface StreamDecoder {
  /** Takes the bytes in; events are told before it returns. Without effect once done. */
  push(chunk: Uint8Array, emit: Emit): void
  /** What the stream would be if the bytes ended here. */
  verdict(): Verdict
  /** The bytes ended, or the connection broke with `cause`. */
  end(emit: Emit, cause?: Failure): void
  /** Ends the stream for a reason outside its bytes, such as a deadline. Usage told so far is kept (R34). */
  fail(reason: Failure, emit: Emit): void
  /** The stream has its `final` or `failed`; the socket can be released. */
  readonly done: boolean
  /** Something of an answer came in: text, reasoning, a tool, a finish marker. Comments and pings are none (R31). */
  readonly outputSeen: boolean
}

export interface DecoderOptions {
  /** Default `strict`. */
  readonly completion?: CompletionPolicy
  /** Tell usage also where it is first told, so that an attempt cut short keeps it (R34). Default false: once, before the end. */
  readonly earlyUsage?: boolean
  /** Tell what only its issuer can read (`issued` events). Default false. */
  readonly issued?: boolean
  /** The model that was asked, by the name that it was asked by. */
  readonly model?: string
  /** Whose answer it is, where servers of one protocol differ. */
  readonly profile?: Pick<Profile, 'family' | 'dialect'>
  /** The present instant, for resets that an error frame gives. */
  readonly now: () => number
}

/** Bytes that one streamed answer may have. */
export const MAX_STREAM_BYTES = 64 * 1024 * 1024

/** What one parsed event means: nothing in particular, the terminator, or a failure. */
export type Step = 'terminated' | Failure | undefined

/** What a protocol knows: how its events become an answer. It never sees bytes. */
export interface AnswerReader {
  take(value: Readonly<Record<string, unknown>>, name: string | undefined, emit: Emit): Step
  /** The data line that is the terminator without being JSON. */
  readonly doneLine: string | null
  /** What its arrival means under the completion policy. */
  onDoneLine(): Step
  /** Whether an end of bytes now is an answer all the same. */
  readonly wholeAtEnd: boolean
  /** Tells what was kept back until the finish marker. */
  release(emit: Emit): void
  readonly finish: string | null
  /** The finish marker was seen. Of protocols whose streams are passed on, and where it comes before the terminator. */
  readonly finishing?: boolean
  usage(): Usage | null
  /** The models that the provider itself tried, where its protocol tells of them; they count with more than one. */
  iterations?(): readonly Iteration[]
  readonly outputSeen: boolean
}

export class EventStreamDecoder implements StreamDecoder {
  /** Told of each event of the stream up to its end, before it is read. */
  onFrame: (frame: FrameEvent) => void = ignore
  readonly #reader: AnswerReader
  readonly #frames: Framing
  readonly #now: () => number
  /** Until an event was read. */
  #bare: BareError | null = new BareError()
  #emit: Emit = ignore
  #bytes = 0
  #step: Step
  #contentAfter = false
  #undecided = false
  #done = false
  #usageTold: boolean

  constructor(reader: AnswerReader, options: DecoderOptions, framing: FramingOf = serverSentEvents) {
    this.#reader = reader
    this.#now = options.now
    this.#frames = framing((event) => this.#onEvent(event))
    this.#usageTold = options.earlyUsage !== true
  }

  get done(): boolean {
    return this.#done
  }

  get outputSeen(): boolean {
    return this.#reader.outputSeen
  }

  push(chunk: Uint8Array, emit: Emit): void {
    this.read(chunk, emit)
    this.conclude(emit)
  }

  /** Takes bytes in and tells what they say, but for the end that they may be: `conclude` tells it. */
  read(chunk: Uint8Array, emit: Emit): void {
    if (this.#done) return
    this.#emit = emit
    this.#frames.push(chunk)
    this.#bytes += chunk.length
    if (this.#step === undefined) this.#step = this.#afterChunk()
    this.#undecided = this.#bare !== null && this.#mayBeBare(this.#bare, chunk)
    this.#emit = ignore
  }

  /** Ends the stream if what was read ends it. */
  conclude(emit: Emit): void {
    if (!this.#done && this.#step !== undefined && !this.#undecided) this.#settle(this.#step, emit)
  }

  /** Takes whole events in without reading them; only at rest, and only events that say nothing but text. */
  skip(bytes: number): void {
    this.#bytes += bytes
    this.#frames.skip?.(bytes)
    this.#step ??= this.#afterChunk()
  }

  /** Everything that came in was told: the next byte begins an event. */
  get atRest(): boolean {
    return this.#step === undefined && !this.#undecided && this.#frames.atRest === true
  }

  /** What the bytes so far end with. */
  get step(): Step {
    return this.#step
  }

  /** The finish marker was seen, or the terminator. */
  get finishing(): boolean {
    return this.#step === 'terminated' || this.#reader.finishing === true
  }

  verdict(): Verdict {
    const step = this.#step
    if (step === undefined) return this.#reader.wholeAtEnd ? 'complete-unterminated' : 'truncated'
    if (step === 'terminated') return 'complete'
    if (step.kind === 'truncated') return 'truncated'
    return step.kind === 'protocol' ? 'malformed' : 'error-frame'
  }

  end(emit: Emit, cause?: Failure): void {
    if (this.#done) return
    if (this.#step !== undefined) return this.#settle(this.#step, emit)
    if (this.#reader.wholeAtEnd) return this.#complete(false, emit)
    const after = cause === undefined ? 'the stream ended' : `the connection broke (${cause.code ?? cause.message})`
    const words = `${after} before its completion signal, after ${this.#bytes} bytes`
    this.fail(failure(brokenKind(cause), 'stream', words, { code: cause?.code ?? null }), emit)
  }

  fail(reason: Failure, emit: Emit): void {
    if (this.#done) return
    this.#done = true
    this.#step = reason
    tellSpent(this.#reader, emit)
    emit({ type: 'failed', failure: reason })
  }

  #onEvent(event: FrameEvent): void {
    const { data } = event
    if (this.#step !== undefined) {
      if (data !== '[DONE]' && data !== '') this.#contentAfter = true
      return
    }
    this.onFrame(event)
    if (data === this.#reader.doneLine) this.#step = this.#reader.onDoneLine()
    // A keep-alive: an empty event, or the terminator of another protocol added by a gateway.
    else if (data !== '' && data !== '[DONE]') this.#step = this.#takeData(data, event.event)
  }

  #takeData(data: string, name: string | undefined): Step {
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      return this.#malformed('an event that is no JSON')
    }
    if (!isObject(value)) return this.#errorInList(value) ?? this.#malformed('an event that is no JSON object')
    this.#bare = null
    const step = taken(this.#reader, value, name, this.#emit)
    if (!this.#usageTold) this.#tellEarly()
    return typeof step === 'object' && step.kind === 'protocol' ? { ...step, offset: this.#frames.eventAt() } : step
  }

  /** Whether the body may still turn out to be one bare error. */
  #mayBeBare(bare: BareError, chunk: Uint8Array): boolean {
    const found = bare.take(chunk)
    if (found === 'undecided') return true
    this.#bare = null
    if (found !== 'none') this.#step = this.#errorOf(found)
    return false
  }

  #tellEarly(): void {
    this.#usageTold = this.#reader.usage() !== null
    if (this.#usageTold) tellUsage(this.#reader, this.#emit)
  }

  /** Servers of Google put an error into a list (wire.md §4, §11). */
  #errorInList(value: unknown): Failure | undefined {
    const isError = Array.isArray(value) && readErrorBody(value).isError
    return isError ? this.#errorOf(value) : undefined
  }

  /** The protocol's name decides nothing: the shapes of all of them are told apart by the error itself. */
  #errorOf(error: unknown): Failure {
    return classifyInStream({ api: '', error, now: this.#now() })
  }

  #malformed(what: string): Failure {
    const offset = this.#frames.eventAt()
    return failure('protocol', 'stream', `${what} at byte ${offset}`, { offset })
  }

  /** What no event tells: a bound that was passed, and a terminator whose blank line has not come (wire.md §12.5). */
  #afterChunk(): Step {
    const { fault } = this.#frames
    if (fault !== null) return failure('protocol', 'stream', `an event at byte ${fault.at} ${fault.what}`, { offset: fault.at })
    if (this.#bytes > MAX_STREAM_BYTES) {
      return failure('protocol', 'stream', `an answer of more than ${MAX_STREAM_BYTES} bytes`, { offset: MAX_STREAM_BYTES })
    }
    const { doneLine } = this.#reader
    if (doneLine === null || !this.#frames.unfinishedIs(doneLine)) return undefined
    this.onFrame({ data: doneLine })
    return this.#reader.onDoneLine()
  }

  #settle(step: Exclude<Step, undefined>, emit: Emit): void {
    if (step === 'terminated') this.#complete(true, emit)
    else this.fail(step, emit)
  }

  #complete(terminated: boolean, emit: Emit): void {
    this.#done = true
    this.#reader.release(emit)
    tellSpent(this.#reader, emit)
    const { finish } = this.#reader
    emit(this.#contentAfter ? { type: 'final', finish, terminated, contentAfter: true } : { type: 'final', finish, terminated })
  }
}

/** A connection that the peer closed in mid-message; with these codes the bytes ended, they were not torn off. */
const CLOSED: ReadonlySet<string | null> = new Set(['UND_ERR_SOCKET', 'HPE_INVALID_EOF_STATE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'])

/**
 * What an answer is that broke off: `truncated` when its bytes ended, the kind of the cause (`network` for a reset) when they were torn
 * off. Both are retryable; scenarios tell them apart (simulate.md).
 */
export function brokenKind(cause: Failure | undefined): Failure['kind'] {
  return cause === undefined || CLOSED.has(cause.code) ? 'truncated' : cause.kind
}

/** What the attempt has used, as far as it was told. */
export function tellSpent(reader: AnswerReader, emit: Emit): void {
  const iterations = reader.iterations?.() ?? []
  if (iterations.length > 1) emit({ type: 'iterations', iterations })
  tellUsage(reader, emit)
}

function tellUsage(reader: AnswerReader, emit: Emit): void {
  const usage = reader.usage()
  if (usage !== null) emit({ type: 'usage', ...usage })
}

function ignore(): void {}

function serverSentEvents(onEvent: (event: FrameEvent) => void): Framing {
  return new EventFrames(onEvent)
}

/** What the reader makes of a value. A value that nests too deep for the reader is none of the protocol. */
export function taken(reader: AnswerReader, value: Readonly<Record<string, unknown>>, name: string | undefined, emit: Emit): Step {
  try {
    return reader.take(value, name, emit)
  } catch (error) {
    if (error instanceof RangeError) return failure('protocol', 'stream', 'a value that nests too deep')
    throw error
  }
}

/**
 * The word of this house for a finish reason, or the reason itself: a provider may call it what every object inherits. A stop with calls is
 * a tool turn, whatever the wire calls it (faces.md §2).
 */
export function finishOf(words: Readonly<Record<string, string>>, reason: string | null, hasCalls: boolean): string | null {
  if (reason === null) return null
  const finish = (Object.hasOwn(words, reason) ? words[reason] : undefined) ?? reason
  return finish === 'stop' && hasCalls ? 'tool_calls' : finish
}

/** A count that the provider told, or undefined; a negative or broken one was not told. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
