import type { Verdict } from '../../../src/engines/http/decoder.ts'
import { streamDecoder } from '../../../src/engines/http/read.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { CompletionPolicy } from '../../../src/model/settings.ts'

/** What the suites of this folder share: bytes in, events out, and bytes arranged otherwise. */
export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

export function decodeAll(api: string, chunks: Iterable<Uint8Array>, completion: CompletionPolicy = 'strict'): ProviderEvent[] {
  const events: ProviderEvent[] = []
  const decoder = streamDecoder(api, { completion })
  const emit = (event: ProviderEvent) => events.push(event)
  for (const chunk of chunks) decoder.push(chunk, emit)
  decoder.end(emit)
  return events
}

/** The verdict after each byte, from one feeding; index 0 is before the first. */
export function verdicts(api: string, body: Uint8Array, completion: CompletionPolicy = 'strict'): Verdict[] {
  const decoder = streamDecoder(api, { completion })
  const seen: Verdict[] = [decoder.verdict()]
  for (let at = 0; at < body.length; at += 1) {
    decoder.push(body.subarray(at, at + 1), () => {})
    seen.push(decoder.verdict())
  }
  return seen
}

/** A repeatable source of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function* cutAtRandom(body: Uint8Array, random: () => number): Generator<Uint8Array> {
  for (let at = 0; at < body.length; ) {
    const size = random() < 0.3 ? 1 + Math.floor(random() * 4) : 1 + Math.floor(random() * 900)
    yield body.subarray(at, at + size)
    at += size
  }
}

/** The same events with other line ends. */
export function withLineEnds(body: Uint8Array, end: '\r\n' | '\r'): Uint8Array {
  return bytes(new TextDecoder().decode(body).replaceAll('\r\n', '\n').replaceAll('\n', end))
}

export const textOf = (events: readonly ProviderEvent[]): string => events.map((event) => (event.type === 'text' ? event.text : '')).join('')

/** Without what rightly depends on the chunks: how text was cut, and what happened to stand in the last chunk behind the terminator. */
export function summary(events: readonly ProviderEvent[]): unknown {
  return events.map((event) => {
    if (event.type === 'final') return { ...event, contentAfter: undefined }
    if (event.type !== 'failed') return event
    return { type: 'failed', kind: event.failure.kind, code: event.failure.code, message: event.failure.message }
  })
}
