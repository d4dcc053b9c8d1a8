import { createParser, type EventSourceParser } from 'eventsource-parser'
import { type FrameEvent, type Framing, type FramingFault, MAX_EVENT_BYTES } from './framing.ts'
import { Utf8Pieces } from './utf8-pieces.ts'

/**
 * Server-sent events out of bytes, around eventsource-parser.
 *
 * 1. A chunk boundary changes nothing: it may fall inside a character, a line end or an event.
 * 2. An event counts with its blank line. What is unfinished at the end of bytes is dropped, never parsed (wire.md §12.5); only a line
 *    such as `data: [DONE]` can be asked for (`unfinishedIs`).
 *    Where lines end in CRLF the blank line is whole with its LF.
 * 3. Memory is bounded: an event, and so a line, of more than `MAX_EVENT_BYTES` is an overflow, however it was chunked.
 * 4. Offsets cost nothing until they are asked for: the bytes since the last blank line are kept by reference and counted then.
 * 5. A line whose field has no name of a field is noise, and the stream is unreadable from its event on. The format would have it ignored,
 *    but noise before a `data:` takes an event with it, and the answer would have a hole that nobody sees (R25). Named fields that are
 *    unknown are ignored.
 *
 * The parser leaves three things to this class: it holds back an event that ends in CR until it sees what follows, so line ends are made
 * LF before it sees them; it bounds only what is pending after a chunk; it knows no byte offsets.
 */
const LF = 10
const CR = 13
const COLON = 58
const DONE_LENGTH = 256
const FIELD_NAME = /^[A-Za-z][\w-]*$/
/** A server that dribbles must not make a list of a million small chunks. */
const MAX_PIECES = 256

export class EventFrames implements Framing {
  readonly #text = new Utf8Pieces()
  readonly #parser: EventSourceParser
  readonly #maxBytes: number
  /** Chunks since the last blank line, line ends made LF. */
  #held: Uint8Array[] = []
  #heldBytes = 0
  /** Raw position at which `#held` begins. */
  #heldAt = 0
  /** Positions in the held bytes after which an LF of a CRLF was taken out. */
  #takenOut: number[] = []
  #afterCr = false
  /** Lines of this stream end in CRLF, so that a CR is half a line end. */
  #endsInCrlf = false
  /** Such a half came last and is not counted yet. */
  #crHeld = false
  /** Events told since `#held` began. */
  #told = 0
  #overflowAt: number | null = null
  #noiseAt: number | null = null

  constructor(onEvent: (event: FrameEvent) => void, maxBytes: number = MAX_EVENT_BYTES) {
    this.#maxBytes = maxBytes
    this.#parser = createParser({
      onEvent: (event) => {
        if (this.#noiseAt !== null) return
        this.#told += 1
        onEvent(event)
      },
      onError: (error) => {
        if (error.type === 'unknown-field' && !FIELD_NAME.test(error.field ?? '')) this.#noiseAt ??= this.#noisyAt()
      },
    })
  }

  /** Feeds one chunk; events are told before it returns. Nothing more is read after an overflow or noise. */
  push(chunk: Uint8Array): void {
    if (this.#overflowAt !== null || this.#noiseAt !== null || chunk.length === 0) return
    const bytes = this.#afterCr || this.#crHeld || chunk.indexOf(CR) >= 0 ? this.#withLineFeeds(chunk) : chunk
    if (bytes.length === 0) return
    if (this.#held.length >= MAX_PIECES) this.#held = fewer(this.#held)
    this.#held.push(bytes)
    this.#heldBytes += bytes.length
    if (this.#heldBytes > this.#maxBytes && this.#overflows(bytes)) return
    this.#parser.feed(this.#text.push(bytes))
    this.#letGo()
  }

  get fault(): FramingFault | null {
    if (this.#noiseAt !== null) return { at: this.#noiseAt, what: 'holds a line that is no field' }
    return this.#overflowAt === null ? null : { at: this.#overflowAt, what: 'exceeds the bound' }
  }

  get atRest(): boolean {
    return this.#heldBytes === 0 && !this.#crHeld
  }

  skip(bytes: number): void {
    this.#heldAt += bytes
    this.#afterCr = false
    this.#told = 0
  }

  /** Whether the unfinished event is exactly one data line with this value, its line end included. */
  unfinishedIs(data: string): boolean {
    if (this.#heldBytes === 0 || this.#heldBytes > DONE_LENGTH) return false
    const last = this.#held[this.#held.length - 1]
    if (last === undefined || last[last.length - 1] !== LF) return false
    const text = UTF8.decode(joined(this.#held))
    const lines = text.slice(0, -1).split('\n')
    const values = lines.filter((line) => line === 'data' || line.startsWith('data:'))
    return values.length === 1 && (values[0] === `data: ${data}` || values[0] === `data:${data}`)
  }

  /** Byte offset at which the event that is being told, or was told last, begins. */
  eventAt(): number {
    const bytes = joined(this.#held)
    let seen = 0
    for (const [start, , hasData] of events(bytes, this.#heldAt === 0)) {
      if (hasData) seen += 1
      if (seen === this.#told) return this.#rawOf(start)
    }
    return this.#heldAt
  }

  /** Byte offset at which the event with noise in it begins. */
  #noisyAt(): number {
    for (const [start, , , hasNoise] of events(joined(this.#held), this.#heldAt === 0)) if (hasNoise) return this.#rawOf(start)
    return this.#heldAt
  }

  /** A position in the held bytes as a position in the body. */
  #rawOf(position: number): number {
    let raw = this.#heldAt + position
    for (const taken of this.#takenOut) if (taken <= position) raw += 1
    return raw
  }

  #withLineFeeds(chunk: Uint8Array): Uint8Array {
    const out = new Uint8Array(chunk.length + 1)
    let length = 0
    if (this.#crHeld) {
      out[0] = LF
      length = 1
      this.#crHeld = false
      this.#afterCr = true
    }
    for (const byte of chunk) {
      if (byte === LF && this.#afterCr) {
        this.#takenOut.push(this.#heldBytes + length)
        this.#afterCr = false
        this.#endsInCrlf = true
        continue
      }
      this.#afterCr = byte === CR
      out[length] = byte === CR ? LF : byte
      length += 1
    }
    if (this.#afterCr && this.#endsInCrlf) {
      length -= 1
      this.#afterCr = false
      this.#crHeld = true
    }
    return out.subarray(0, length)
  }

  /** Looks closely when the bound could be passed; events before the one that passes it are still told. */
  #overflows(bytes: Uint8Array): boolean {
    const all = joined(this.#held)
    for (const [start, end] of events(all, this.#heldAt === 0)) {
      if (end - start <= this.#maxBytes) continue
      const fresh = all.length - bytes.length
      this.#overflowAt = this.#rawOf(start)
      if (start > fresh) this.#parser.feed(this.#text.push(all.subarray(fresh, start)))
      this.#held = []
      this.#heldBytes = 0
      return true
    }
    return false
  }

  /** Forgets what stands before the last blank line. */
  #letGo(): void {
    const last = this.#held[this.#held.length - 1]
    if (last === undefined) return
    const end = lastBlankLineEnd(last, this.#held[this.#held.length - 2])
    if (end < 0) return
    const gone = this.#heldBytes - (last.length - end)
    this.#heldAt = this.#rawOf(gone)
    this.#takenOut = this.#takenOut.length === 0 ? this.#takenOut : this.#takenOut.filter((at) => at > gone).map((at) => at - gone)
    this.#held = end === last.length ? [] : [last.subarray(end)]
    this.#heldBytes = last.length - end
    this.#told = 0
  }
}

const UTF8 = new TextDecoder()

/** The last pieces as one, together with all before them that are no larger: a byte is copied as often as its event doubles, not as it grows. */
function fewer(pieces: readonly Uint8Array[]): Uint8Array[] {
  let at = pieces.length
  let bytes = 0
  for (let piece = pieces[at - 1]; piece !== undefined; piece = pieces[at - 1]) {
    if (piece.length > bytes && pieces.length - at >= MAX_PIECES / 2) break
    bytes += piece.length
    at -= 1
  }
  return [...pieces.slice(0, at), joined(pieces.slice(at))]
}

function joined(chunks: readonly Uint8Array[]): Uint8Array {
  if (chunks.length === 1 && chunks[0] !== undefined) return chunks[0]
  let length = 0
  for (const chunk of chunks) length += chunk.length
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

/** Where the last blank line of `chunk` ends, or -1. A line end may have come with the chunk before. */
function lastBlankLineEnd(chunk: Uint8Array, before: Uint8Array | undefined): number {
  for (let at = chunk.lastIndexOf(LF); at > 0; at = chunk.lastIndexOf(LF, at - 1)) if (chunk[at - 1] === LF) return at + 1
  const startsBlank = chunk[0] === LF && (before === undefined || before[before.length - 1] === LF)
  return startsBlank ? 1 : -1
}

type EventBytes = [start: number, end: number, hasData: boolean, hasNoise: boolean]

/** The events in bytes that begin at the start of one: start, end behind its blank line (or the end of bytes), and what lines it has. */
function* events(bytes: Uint8Array, bodyBegins: boolean): Generator<EventBytes> {
  let start = 0
  let hasData = false
  let hasNoise = false
  let line = bodyBegins && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  while (line < bytes.length) {
    const end = bytes.indexOf(LF, line)
    if (end < 0) break
    if (end === line) {
      yield [start, end + 1, hasData, hasNoise]
      start = end + 1
      hasData = false
      hasNoise = false
    } else if (isDataLine(bytes, line, end)) hasData = true
    else hasNoise ||= isNoise(bytes, line, end)
    line = end + 1
  }
  if (start < bytes.length) yield [start, bytes.length, false, hasNoise]
}

function isNoise(bytes: Uint8Array, from: number, end: number): boolean {
  if (bytes[from] === COLON) return false
  const colon = bytes.subarray(from, end).indexOf(COLON)
  return !FIELD_NAME.test(UTF8.decode(bytes.subarray(from, colon < 0 ? end : from + colon)))
}

function isDataLine(bytes: Uint8Array, from: number, end: number): boolean {
  if (end - from < 4 || bytes[from] !== 100 || bytes[from + 1] !== 97 || bytes[from + 2] !== 116 || bytes[from + 3] !== 97) return false
  return end - from === 4 || bytes[from + 4] === COLON
}
