import type { ContentPart } from '../../model/message.ts'
import { CannotSend } from '../cannot-send.ts'

type ImagePart = Extract<ContentPart, { type: 'image' }>

export interface ImageData {
  readonly mediaType: string
  /** Base64, without a line break or a prefix. */
  readonly data: string
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i

/**
 * The bytes of an image for a protocol that takes nothing else. A `data:` address is taken apart. Any other address is refused: an engine
 * makes one request and fetches nothing else (R1), and a call without its image would answer another question. The walk goes on to an
 * entry whose provider fetches addresses.
 */
export function base64Of(part: ImagePart, provider: string): ImageData {
  if (part.url === undefined) return { mediaType: part.mediaType, data: part.data ?? '' }
  const head = DATA_URL.exec(part.url)
  if (head !== null) return { mediaType: head[1] || part.mediaType, data: part.url.slice(head[0].length) }
  throw new CannotSend(`${provider} takes the bytes of an image and no address: put them into \`data\` as base64`)
}
