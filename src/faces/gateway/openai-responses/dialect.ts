import type { Dialect } from '../dialect.ts'
import { openaiError } from '../openai-error.ts'
import type { Problem } from '../problem.ts'
import { answerOfResponses } from './answer.ts'
import { readResponses } from './read.ts'
import { ResponsesVoice } from './voice.ts'

/** OpenAI Responses, as its SDKs speak it. Nothing is kept between two requests, so each brings its whole input. */
export const openaiResponsesDialect: Dialect = {
  api: 'openai-responses',
  idHeader: 'x-request-id',
  read: readResponses,
  answer: answerOfResponses,
  voice: (head) => new ResponsesVoice(head),
  error: (problem, relevo) => openaiError(inOwnFields(problem), relevo),
}

/** The kernel speaks of `messages`, which a client of this protocol calls `input`. */
function inOwnFields(problem: Problem): Problem {
  const { param } = problem
  return param === null ? problem : { ...problem, param: param.replace(/^messages\b/, 'input') }
}
