import type { Dialect } from '../dialect.ts'
import { answerOfMessages } from './answer.ts'
import { anthropicError } from './error.ts'
import { readMessages } from './read.ts'
import { MessagesVoice } from './voice.ts'

/** Anthropic Messages, as its SDKs speak it. */
export const anthropicMessagesDialect: Dialect = {
  api: 'anthropic-messages',
  idHeader: 'request-id',
  read: readMessages,
  answer: answerOfMessages,
  voice: (head) => new MessagesVoice(head),
  error: anthropicError,
}
