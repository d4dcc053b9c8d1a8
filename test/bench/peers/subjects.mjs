// Who is measured, each asked in the way its own documentation shows, with one answer shape for all:
//   { text, failed, finish }: what a reader was handed piece by piece, whether anything told of a failure, the finish reason that was told.
// Inner retries are off everywhere: what is compared is what happens when an attempt fails, not how often it is made.
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { streamText } from 'ai'
import { createFallback } from 'ai-fallback'
import { createRetryableModel } from 'ai-retry/language-model'
import OpenAI from 'openai'
import { createKernel } from '../../../dist/index.js'

const PROMPT = 'count'
const MESSAGES = [{ role: 'user', content: PROMPT }]

/** Each by a name of its own: ai-retry takes models of one name and id for one model, and tries it once. */
const sdkModel = (address, at = 0) => createOpenAI({ name: `provider${at}`, baseURL: address, apiKey: 'k' }).chat('bench')
const compatibleModel = (address) => createOpenAICompatible({ name: 'bench', baseURL: address, apiKey: 'k', includeUsage: true })('bench')

async function throughStreamText(model) {
  const told = { text: '', failed: false, finish: null }
  const result = streamText({ model, prompt: PROMPT, maxRetries: 0, onError: () => {} })
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') told.text += part.text
    else if (part.type === 'error' || part.type === 'abort') told.failed = true
    else if (part.type === 'finish') told.finish = part.finishReason
  }
  return told
}

async function throughDoStream(model) {
  const told = { text: '', failed: false, finish: null }
  const { stream } = await model.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }] })
  for await (const part of stream) {
    if (part.type === 'text-delta') told.text += part.delta
    else if (part.type === 'error') told.failed = true
    else if (part.type === 'finish') told.finish = part.finishReason.unified
  }
  return told
}

async function throughOpenAI(client) {
  const told = { text: '', failed: false, finish: null }
  const stream = await client.chat.completions.create({ model: 'bench', messages: MESSAGES, stream: true, stream_options: { include_usage: true } })
  for await (const chunk of stream) {
    const choice = chunk.choices[0]
    told.text += choice?.delta?.content ?? ''
    told.finish = choice?.finish_reason ?? told.finish
  }
  return told
}

async function throughLangChain(model) {
  const told = { text: '', failed: false, finish: null }
  for await (const chunk of await model.stream(PROMPT)) {
    told.text += chunk.content
    told.finish = chunk.response_metadata?.finish_reason ?? told.finish
  }
  return told
}

function chatOpenAI(address) {
  return new ChatOpenAI({ model: 'bench', apiKey: 'k', maxRetries: 0, streamUsage: true, configuration: { baseURL: address } })
}

function kernelOf([first, second]) {
  const profile = (endpoint, fallback) => ({ api: 'openai-chat', endpoint, model: 'bench', apiKey: 'k', fallback })
  const profiles =
    second === undefined ? { 'a.first': profile(first, []) } : { 'a.first': profile(first, ['b.second']), 'b.second': profile(second, []) }
  return createKernel({ primary: 'a.first', profiles, reliability: { providerRetries: 0 } })
}

async function throughEventSink(kernel) {
  let text = ''
  const event = (each) => {
    if (each.type === 'text' || each.type === 'answer') text += each.text
  }
  const outcome = await kernel.turn({ prompt: PROMPT, sinks: { event } }).outcome
  return { text, failed: outcome.kind !== 'ok', finish: outcome.kind }
}

async function throughDraftSink(kernel) {
  let text = ''
  const draft = (whole) => {
    text = whole
  }
  const outcome = await kernel.turn({ prompt: PROMPT, sinks: { draft } }).outcome
  return { text, failed: outcome.kind !== 'ok', finish: outcome.kind }
}

/** `open` makes what is asked, for one address or for a first and a second; `falls`: it knows what to do with the second. */
export const subjects = [
  { name: 'relevo, event sink', ours: true, falls: true, open: kernelOf, ask: throughEventSink, close: (kernel) => kernel.stop() },
  { name: 'relevo, draft sink', ours: true, falls: true, open: kernelOf, ask: throughDraftSink, close: (kernel) => kernel.stop() },
  { name: 'ai streamText', falls: false, open: ([first]) => sdkModel(first), ask: throughStreamText },
  { name: 'ai streamText, compatible', falls: false, costsAsAnother: true, open: ([first]) => compatibleModel(first), ask: throughStreamText },
  { name: 'ai doStream', falls: false, open: ([first]) => sdkModel(first), ask: throughDoStream },
  { name: 'ai-fallback doStream', falls: true, open: (all) => createFallback({ models: all.map(sdkModel) }), ask: throughDoStream },
  {
    name: 'ai-fallback, not after output',
    falls: true,
    costsAsAnother: true,
    open: (all) => createFallback({ models: all.map(sdkModel), retryAfterOutput: false }),
    ask: throughDoStream,
  },
  {
    name: 'ai-retry doStream',
    falls: true,
    open: ([first, ...rest]) => createRetryableModel({ model: sdkModel(first), retries: rest.map((address) => sdkModel(address, 1)) }),
    ask: throughDoStream,
  },
  { name: 'openai SDK', falls: false, open: ([first]) => new OpenAI({ baseURL: first, apiKey: 'k', maxRetries: 0 }), ask: throughOpenAI },
  {
    name: 'LangChain withFallbacks',
    falls: true,
    open: ([first, ...rest]) => (rest.length === 0 ? chatOpenAI(first) : chatOpenAI(first).withFallbacks(rest.map(chatOpenAI))),
    ask: throughLangChain,
  },
]

/** One answer of a subject; a rejection is a failure that was told. */
export async function asked(subject, opened) {
  try {
    return await subject.ask(opened)
  } catch {
    return { text: '', failed: true, finish: null }
  }
}
