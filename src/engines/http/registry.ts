import type { Engine, EngineResolver } from '../contract.ts'
import { anthropicMessages } from './anthropic-messages/protocol.ts'
import { bedrockConverse } from './bedrock-converse/protocol.ts'
import { engineOver, type HttpOptions, transportOf } from './engine.ts'
import { gemini } from './gemini/protocol.ts'
import { ollama } from './ollama/protocol.ts'
import { openaiChat } from './openai-chat/protocol.ts'
import { openaiResponses } from './openai-responses/protocol.ts'
import type { HttpProtocol } from './protocol.ts'

/** One line a protocol. */
const PROTOCOLS: readonly HttpProtocol[] = [openaiChat, openaiResponses, anthropicMessages, gemini, ollama, bedrockConverse]

/** The `api` names that an HTTP profile may have. */
export const HTTP_APIS: readonly string[] = PROTOCOLS.map((protocol) => protocol.api)

/** The protocol of an `api` name, or undefined. */
export function httpProtocol(api: string): HttpProtocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.api === api)
}

export type HttpEngineResolver = EngineResolver & {
  /** Closes the connections that were opened here; an injected dispatcher or fetch is left alone. */
  close(): Promise<void>
}

/**
 * The engines of all HTTP protocols over one set of connections. A profile whose `api` is not among `HTTP_APIS`, or without an
 * endpoint, has none.
 */
export function resolveHttpEngine(options: HttpOptions = {}): HttpEngineResolver {
  const transport = transportOf(options)
  const engines = new Map<string, Engine>(PROTOCOLS.map((protocol) => [protocol.api, engineOver(protocol, transport)]))
  const resolve: EngineResolver = (profile) => (profile.api === null || profile.endpoint === null ? undefined : engines.get(profile.api))
  return Object.assign(resolve, { close: () => transport.close() })
}
