import type { IncomingMessage } from 'node:http'
import { countTokens } from './anthropic-messages/count-tokens.ts'
import { anthropicMessagesDialect } from './anthropic-messages/dialect.ts'
import type { Dialect } from './dialect.ts'
import { anthropicModels, type ModelsVoice, openaiModels } from './models.ts'
import { openaiChatDialect } from './openai-chat/dialect.ts'
import { openaiResponsesDialect } from './openai-responses/dialect.ts'

/** A path of the gateway. */
export interface Route {
  /** As figures and log lines say it. */
  readonly name: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'count-tokens' | 'models' | 'metrics' | 'health'
  readonly methods: readonly string[]
  /** How its errors are told, and its answers where it has turns. */
  readonly dialect: Dialect
  /** Answers by itself, without a turn; null where a turn answers. Throws BadRequest. */
  readonly count: ((body: Readonly<Record<string, unknown>>) => object) | null
  /** What stands behind `/v1/models/`; null where nothing does. */
  readonly id: string | null
}

const READ = ['GET', 'HEAD']

const TURNS: Readonly<Record<string, Route>> = {
  '/v1/chat/completions': turnsOf(openaiChatDialect),
  '/v1/responses': turnsOf(openaiResponsesDialect),
  '/v1/messages': turnsOf(anthropicMessagesDialect),
  '/v1/messages/count_tokens': { ...turnsOf(anthropicMessagesDialect), name: 'count-tokens', count: countTokens },
}

const READS: Readonly<Record<string, Route['name']>> = { '/v1/models': 'models', '/metrics': 'metrics', '/healthz': 'health' }

const MODEL = '/v1/models/'

/** The path that is asked; null where it is none of the gateway's. */
export function routeOf(request: IncomingMessage): Route | null {
  const [path = ''] = (request.url ?? '').split('?')
  if (Object.hasOwn(TURNS, path)) return TURNS[path] ?? null
  const isModel = path.startsWith(MODEL)
  const name = isModel ? 'models' : Object.hasOwn(READS, path) ? READS[path] : undefined
  if (name === undefined) return null
  return { name, methods: READ, dialect: dialectOfClient(request), count: null, id: isModel ? decoded(path.slice(MODEL.length)) : null }
}

/** That of the client where the path does not say. */
export function dialectOfClient({ headers }: IncomingMessage): Dialect {
  return headers['anthropic-version'] === undefined ? openaiChatDialect : anthropicMessagesDialect
}

export function modelsVoiceOf({ headers }: IncomingMessage): ModelsVoice {
  return headers['anthropic-version'] === undefined ? openaiModels : anthropicModels
}

function turnsOf(dialect: Dialect): Route {
  return { name: dialect.api, methods: ['POST'], dialect, count: null, id: null }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
