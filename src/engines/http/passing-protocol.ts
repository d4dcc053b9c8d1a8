import type { StreamFrame } from '../../model/provider-event.ts'
import type { Profile } from '../../model/settings.ts'
import type { AttemptRequest, PassThrough } from '../contract.ts'
import type { DecoderOptions, EventStreamDecoder } from './decoder.ts'
import type { JsonObject } from './json-object.ts'

/** What a protocol knows of passing on: what a client that speaks it wrote, and what the provider answers to it. */
export interface PassingProtocol {
  /** Whether a server of this profile takes the body as it is. */
  readonly takes: (profile: Pick<Profile, 'dialect' | 'family'>, body: PassThrough['body']) => boolean
  /** The client's body as this attempt sends it; the model and whether it streams are set already. */
  readonly body: (body: JsonObject, request: AttemptRequest) => JsonObject
  readonly decoder: (options: DecoderOptions) => EventStreamDecoder
  readonly plainText: PlainText
  /** Events of the protocol repeat whole texts that were told in pieces. */
  readonly repeats: boolean
  /** The event with each text of the answer put in anew; null where nothing is left of it. */
  readonly shown: (event: JsonObject, texts: ShownTexts) => JsonObject | null
  /** An event with one more piece of the text that this one brought; null where it brought a whole text. */
  readonly further: (event: JsonObject, text: string) => { readonly name: string | null; readonly event: JsonObject } | null
}

/** The texts of one event as a reader may see them. */
export interface ShownTexts {
  /** Of the next piece of text in the event. */
  readonly piece: () => string
  /** Of a text that stands there whole. */
  readonly whole: (text: string) => string
}

/** How an event of nothing but text is written, so that the next one like it needs no reading. */
export interface PlainText {
  /** Key of the text. */
  readonly text: string
  /** Keys of other values that differ from one event to the next and mean nothing. */
  readonly varying: readonly string[]
  /** What says that an event is of this kind, and what says that it is more than text. */
  readonly is: RegExp
  readonly isMore: RegExp
}

/** The frame as bytes of a stream of server-sent events. */
export function bytesOf(frames: readonly StreamFrame[]): Uint8Array {
  let text = ''
  for (const { event, data } of frames) {
    if (event !== null) text += `event: ${event}\n`
    text += `data: ${data.replaceAll('\n', '\ndata: ')}\n\n`
  }
  return new TextEncoder().encode(text)
}
