import { isObject, type JsonObject } from '../json-object.ts'
import type { PassingProtocol, ShownTexts } from '../passing-protocol.ts'
import { openaiResponsesDecoder } from './decode.ts'

/**
 * How a request for a response and its answer pass through. The events that close a part, an item and the answer repeat its text as a whole:
 * where a reader may not see all of it, they are written anew like its pieces.
 */
export const passingResponses: PassingProtocol = {
  takes: () => true,
  body: (body, { mode }) => (mode === 'stream' ? body : unstreamed(body)),
  decoder: openaiResponsesDecoder,
  plainText: {
    text: 'delta',
    varying: ['sequence_number', 'obfuscation'],
    is: /"response\.output_text\.delta"/,
    isMore: /"(?:error|response|usage|item)"\s*:\s*(?!null|\s)|"logprobs"\s*:\s*\[\s*[^\]\s]/,
  },
  repeats: true,
  shown,
  further: (event, text) => {
    if (event.type !== PIECE) return null
    const { obfuscation: _, logprobs: __, ...rest } = event
    return { name: PIECE, event: { ...rest, delta: text, logprobs: [] } }
  },
}

/** How to stream is refused in a request that does not, such as the recovery of a stream (R26). */
function unstreamed({ stream_options: _, ...body }: JsonObject): JsonObject {
  return body
}

const PIECE = 'response.output_text.delta'

function shown(event: JsonObject, texts: ShownTexts): JsonObject | null {
  if (event.type === PIECE) return shownPiece(event, texts.piece)
  if (event.type === 'response.output_text.done') return withWhole(event, 'text', texts)
  if (isObject(event.part)) return replaced(event, 'part', shownPart(event.part, texts))
  if (isObject(event.item)) return replaced(event, 'item', shownItem(event.item, texts))
  if (!isObject(event.response)) return event
  const response = withWhole(event.response, 'output_text', texts)
  return replaced(
    event,
    'response',
    replaced(
      response,
      'output',
      mapped(response.output, (item) => shownItem(item, texts)),
    ),
  )
}

function shownPiece(event: JsonObject, piece: () => string): JsonObject | null {
  if (typeof event.delta !== 'string' || event.delta === '') return event
  const delta = piece()
  if (delta === event.delta) return event
  // The tokens of the text stand there as well.
  return delta === '' ? null : { ...event, delta, logprobs: [] }
}

function shownItem(item: JsonObject, texts: ShownTexts): JsonObject {
  return item.type === 'message'
    ? replaced(
        item,
        'content',
        mapped(item.content, (part) => shownPart(part, texts)),
      )
    : item
}

function shownPart(part: JsonObject, texts: ShownTexts): JsonObject {
  return part.type === 'output_text' ? withWhole(part, 'text', texts) : part
}

function withWhole(holder: JsonObject, name: string, { whole }: ShownTexts): JsonObject {
  const text = holder[name]
  if (typeof text !== 'string') return holder
  const visible = whole(text)
  return visible === text ? holder : { ...holder, [name]: visible, ...(Array.isArray(holder.logprobs) ? { logprobs: [] } : {}) }
}

/** The same object where nothing in it changed. */
function replaced(holder: JsonObject, name: string, value: unknown): JsonObject {
  return value === holder[name] ? holder : { ...holder, [name]: value }
}

function mapped(list: unknown, map: (value: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(list)) return list
  const made = list.map((value: unknown) => (isObject(value) ? map(value) : value))
  return made.some((value, at) => value !== list[at]) ? made : list
}
