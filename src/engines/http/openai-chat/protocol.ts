import type { HttpProtocol } from '../protocol.ts'
import { decodeOpenaiChatAnswer, openaiChatDecoder } from './decode.ts'
import { addressOpenaiChat, encodeOpenaiChat, signOpenaiChat } from './encode.ts'
import { passingChat } from './pass.ts'

/** OpenAI Chat Completions and the servers that speak it, each in its dialect. The base address is the one SDKs are given: `https://api.openai.com/v1`. */
export const openaiChat: HttpProtocol = {
  api: 'openai-chat',
  address: addressOpenaiChat,
  encode: encodeOpenaiChat,
  streamType: 'text/event-stream',
  headers: {},
  sign: signOpenaiChat,
  decoder: openaiChatDecoder,
  decodeAnswer: decodeOpenaiChatAnswer,
  passing: passingChat,
}
