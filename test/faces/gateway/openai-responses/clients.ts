import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { streamText } from 'ai'
import OpenAI from 'openai'
import type { MatrixClient } from '../matrix.ts'

const PROMPT = 'Count to three.'
const ASK = { model: '', input: PROMPT }

/** Reads pieces until they end or raise. */
async function shown(pieces: AsyncIterable<string>): ReturnType<MatrixClient['ask']> {
  let text = ''
  try {
    for await (const piece of pieces) text += piece
    return { text, raised: null }
  } catch (raised) {
    return { text, raised }
  }
}

function openai(address: string): OpenAI {
  return new OpenAI({ baseURL: `${address}/v1`, apiKey: 'none', maxRetries: 0 })
}

async function* fromSdk(address: string): AsyncGenerator<string> {
  for await (const event of await openai(address).responses.create({ ...ASK, stream: true })) {
    if (event.type === 'response.output_text.delta') yield event.delta
  }
}

async function* fromAiSdk(address: string): AsyncGenerator<string> {
  const model = createOpenAI({ baseURL: `${address}/v1`, apiKey: 'none' }).responses('any')
  const { fullStream } = streamText({ model, prompt: PROMPT, maxRetries: 0, onError: () => {} })
  for await (const part of fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') yield part.text
  }
}

async function* fromLangChain(address: string): AsyncGenerator<string> {
  const model = new ChatOpenAI({ model: 'any', apiKey: 'none', maxRetries: 0, useResponsesApi: true, configuration: { baseURL: `${address}/v1` } })
  for await (const { text } of await model.stream(PROMPT)) yield text
}

/** The clients of responses as people use them, their own retries off. */
export const RESPONSES_CLIENTS: readonly MatrixClient[] = [
  { name: 'openai, for await', ask: (address) => shown(fromSdk(address)) },
  {
    name: 'openai, stream helper',
    ask: async (address) => {
      let text = ''
      const stream = openai(address).responses.stream(ASK)
      stream.on('response.output_text.delta', ({ delta }) => {
        text += delta
      })
      return stream.finalResponse().then(
        ({ output_text }) => ({ text: output_text, raised: null }),
        (raised: unknown) => ({ text, raised }),
      )
    },
  },
  { name: 'AI SDK', ask: (address) => shown(fromAiSdk(address)) },
  { name: 'LangChain', ask: (address) => shown(fromLangChain(address)) },
]
