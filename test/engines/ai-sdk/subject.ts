import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { AiSdkAsk } from '../../../src/ai-sdk.ts'

/** The AI SDK's own providers as an attempt makes them: with its address, its key and the fetch that it gets. */
export const PROVIDERS: Readonly<Record<string, (ask: AiSdkAsk) => LanguageModelV3>> = {
  '@ai-sdk/openai': ({ model, apiKey, fetch, profile }) =>
    createOpenAI({ baseURL: profile.endpoint ?? '', apiKey: apiKey ?? 'none', fetch }).chat(model),
  '@ai-sdk/openai, responses': ({ model, apiKey, fetch, profile }) =>
    createOpenAI({ baseURL: profile.endpoint ?? '', apiKey: apiKey ?? 'none', fetch }).responses(model),
  '@ai-sdk/openai-compatible': ({ model, apiKey, fetch, profile }) =>
    createOpenAICompatible({
      name: 'local',
      baseURL: profile.endpoint ?? '',
      ...(apiKey === undefined ? {} : { apiKey }),
      fetch,
      includeUsage: true,
    })(model),
  '@ai-sdk/anthropic': ({ model, apiKey, fetch, profile }) =>
    createAnthropic({ baseURL: profile.endpoint ?? '', apiKey: apiKey ?? 'none', fetch: withCounts(fetch) })(model),
}

/** A model of such a provider as a host makes it, without an engine. */
export function providerOf(name: string, { endpoint, fetch }: { endpoint: string; fetch: typeof globalThis.fetch }): LanguageModelV3 {
  const source = PROVIDERS[name]
  if (source === undefined) throw new Error(`no provider ${name}`)
  return source({ model: 'm1', apiKey: 'k', fetch, profile: { endpoint } as AiSdkAsk['profile'] })
}

/**
 * `@ai-sdk/anthropic` takes no message without counts, and the provider always sends some; the loopback voice says only what is scripted. The
 * zeros are put in behind the guard, which sees the bytes as they were sent.
 */
function withCounts(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    const { ok, status, headers, body } = response
    if (!ok || body === null) return response
    if (headers.get('content-type')?.includes('json')) return new Response(counted(await response.text()), { status, headers })
    let line = ''
    const lines = new TransformStream<string, string>({
      transform(text, controller) {
        const all = (line + text).split('\n')
        line = all.pop() ?? ''
        for (const each of all) controller.enqueue(`${each.startsWith('data: ') ? `data: ${counted(each.slice(6))}` : each}\n`)
      },
      flush: (controller) => controller.enqueue(line),
    })
    return new Response(body.pipeThrough(new TextDecoderStream()).pipeThrough(lines).pipeThrough(new TextEncoderStream()), { status, headers })
  }
}

const ZEROS = { input_tokens: 0, output_tokens: 0 }

function counted(text: string): string {
  try {
    const event = JSON.parse(text) as { type: string; message?: object }
    if (event.type === 'message_start') return JSON.stringify({ ...event, message: { usage: ZEROS, ...event.message } })
    return event.type === 'message' || event.type === 'message_delta' ? JSON.stringify({ usage: ZEROS, ...event }) : text
  } catch {
    return text
  }
}
