import type { ScriptedEvent, ScriptedOutcome } from './script.ts'

/**
 * A voice says scripted events in the words of one provider's wire protocol. It is pure: the same events, identity and request always
 * give the same frames, so a voice is tested without a socket, and the server that carries frames knows no protocol.
 */
export interface Voice {
  /** Name of the protocol as `Profile.api` has it. */
  readonly api: string
  /** Where the protocol is spoken, below the address of a profile. Where the path holds the model, `route` reads it and this is its constant part. */
  readonly path: string
  /**
   * What a POST to `pathname` asks, or undefined when it is none of this protocol. Left out: every path that ends in `path`, with `model`
   * and `stream` in the body.
   */
  readonly route?: ((pathname: string, body: unknown) => Route | undefined) | undefined
  /** Media type of a streamed answer; `text/event-stream; charset=utf-8` when left out. */
  readonly streamType?: string | undefined
  /** Headers that the provider sends with every answer. */
  headers(identity: AnswerIdentity): Record<string, string>
  /** Its protocol tells the models that a provider itself tried. */
  readonly tellsIterations?: boolean | undefined
  /** A stream, event by event. Throws `CannotSay` for what the protocol has no words for. */
  stream(events: readonly ScriptedEvent[], identity: AnswerIdentity, asked: Asked): Step[]
  /** A whole answer. Throws `CannotSay`. */
  call(outcome: ServedOutcome, identity: AnswerIdentity): unknown
  /** The body of an error answer with this status. */
  errorBody(status: number, message: string, identity: AnswerIdentity): Record<string, unknown>
  /** A comment that any reader of a stream ignores; its bytes keep a connection alive. */
  readonly keepAlive: string | Uint8Array
}

/** What one request asks for. */
export interface Route {
  /** What stands in the path before the protocol's own part: the address of a profile, such as `/a.x` (a `/v1` that the protocol does not know cut off). */
  readonly base: string
  readonly model: string
  readonly mode: 'call' | 'stream'
}

/** The outcomes that have a body of the protocol's own. */
export type ServedOutcome = Extract<ScriptedOutcome, { ok: string } | { empty: true } | { refusal: string } | { length: string }>

/** Who answers: all ids and instants are given, so that frames repeat themselves. */
export interface AnswerIdentity {
  /** Number of the answer of this server, from 1; ids are made of it. */
  readonly n: number
  readonly model: string
  /** Epoch seconds. */
  readonly created: number
}

/** What the request asked for that changes the words of the answer. */
export interface Asked {
  /** openai-chat: `stream_options.include_usage`. */
  readonly usage: boolean
}

/** What is done with the body, in order. Writes without a wait between them leave in one piece. */
export type Step =
  | { readonly do: 'write'; readonly bytes: string | Uint8Array }
  | { readonly do: 'wait'; readonly ms: number }
  /** Writes the same bytes again and again: `times` (possibly Infinity) or until the client goes away, resting `everyMs` between. */
  | { readonly do: 'repeat'; readonly bytes: string | Uint8Array; readonly times: number; readonly everyMs: number }
  /** Writes bytes past the framing of the message, straight onto the connection. */
  | { readonly do: 'raw'; readonly bytes: string | Uint8Array }
  /** Ends the message cleanly. */
  | { readonly do: 'end' }
  /** Closes the connection in mid-message. */
  | { readonly do: 'close' }
  /** Resets the connection. */
  | { readonly do: 'reset' }
  /** Silence until the client goes away or the server is closed. */
  | { readonly do: 'stall' }

/** A scripted event that the protocol has no words for. */
export class CannotSay extends Error {
  override readonly name = 'CannotSay'
}

/** The steps that stand for events of no protocol's own; undefined for the others. */
export function plainStep(event: ScriptedEvent): Step | undefined {
  if ('eof' in event) return { do: 'end' }
  if ('network' in event) return { do: 'reset' }
  if ('stall' in event) return { do: 'stall' }
  return undefined
}

/** A wait before an event that asks for one. */
export function waitStep(event: ScriptedEvent): Step[] {
  return event.afterMs === undefined || event.afterMs <= 0 ? [] : [{ do: 'wait', ms: event.afterMs }]
}

/** `text` in up to three pieces that together are the text, as a model's tokens come; surrogate pairs stay whole. */
export function pieces(text: string): string[] {
  const points = [...text]
  if (points.length < 3) return text === '' ? [] : [text]
  const size = Math.ceil(points.length / 3)
  return [points.slice(0, size), points.slice(size, 2 * size), points.slice(2 * size)].map((part) => part.join(''))
}

/** A JSON object out of tool arguments, for wires that carry one; `CannotSay` when it is none. */
export function argumentsObject(json: string): Record<string, unknown> {
  let value: unknown
  try {
    value = json === '' ? {} : JSON.parse(json)
  } catch {
    throw new CannotSay(`arguments ${JSON.stringify(json)} are not JSON, and this protocol carries an object`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new CannotSay(`arguments ${json} are not a JSON object`)
  return value as Record<string, unknown>
}

/** Whether the usage at `index` is told by the finish that follows it at once, which is where providers tell totals. */
export function toldByFinal(events: readonly ScriptedEvent[], index: number): boolean {
  const next = events[index + 1]
  return next !== undefined && 'final' in next
}

/** The usage that the finish at `index` tells: the event directly before it, or undefined. */
export function usageOfFinal(events: readonly ScriptedEvent[], index: number): Extract<ScriptedEvent, { usage: unknown }>['usage'] | undefined {
  const previous = events[index - 1]
  return previous !== undefined && 'usage' in previous ? previous.usage : undefined
}

/** The steps that end a body. */
const ENDS: ReadonlySet<Step['do']> = new Set(['end', 'close', 'reset', 'stall'])

export function endsBody(step: Step): boolean {
  return ENDS.has(step.do)
}

/** The bytes of a step, whichever way they were given. */
export function bytesOf(bytes: string | Uint8Array): Buffer {
  return typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/**
 * What one request gets. `silence`: not a byte, or only a status line; `close` and `reset` end the connection without an answer, `raw` after
 * bytes that are no HTTP.
 */
export type Answer =
  | { readonly kind: 'response'; readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly steps: readonly Step[] }
  | { readonly kind: 'silence'; readonly statusLine: boolean }
  | { readonly kind: 'close' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }

export type Response = Extract<Answer, { kind: 'response' }>

export interface AnswerContext {
  readonly voice: Voice
  readonly mode: 'call' | 'stream'
  readonly identity: AnswerIdentity
  readonly asked: Asked
  /** The request said that it takes gzip. */
  readonly takesGzip: boolean
}
