import { crc32 } from './crc32.ts'
import { type FrameEvent, type Framing, type FramingFault, MAX_EVENT_BYTES } from './framing.ts'
import { isObject } from './json-object.ts'

/**
 * Binary frames of AWS (`application/vnd.amazon.eventstream`, wire.md §9): a prelude of total length, header length and their checksum;
 * headers; payload; the checksum of all that.
 *
 * 1. A length is believed once the checksum of the prelude agrees with it, and a frame is told once its own does.
 * 2. A checksum, a length or a header that is wrong makes the rest unreadable: a binary stream has no place from which to go on.
 * 3. A frame of more than `MAX_EVENT_BYTES` is a fault before its payload is waited for, so memory is bounded.
 * 4. A frame that has begun at the end of bytes is dropped.
 * 5. An exception always has an object as its data, so that no failure is lost for want of a payload.
 *
 * Refused: @smithy/eventstream-codec, which comes with 8 MB of @smithy/core and leaves the cutting into frames to its caller.
 */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4

/** Stands before the name of an event that is an exception; no event of a service is named so. */
export const EXCEPTION = 'exception:'

const UTF8 = new TextDecoder()

type Headers = ReadonlyMap<string, string>

export class BinaryFrames implements Framing {
  readonly #onEvent: (event: FrameEvent) => void
  readonly #maxBytes: number
  /** Bytes of the frame that has begun, and how many of the buffer are in use. */
  #buffer = new Uint8Array(0)
  #held = 0
  /** Length of the frame that has begun, once its prelude is in. */
  #wanted: number | null = null
  #frameAt = 0
  #toldAt = 0
  #fault: FramingFault | null = null
  /** The headers read last, and their bytes: those of one delta are those of the next. */
  #headers: Headers = new Map()
  #headerBytes = new Uint8Array(0)

  constructor(onEvent: (event: FrameEvent) => void, maxBytes: number = MAX_EVENT_BYTES) {
    this.#onEvent = onEvent
    this.#maxBytes = maxBytes
  }

  push(chunk: Uint8Array): void {
    let from = 0
    while (this.#fault === null && from < chunk.length) from += this.#take(chunk, from)
  }

  eventAt(): number {
    return this.#toldAt
  }

  get fault(): FramingFault | null {
    return this.#fault
  }

  /** Every frame says its own end. */
  unfinishedIs(): boolean {
    return false
  }

  /** Takes bytes in up to the end of the prelude or of the frame, and says how many. */
  #take(chunk: Uint8Array, from: number): number {
    const end = this.#wanted ?? PRELUDE_BYTES
    const part = chunk.subarray(from, from + end - this.#held)
    this.#hold(part, end)
    if (this.#held === PRELUDE_BYTES && this.#wanted === null) this.#readPrelude()
    else if (this.#held === this.#wanted) this.#readFrame(this.#wanted)
    return part.length
  }

  #hold(part: Uint8Array, end: number): void {
    if (this.#buffer.length < end) {
      const larger = new Uint8Array(end)
      larger.set(this.#buffer.subarray(0, this.#held))
      this.#buffer = larger
    }
    this.#buffer.set(part, this.#held)
    this.#held += part.length
  }

  #readPrelude(): void {
    const prelude = new DataView(this.#buffer.buffer)
    const total = prelude.getUint32(0)
    if (crc32(this.#buffer, 0, 8) !== prelude.getUint32(8)) return this.#unreadable('has a broken checksum in its prelude')
    if (total > this.#maxBytes) return this.#unreadable('exceeds the bound')
    if (prelude.getUint32(4) > total - PRELUDE_BYTES - CHECKSUM_BYTES) return this.#unreadable('states a length that no frame has')
    this.#wanted = total
  }

  #readFrame(total: number): void {
    const view = new DataView(this.#buffer.buffer)
    const end = total - CHECKSUM_BYTES
    if (crc32(this.#buffer, 0, end) !== view.getUint32(end)) return this.#unreadable('has a broken checksum')
    const payloadAt = PRELUDE_BYTES + view.getUint32(4)
    const headers = this.#headersOf(this.#buffer.subarray(PRELUDE_BYTES, payloadAt))
    if (headers === null) return this.#unreadable('has headers that cannot be read')
    const payload = UTF8.decode(this.#buffer.subarray(payloadAt, end))
    this.#toldAt = this.#frameAt
    this.#frameAt += total
    this.#held = 0
    this.#wanted = null
    this.#onEvent(eventOf(headers, payload))
  }

  #headersOf(bytes: Uint8Array): Headers | null {
    if (isSame(bytes, this.#headerBytes)) return this.#headers
    const headers = readHeaders(bytes)
    if (headers === null) return null
    this.#headerBytes = bytes.slice()
    this.#headers = headers
    return headers
  }

  #unreadable(what: string): void {
    this.#fault = { at: this.#frameAt, what }
    this.#buffer = new Uint8Array(0)
  }
}

/** An exception that the service declares has a type; an error that it does not has a code and words among its headers. */
function eventOf(headers: Headers, payload: string): FrameEvent {
  const kind = headers.get(':message-type')
  if (kind === 'exception') return { data: asObject(payload), event: EXCEPTION + (headers.get(':exception-type') ?? 'unknown') }
  if (kind === 'error') {
    const words = headers.get(':error-message')
    const data = payload === '' && words !== undefined ? JSON.stringify({ message: words }) : asObject(payload)
    return { data, event: EXCEPTION + (headers.get(':error-code') ?? 'unknown') }
  }
  return { data: payload, event: headers.get(':event-type') }
}

function asObject(payload: string): string {
  try {
    if (isObject(JSON.parse(payload))) return payload
  } catch {
    // Words without a shape are words all the same.
  }
  return JSON.stringify(payload === '' ? {} : { message: payload })
}

/** Bytes of a value by its type, where they do not depend on the value: two truths, then 1, 2, 4 and 8 bytes; instant, uuid. */
const FIXED_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }
const BYTES = 6
const TEXT = 7

/** The headers that are text, by name; null when they do not fit into their bytes. */
function readHeaders(bytes: Uint8Array): Headers | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const typeAt = at + 1 + (bytes[at] as number)
    const type = bytes[typeAt]
    if (type === undefined) return null
    const isSized = type === BYTES || type === TEXT
    if (isSized && typeAt + 3 > bytes.length) return null
    const valueAt = typeAt + (isSized ? 3 : 1)
    const length = isSized ? view.getUint16(typeAt + 1) : FIXED_BYTES[type]
    if (length === undefined || valueAt + length > bytes.length) return null
    if (type === TEXT) headers.set(textOf(bytes, at + 1, typeAt), textOf(bytes, valueAt, valueAt + length))
    at = valueAt + length
  }
  return headers
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  return UTF8.decode(bytes.subarray(from, to))
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  for (let at = 0; at < one.length; at += 1) if (one[at] !== other[at]) return false
  return true
}
