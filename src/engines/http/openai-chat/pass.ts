import type { Profile } from '../../../model/settings.ts'
import type { AttemptRequest, PassThrough } from '../../contract.ts'
import { isObject, type JsonObject } from '../json-object.ts'
import type { PassingProtocol, ShownTexts } from '../passing-protocol.ts'
import { isFirst, openaiChatDecoder } from './decode.ts'
import { dialectOf } from './dialects.ts'

/**
 * How a chat request and its answer pass through.
 *
 * A client speaks as OpenAI's own reference says. A server takes that as it is where its dialect says the same with what the body uses: no
 * field of a request is put into other words here, so what would need it is encoded from the messages.
 */
export const passingChat: PassingProtocol = {
  takes,
  body,
  decoder: openaiChatDecoder,
  plainText: {
    text: 'content',
    varying: ['obfuscation'],
    is: /"choices"/,
    isMore: /"(?:tool_calls|function_call|refusal|executed_tools|usage|x_groq|logprobs|error|reasoning\w*)"\s*:\s*(?!null|\s)/,
  },
  repeats: false,
  shown,
  further: (chunk, text) => {
    const choice = firstOf(chunk)
    return choice === undefined ? null : { name: null, event: { ...chunk, choices: [{ ...choice, delta: { content: text }, logprobs: null }] } }
  },
}

function takes(profile: Pick<Profile, 'dialect' | 'family'>, body: PassThrough['body']): boolean {
  const dialect = dialectOf(profile)
  // A server that does not know how OpenAI asks for usage may refuse the next field just as well.
  if (!dialect.asksUsage) return false
  // Of several answers one is read, and the others would pass unread.
  if (isSaid(body.n) && body.n !== 1) return false
  if (isSaid(body.reasoning_effort) && dialect.effort !== 'reasoning_effort') return false
  if (isObject(body.response_format) && body.response_format.type === 'json_schema' && dialect.schema !== 'json_schema') return false
  if (dialect.demanded !== null && Array.isArray(body.messages) && body.messages.some(isAnswer)) return false
  return takesChoice(dialect, body.tool_choice)
}

function takesChoice({ required, named, none }: ReturnType<typeof dialectOf>, choice: unknown): boolean {
  if (isObject(choice)) return named === 'object'
  if (choice === 'required') return required === choice
  return choice !== 'none' || none === choice
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null
}

function isAnswer(message: unknown): boolean {
  return isObject(message) && message.role === 'assistant'
}

/** Usage is asked for whether or not the client did: what was spent is known by it (R34). */
function body({ stream_options: asked, ...rest }: JsonObject, { mode }: AttemptRequest): JsonObject {
  if (mode !== 'stream') return rest
  return { stream_options: { ...(isObject(asked) ? asked : {}), include_usage: true }, ...rest }
}

function firstOf({ choices }: JsonObject): JsonObject | undefined {
  const first: unknown = Array.isArray(choices) ? choices.find(isFirst) : undefined
  return isObject(first) ? first : undefined
}

function shown(chunk: JsonObject, { piece }: ShownTexts): JsonObject | null {
  const choice = firstOf(chunk)
  if (choice === undefined || !isObject(choice.delta)) return chunk
  const { delta } = choice
  if (typeof delta.content !== 'string' || delta.content === '') return chunk
  const content = piece()
  if (content === delta.content) return chunk
  if (content === '' && !saysMore(chunk, choice, delta)) return null
  // The tokens of the text stand there as well.
  return {
    ...chunk,
    choices: (chunk.choices as unknown[]).map((one) => (one === choice ? { ...choice, delta: { ...delta, content }, logprobs: null } : one)),
  }
}

/** Whether anything stands beside the text that a client would miss. */
function saysMore(chunk: JsonObject, choice: JsonObject, delta: JsonObject): boolean {
  if (isSaid(choice.finish_reason) || isSaid(chunk.usage)) return true
  return Object.entries(delta).some(([name, value]) => name !== 'content' && isSaid(value))
}
