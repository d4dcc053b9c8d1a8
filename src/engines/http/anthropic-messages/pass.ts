import { isObject, type JsonObject } from '../json-object.ts'
import type { PassingProtocol, ShownTexts } from '../passing-protocol.ts'
import { anthropicMessagesDecoder } from './decode.ts'

/** How a message request and its answer pass through: every server of the protocol takes what its only reference says. */
export const passingMessages: PassingProtocol = {
  takes: () => true,
  body: (body) => body,
  decoder: anthropicMessagesDecoder,
  plainText: { text: 'text', varying: [], is: /"text_delta"/, isMore: /"(?:error|usage|citations?)"\s*:\s*(?!null|\s)/ },
  repeats: false,
  shown,
  further: ({ index }, text) => ({
    name: 'content_block_delta',
    event: { type: 'content_block_delta', index, delta: { type: 'text_delta', text } },
  }),
}

function shown(event: JsonObject, { piece }: ShownTexts): JsonObject | null {
  const { content_block: block, delta } = event
  if (event.type === 'content_block_start' && isObject(block) && block.type === 'text' && isText(block.text)) {
    const text = piece()
    return text === block.text ? event : { ...event, content_block: { ...block, text } }
  }
  if (event.type !== 'content_block_delta' || !isObject(delta) || delta.type !== 'text_delta' || !isText(delta.text)) return event
  const text = piece()
  if (text === '') return null
  return text === delta.text ? event : { ...event, delta: { ...delta, text } }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
