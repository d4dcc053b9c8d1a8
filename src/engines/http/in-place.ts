import type { JsonObject } from './json-object.ts'
/** What stood next in an answer: so much of its text (in UTF-16 units), its next call, or a block that was kept. */
export type Place = { readonly text: number } | 'call' | { readonly kept: JsonObject }

/**
 * The blocks of an answer as they stood: what was kept, in its places among the text and the calls of the message. Text and calls are
 * always whole, also where a host has changed them; only where the kept blocks stand among them may then differ. A piece of nothing but
 * white space goes in front of the next, since protocols refuse it as a block of its own.
 */
export function inPlace(places: readonly Place[], text: string, calls: readonly JsonObject[], write: (text: string) => JsonObject): JsonObject[] {
  const blocks: JsonObject[] = []
  let said = 0
  let called = 0
  const say = (until: number) => {
    const piece = text.slice(said, until)
    if (piece.trim() === '') return
    blocks.push(write(piece))
    said = until
  }
  let at = 0
  for (const place of places) {
    if (place === 'call') {
      const call = calls[called]
      if (call !== undefined) blocks.push(call)
      called += 1
    } else if ('kept' in place) blocks.push(place.kept)
    else {
      at = Math.min(text.length, at + place.text)
      say(afterWholeCharacter(text, at))
    }
  }
  say(text.length)
  return [...blocks, ...calls.slice(called)]
}

/** The place itself, or the one behind a character of two halves that it would part. */
function afterWholeCharacter(text: string, place: number): number {
  const code = text.charCodeAt(place)
  return code >= 0xdc00 && code <= 0xdfff ? place + 1 : place
}
