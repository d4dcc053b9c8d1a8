import { createAnthropic } from '@ai-sdk/anthropic'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { streamText } from 'ai'
import type { MatrixClient } from '../matrix.ts'

const PROMPT = 'Count to three.'
const ASK = { model: '', max_tokens: 100, messages: [{ role: 'user' as const, content: PROMPT }] }

/** Reads pieces until they end or raise. */
async function shown(pieces: () => AsyncIterable<string>): ReturnType<MatrixClient['ask']> {
  let text = ''
  try {
    for await (const piece of pieces()) text += piece
    return { text, raised: null }
  } catch (raised) {
    return { text, raised }
  }
}

async function* fromSdk(address: string): AsyncGenerator<string> {
  const client = new Anthropic({ baseURL: address, apiKey: 'none', maxRetries: 0 })
  for await (const event of await client.messages.create({ ...ASK, stream: true })) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') yield event.delta.text
  }
}

async function* fromAiSdk(address: string): AsyncGenerator<string> {
  const provider = createAnthropic({ baseURL: `${address}/v1`, apiKey: 'none' })
  const { fullStream } = streamText({ model: provider('any'), prompt: PROMPT, maxOutputTokens: 100, maxRetries: 0, onError: () => {} })
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield part.text
  }
}

async function* fromLangChain(address: string): AsyncGenerator<string> {
  const model = new ChatAnthropic({ model: 'any', apiKey: 'none', maxRetries: 0, anthropicApiUrl: address })
  for await (const { text } of await model.stream(PROMPT)) yield text
}

/** The clients of messages as people use them, their own retries off. */
export const MESSAGES_CLIENTS: readonly MatrixClient[] = [
  { name: 'Anthropic, for await', ask: (address) => shown(() => fromSdk(address)) },
  {
    name: 'Anthropic, stream helper',
    ask: async (address) => {
      const client = new Anthropic({ baseURL: address, apiKey: 'none', maxRetries: 0 })
      let text = ''
      const stream = client.messages.stream(ASK)
      stream.on('text', (delta) => {
        text += delta
      })
      return stream.finalMessage().then(
        () => ({ text, raised: null }),
        (raised: unknown) => ({ text, raised }),
      )
    },
  },
  { name: 'AI SDK', ask: (address) => shown(() => fromAiSdk(address)) },
  { name: 'LangChain', ask: (address) => shown(() => fromLangChain(address)) },
]
