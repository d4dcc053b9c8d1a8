import { anthropicMessagesVoice } from './anthropic-messages.ts'
import { bedrockConverseVoice } from './bedrock-converse.ts'
import { geminiVoice } from './gemini.ts'
import { ollamaVoice } from './ollama.ts'
import { openaiChatVoice } from './openai-chat.ts'
import { openaiResponsesVoice } from './openai-responses.ts'
import type { Route, Voice } from './voice.ts'

/** Every protocol that a loopback provider speaks; one line a voice. */
const BY_PROTOCOL = {
  'openai-chat': openaiChatVoice,
  'openai-responses': openaiResponsesVoice,
  'anthropic-messages': anthropicMessagesVoice,
  gemini: geminiVoice,
  ollama: ollamaVoice,
  'bedrock-converse': bedrockConverseVoice,
} satisfies Record<string, Voice>

export type LoopbackProtocol = keyof typeof BY_PROTOCOL

export const LOOPBACK_PROTOCOLS = Object.keys(BY_PROTOCOL) as readonly LoopbackProtocol[]

/** The voice of a protocol; throws for a name that is none. */
export function voiceOf(protocol: LoopbackProtocol): Voice {
  if (!Object.hasOwn(BY_PROTOCOL, protocol)) throw new Error(`No loopback voice speaks ${protocol}; known: ${LOOPBACK_PROTOCOLS.join(', ')}`)
  return BY_PROTOCOL[protocol]
}

/** Who is spoken to at this path and what is asked, or undefined when no voice knows the path. */
export function routeOf(voices: readonly Voice[], pathname: string, body: unknown): (Route & { readonly voice: Voice }) | undefined {
  for (const voice of voices) {
    const route = voice.route === undefined ? byBody(voice.path, pathname, body) : voice.route(pathname, body)
    if (route !== undefined) return { ...route, voice }
  }
  return undefined
}

/** A body without a model asks for the model of no name, which no script has. */
function byBody(path: string, pathname: string, body: unknown): Route | undefined {
  if (!pathname.endsWith(path)) return undefined
  const { model, stream } = (typeof body === 'object' && body !== null ? body : {}) as { model?: unknown; stream?: unknown }
  return { base: pathname.slice(0, -path.length), model: typeof model === 'string' ? model : '', mode: stream === true ? 'stream' : 'call' }
}
