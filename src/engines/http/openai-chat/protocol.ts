import { type HttpProtocol, joined } from '../protocol.ts'
import { decodeOpenaiChatAnswer, openaiChatDecoder } from './decode.ts'
import { encodeOpenaiChat, signOpenaiChat } from './encode.ts'

/** OpenAI Chat Completions. The base address is the one SDKs are given: `https://api.openai.com/v1`. */
export const openaiChat: HttpProtocol = {
  api: 'openai-chat',
  address: (endpoint) => joined(endpoint, '/chat/completions'),
  encode: encodeOpenaiChat,
  streamType: 'text/event-stream',
  headers: {},
  sign: signOpenaiChat,
  decoder: openaiChatDecoder,
  decodeAnswer: decodeOpenaiChatAnswer,
}
