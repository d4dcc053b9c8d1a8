import { type HttpProtocol, joined } from '../protocol.ts'
import { anthropicMessagesDecoder, decodeAnthropicMessagesAnswer } from './decode.ts'
import { ANTHROPIC_VERSION, encodeAnthropicMessages, signAnthropicMessages } from './encode.ts'
import { passingMessages } from './pass.ts'

/** Anthropic Messages. The base address is `https://api.anthropic.com`, or the same with `/v1` as some clients write it. */
export const anthropicMessages: HttpProtocol = {
  api: 'anthropic-messages',
  address: (endpoint) => joined(endpoint, /\/v1(?:\/messages)?\/*(?:\?|$)/.test(endpoint) ? '/messages' : '/v1/messages'),
  encode: encodeAnthropicMessages,
  streamType: 'text/event-stream',
  headers: { 'anthropic-version': ANTHROPIC_VERSION },
  sign: signAnthropicMessages,
  decoder: anthropicMessagesDecoder,
  decodeAnswer: decodeAnthropicMessagesAnswer,
  passing: passingMessages,
}
