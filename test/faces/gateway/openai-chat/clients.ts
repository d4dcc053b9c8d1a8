import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { streamText } from 'ai'
import OpenAI from 'openai'
import type { MatrixClient } from '../matrix.ts'

const PROMPT = 'Count to three.'

/** Reads pieces until they end or raise. */
async function shown(pieces: () => Promise<AsyncIterable<string>>): ReturnType<MatrixClient['ask']> {
  let text = ''
  try {
    for await (const piece of await pieces()) text += piece
    return { text, raised: null }
  } catch (raised) {
    return { text, raised }
  }
}

async function* mapped<In>(source: AsyncIterable<In>, textOf: (item: In) => string): AsyncGenerator<string> {
  for await (const item of source) yield textOf(item)
}

/** The clients of chat completions as people use them, their own retries off. */
export const CHAT_CLIENTS: readonly MatrixClient[] = [
  {
    name: 'openai, for await',
    ask: (address) => {
      const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 })
      const body = { model: '', messages: [{ role: 'user' as const, content: PROMPT }], stream: true as const }
      return shown(async () => mapped(await client.chat.completions.create(body), ({ choices }) => choices[0]?.delta.content ?? ''))
    },
  },
  {
    name: 'openai, stream helper',
    ask: async (address) => {
      const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 })
      let text = ''
      const stream = client.chat.completions.stream({ model: '', messages: [{ role: 'user', content: PROMPT }] })
      stream.on('content', (delta) => {
        text += delta
      })
      return stream.finalContent().then(
        () => ({ text, raised: null }),
        (raised: unknown) => ({ text, raised }),
      )
    },
  },
  {
    name: 'AI SDK',
    ask: (address) => {
      const provider = createOpenAICompatible({ name: 'relevo', baseURL: `${address}/v1`, apiKey: 'none' })
      return shown(async () => {
        const { fullStream } = streamText({ model: provider('any'), prompt: PROMPT, maxRetries: 0, onError: () => {} })
        return mapped(fullStream, (part) => {
          if (part.type === 'error') throw part.error
          return part.type === 'text-delta' ? part.text : ''
        })
      })
    },
  },
  {
    name: 'LangChain',
    ask: (address) => {
      const model = new ChatOpenAI({ model: 'any', apiKey: 'none', maxRetries: 0, configuration: { baseURL: `${address}/v1` } })
      return shown(async () => mapped(await model.stream(PROMPT), ({ content }) => (typeof content === 'string' ? content : '')))
    },
  },
]
