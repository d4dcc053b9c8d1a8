import type { Ask, HttpProtocol } from '../protocol.ts'
import { decodeGeminiAnswer, geminiDecoder } from './decode.ts'
import { encodeGemini, signGemini } from './encode.ts'

/**
 * Gemini `generateContent`. The base address is `https://generativelanguage.googleapis.com`, or the same with its version as SDKs are given
 * it. On Vertex it ends in `/publishers/google`; a token of Google Cloud (`ya29.…`) is the profile's key there.
 */
export const gemini: HttpProtocol = {
  api: 'gemini',
  address: geminiAddress,
  encode: encodeGemini,
  streamType: 'text/event-stream',
  headers: {},
  sign: signGemini,
  decoder: geminiDecoder,
  decodeAnswer: decodeGeminiAnswer,
}

const COMPLETE_BASE = /\/v\d+(?:(?:alpha|beta)\d*)?$|\/publishers\/[^/]+$/

/** Without `alt=sse` a stream would come as one JSON array. */
function geminiAddress(endpoint: string, { model, mode }: Ask): string {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, '').replace(/\/models$/, '')
  const method = mode === 'stream' ? 'streamGenerateContent' : 'generateContent'
  url.pathname = `${base}${COMPLETE_BASE.test(base) ? '' : '/v1beta'}/${resourceOf(model)}:${method}`
  if (mode === 'stream') url.searchParams.set('alt', 'sse')
  return url.href
}

/** `models/x` of a model `x`. A name is one segment whatever it holds: no `/`, `?` or `:` of it may reach another resource. */
function resourceOf(model: string): string {
  const [, collection = 'models', name = ''] = /^(?:(models|tunedModels)\/)?(.*)$/s.exec(model) ?? []
  return `${collection}/${encodeURIComponent(name)}`
}
