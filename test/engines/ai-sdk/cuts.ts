import { type LanguageModel, streamText } from 'ai'
import { fromAiSdk, guardedFetch } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import { conformanceRequest } from '../../../src/engines/conformance/request.ts'
import { readStream } from '../../../src/index.ts'
import { virtualClock } from '../../../src/testing.ts'
import { PROVIDERS, providerOf } from './subject.ts'

/** The AI SDK's own providers, each in front of an answer that a clean end cuts short. */
export const NAMES = [
  ['@ai-sdk/openai', 'openai-chat'],
  ['@ai-sdk/openai, responses', 'openai-responses'],
  ['@ai-sdk/openai-compatible', 'openai-chat'],
  ['@ai-sdk/anthropic', 'anthropic-messages'],
] as const

export const frames = (...events: object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

export const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'c1',
  created: 1,
  model: 'm1',
  choices: [{ index: 0, delta, finish_reason: finish }],
})

const CHAT = frames(
  chunk({ role: 'assistant', content: 'Hel' }),
  chunk({ content: 'lo ñ' }),
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Vigo"}' } }] }),
  chunk({}, 'tool_calls'),
  { id: 'c1', created: 1, model: 'm1', choices: [], usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 } },
)

const MESSAGES = frames(
  { type: 'message_start', message: { id: 'msg_1', model: 'm1', role: 'assistant', content: [], usage: { input_tokens: 9, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ñ' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"city":"Vigo"}' } },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 4 } },
  { type: 'message_stop' },
)

const MESSAGE = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello ñ', annotations: [] }],
}
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'weather', arguments: '{"city":"Vigo"}', status: 'completed' }
const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'm1' }
const COUNTS = { input_tokens: 9, output_tokens: 4, total_tokens: 13 }

const RESPONSES = frames(
  { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...MESSAGE, status: 'in_progress', content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hello ñ' },
  { type: 'response.output_item.done', output_index: 0, item: MESSAGE },
  { type: 'response.output_item.added', output_index: 1, item: { ...CALL, status: 'in_progress', arguments: '' } },
  { type: 'response.function_call_arguments.delta', item_id: 'fc_1', output_index: 1, delta: '{"city":"Vigo"}' },
  { type: 'response.output_item.done', output_index: 1, item: CALL },
  { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [MESSAGE, CALL], usage: COUNTS } },
)

/** A whole answer of each protocol: text, a tool call, usage, the terminator. */
export const WHOLE: Readonly<Record<string, string>> = {
  'openai-chat': `${CHAT}data: [DONE]\n\n`,
  'openai-responses': RESPONSES,
  'anthropic-messages': MESSAGES,
}

export const bytesOf = (api: string): Uint8Array => new TextEncoder().encode(WHOLE[api])

/** Every `step`th place of an answer, and every one near its end. */
export function places(api: string, step: number): number[] {
  const { length } = bytesOf(api)
  return Array.from({ length: length + 1 }, (_, at) => at).filter((at) => at % step === 0 || at > length - 30)
}

/** A fetch whose answer is the first `at` bytes, and then a clean end. */
export function cut(api: string, at: number): typeof globalThis.fetch {
  return async () => new Response(bytesOf(api).slice(0, at), { headers: { 'content-type': 'text/event-stream' } })
}

/** One attempt through `fromAiSdk`, to its end. */
export async function attempt(name: string, api: string, fetch: typeof globalThis.fetch): Promise<Recording> {
  const source = PROVIDERS[name]
  if (source === undefined) throw new Error(`no provider ${name}`)
  const request = conformanceRequest({ mode: 'stream', items: [] }, { api, endpoint: 'http://provider.example/v1', clock: virtualClock(0) })
  const recording = new Recording(fromAiSdk(source, { fetch }), request)
  await recording.over
  recording.lawful()
  return recording
}

/** Places at which the attempt comes to something else than the bytes do, in words. */
export async function misjudged(name: string, api: string, step: number): Promise<string[]> {
  const wrong: string[] = []
  for (const at of places(api, step)) {
    const expected = readStream(api, bytesOf(api).slice(0, at))
    const last = (await attempt(name, api, cut(api, at))).events.at(-1)
    const is = last?.type === 'failed' ? last.failure.kind : last?.type
    const should = 'final' in expected ? 'final' : expected.failed.kind
    if (is !== should) wrong.push(`byte ${at}: ${is}, not ${should}`)
  }
  return wrong
}

/** Of the places that leave the answer incomplete, those at which `streamText` itself takes it for a whole one. */
export async function accepted(name: string, api: string, step: number, guard: boolean): Promise<{ silent: number; cuts: number }> {
  let silent = 0
  const cuts = places(api, step).filter((at) => 'failed' in readStream(api, bytesOf(api).slice(0, at)))
  for (const at of cuts) {
    const fetch = guard ? guardedFetch({ fetch: cut(api, at) }) : cut(api, at)
    if (await isAnswer(providerOf(name, { endpoint: 'http://provider.example/v1', fetch }))) silent += 1
  }
  return { silent, cuts: cuts.length }
}

async function isAnswer(model: LanguageModel): Promise<boolean> {
  const result = streamText({ model, prompt: 'hi', maxOutputTokens: 100, maxRetries: 0, onError: () => {} })
  try {
    for await (const part of result.fullStream) if (part.type === 'error') return false
    return (await result.finishReason) !== 'error'
  } catch {
    return false
  }
}
