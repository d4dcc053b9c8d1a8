import type { Dialect } from '../dialect.ts'
import { openaiError } from '../openai-error.ts'
import { answerOfChat } from './answer.ts'
import { readChat } from './read.ts'
import { ChatVoice } from './voice.ts'

/** OpenAI Chat Completions, as its SDKs speak it. */
export const openaiChatDialect: Dialect = {
  api: 'openai-chat',
  idHeader: 'x-request-id',
  read: readChat,
  answer: answerOfChat,
  voice: (head) => new ChatVoice(head),
  error: openaiError,
}
