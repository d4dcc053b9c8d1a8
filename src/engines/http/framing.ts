/**
 * How the bytes of a stream fall into events: server-sent events, lines, or binary frames. A protocol chooses one; what the events mean
 * is its reader's to say.
 *
 * 1. A chunk boundary changes nothing.
 * 2. An event counts when it is whole; what is unfinished at the end of bytes is dropped (wire.md §12.5).
 * 3. Memory is bounded, however the bytes were chunked.
 */
export interface Framing {
  /** Feeds one chunk; events are told before it returns. Nothing more is read after a fault. */
  push(chunk: Uint8Array): void
  /** Byte offset at which the event that is being told, or was told last, begins. */
  eventAt(): number
  /** What makes the rest of the bytes unreadable, or null. */
  readonly fault: FramingFault | null
  /** Whether the unfinished event is exactly the payload-free terminator `data`, its line end included. */
  unfinishedIs(data: string): boolean
  /** Nothing is held of an unfinished event. Of framings whose events can be passed on unread. */
  readonly atRest?: boolean
  /** Counts whole events that are not read; only at rest. */
  skip?(bytes: number): void
}

export interface FrameEvent {
  /** A JSON text, or a protocol's terminator that is none. */
  readonly data: string
  /** The name that the framing gives the event, apart from its data. */
  readonly event?: string | undefined
}

export interface FramingFault {
  /** Byte offset of the event at fault. */
  readonly at: number
  /** What is wrong, as the words between `an event` and `at byte N`: `exceeds the bound`. */
  readonly what: string
}

export type FramingOf = (onEvent: (event: FrameEvent) => void) => Framing

/** Bytes that one event of a stream may have. */
export const MAX_EVENT_BYTES = 1024 * 1024
