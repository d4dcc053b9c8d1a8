import { type HttpProtocol, joined } from '../protocol.ts'
import { decodeOllamaAnswer, ollamaDecoder } from './decode.ts'
import { encodeOllama, signOllama } from './encode.ts'

/**
 * Ollama's own chat. The base address is `http://127.0.0.1:11434` or `https://ollama.com`, with or without `/api`; with the `/v1` under
 * which the same server speaks the protocol of OpenAI, it is that server too.
 */
export const ollama: HttpProtocol = {
  api: 'ollama',
  address: (endpoint) => {
    const url = new URL(endpoint)
    url.pathname = url.pathname.replace(/\/v1\/*$/, '')
    return joined(url.href, /\/api(?:\/chat)?\/*$/.test(url.pathname) ? '/chat' : '/api/chat')
  },
  encode: encodeOllama,
  streamType: 'application/x-ndjson',
  headers: {},
  sign: signOllama,
  decoder: ollamaDecoder,
  decodeAnswer: decodeOllamaAnswer,
}
