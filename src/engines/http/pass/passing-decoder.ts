import type { Failure } from '../../../model/failure.ts'
import type { ProviderEvent } from '../../../model/provider-event.ts'
import type { Skim } from '../../contract.ts'
import { CollectedBody } from '../collected-body.ts'
import type { Emit, EventStreamDecoder, StreamDecoder, Verdict } from '../decoder.ts'
import type { FrameEvent } from '../framing.ts'
import type { PassingProtocol } from '../passing-protocol.ts'
import { FrameEnds } from './frame-ends.ts'
import { FrameShape, type Stops, stopsOf } from './frame-shape.ts'
import { PassedGroup } from './passed-group.ts'

/**
 * A stream that is passed on: its events leave with their bytes, and what they mean is read by the same decoder as ever.
 *
 * 1. Bytes leave when the decoder has told all that they hold, and never those in which it found an error. What is unfinished stays here.
 * 2. How the stream ends, and when, is the decoder's alone to say; all that it would tell is told, in the same order.
 * 3. While the reader allows it, events written like a plain text that was just read leave unread (frame-shape.ts). All others are read, so an
 *    end, an error or a count is never missed: at worst an event is read that need not be.
 * 4. An unfinished event that is still like the others is kept unread up to `MOST_KEPT` bytes, then given to the decoder, which knows bounds.
 */
const MOST_KEPT = 16 * 1024
/** So many events in a row that are not written like the one before: this stream has no shape. */
const MOST_LEARNED = 16
const NONE: readonly never[] = []
const NO_BYTES = new Uint8Array(0)

export class PassingDecoder implements StreamDecoder {
  readonly #inner: EventStreamDecoder
  readonly #protocol: PassingProtocol
  readonly #skim: Skim
  readonly #ends = new FrameEnds()
  /** Of an event that the decoder is reading. */
  readonly #begun = new CollectedBody()
  /** Of an event that nobody has read yet. */
  #kept: Uint8Array | null = null
  #events: ProviderEvent[] = []
  #seen: FrameEvent[] = []
  #shape: FrameShape | null = null
  #learned = 0
  #stops: Stops | null = null
  #stopsAt: readonly string[] | null = null
  readonly #collect: Emit = (event) => {
    this.#events.push(event)
  }

  constructor(inner: EventStreamDecoder, protocol: PassingProtocol, skim: Skim) {
    this.#inner = inner
    this.#protocol = protocol
    this.#skim = skim
    inner.onFrame = (frame) => {
      this.#seen.push(frame)
    }
  }

  get done(): boolean {
    return this.#inner.done
  }

  get outputSeen(): boolean {
    return this.#inner.outputSeen
  }

  verdict(): Verdict {
    return this.#inner.verdict()
  }

  push(chunk: Uint8Array, emit: Emit): void {
    if (this.#inner.done) return
    // Of a chunk behind an unfinished event that event's end is copied, and not all that follows it.
    const own = this.#kept === null ? 0 : firstEnd(chunk)
    if (own > 0) this.#pass(this.#withKept(chunk.subarray(0, own)), emit)
    if (own < chunk.length) this.#pass(this.#withKept(own === 0 ? chunk : chunk.subarray(own)), emit)
    this.#inner.conclude(emit)
  }

  end(emit: Emit, cause?: Failure): void {
    if (this.#inner.done) return
    if (this.#kept !== null) {
      this.#read(this.#withKept(NO_BYTES), emit)
      this.#inner.conclude(emit)
    }
    this.#inner.end(emit, cause)
  }

  fail(reason: Failure, emit: Emit): void {
    this.#inner.fail(reason, emit)
  }

  #pass(bytes: Uint8Array, emit: Emit): void {
    let at = 0
    while (at < bytes.length) at = this.#canSkim() ? this.#skimFrom(bytes, at, emit) : this.#readFrom(bytes, at, emit)
  }

  #withKept(chunk: Uint8Array): Uint8Array {
    const kept = this.#kept
    if (kept === null) return chunk
    this.#kept = null
    const bytes = room(kept.length + chunk.length)
    bytes.set(kept)
    bytes.set(chunk, kept.length)
    return bytes
  }

  #canSkim(): boolean {
    return this.#shape !== null && this.#skim.stopsAt !== null && this.#inner.atRest
  }

  /** Passes what is plain text from `from` on; gives the position that is reached, past one event that had to be read where none was. */
  #skimFrom(bytes: Uint8Array, from: number, emit: Emit): number {
    const shape = this.#shape as FrameShape
    const text = latin1(bytes)
    if (text === null) return this.#readFrom(bytes, from, emit)
    const end = shape.runEnd(bytes, text, from, this.#stopsNow())
    if (end > from) {
      this.#learned = 0
      this.#inner.skip(end - from)
      emit({ type: 'frames', bytes: end - from === bytes.length ? bytes : bytes.subarray(from, end), events: NONE, frames: NONE, ending: false })
    }
    if (end === bytes.length || !this.#inner.atRest) return end
    if (bytes.length - end <= MOST_KEPT && shape.mayBegin(text, end) && isUnfinished(text, end)) {
      this.#kept = bytes.subarray(end)
      return bytes.length
    }
    return this.#readFrom(bytes, end, emit)
  }

  #stopsNow(): Stops {
    const { stopsAt } = this.#skim
    if (this.#stops === null || stopsAt !== this.#stopsAt) {
      this.#stopsAt = stopsAt
      this.#stops = stopsOf(stopsAt ?? NONE)
    }
    return this.#stops
  }

  /** Reads one event, or what there is of it. */
  #readFrom(bytes: Uint8Array, from: number, emit: Emit): number {
    const end = this.#ends.next(bytes, from)
    const reached = end < 0 ? bytes.length : end
    this.#read(bytes.subarray(from, reached), emit)
    return reached
  }

  #read(piece: Uint8Array, emit: Emit): void {
    const inner = this.#inner
    // Behind the end of the stream: the decoder only notes that there was more.
    if (inner.step !== undefined) return inner.read(piece, emit)
    inner.read(piece, this.#collect)
    const { step } = inner
    if (typeof step === 'object') return this.#tell(NO_BYTES, NONE, emit)
    if (step === undefined && !inner.atRest) return this.#begun.add(piece)
    const isWhole = this.#begun.bytes === 0
    if (!isWhole) this.#begun.add(piece)
    const bytes = isWhole ? piece : this.#begun.take()
    this.#tell(bytes, this.#seen, emit)
  }

  #tell(bytes: Uint8Array, seen: readonly FrameEvent[], emit: Emit): void {
    const events = this.#events
    this.#events = []
    this.#seen = []
    if (bytes.length === 0 && events.length === 0) return
    emit(new PassedGroup(this.#protocol, bytes, events, seen, this.#inner.finishing))
    if (this.#skim.stopsAt !== null && this.#learned < MOST_LEARNED) this.#learn(bytes, events, seen)
  }

  #learn(bytes: Uint8Array, events: readonly ProviderEvent[], seen: readonly FrameEvent[]): void {
    const [event] = events
    if (events.length !== 1 || seen.length !== 1 || event?.type !== 'text' || this.#inner.finishing) return
    this.#learned += 1
    const text = latin1(bytes)
    this.#shape = (text === null ? null : FrameShape.of(bytes, text, this.#protocol.plainText, event.text)) ?? this.#shape
  }
}

/** Behind the first event that ends in the bytes, or their end. */
function firstEnd(bytes: Uint8Array): number {
  const end = new FrameEnds().next(bytes, 0)
  return end < 0 ? bytes.length : end
}

/** Nothing is in it yet that means anything. */
function room(length: number): Uint8Array {
  return typeof Buffer === 'undefined' ? new Uint8Array(length) : Buffer.allocUnsafe(length)
}

/** No blank line stands in it: what is of this shape so far may go on. */
function isUnfinished(text: string, from: number): boolean {
  const lf = text.indexOf('\n\n', from)
  return lf < 0 && text.indexOf('\n\r', from) < 0 && text.indexOf('\r\r', from) < 0
}

/** The bytes as characters, one each; null where the platform has no quick way to do it, and everything is read. */
function latin1(bytes: Uint8Array): string | null {
  if (typeof Buffer === 'undefined') return null
  return (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).toString('latin1')
}
