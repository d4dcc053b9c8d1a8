// The AI SDK over a kernel, and one of its own models inside a plan.
// The providers are on this machine; with real ones, leave the addresses out and name keys.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { createKernel, StreamInterruptedAfterOutput } from 'relevo'
import { aiSdkEngines, relevoModel } from 'relevo/ai-sdk'
import { startLoopbackProvider } from 'relevo/testing'
import { z } from 'zod'

const provider = await startLoopbackProvider({
  script: {
    'anthropic.main/claude-a': {
      stream: [
        { events: [{ toolCall: { id: 'call-1', name: 'weather', arguments: '{"city":"Lima"}' } }, { final: 'tool_calls' }] },
        { events: [{ text: 'It drizzles ' }, { text: 'in Lima.' }, { final: 'stop' }] },
        { events: [{ text: 'Half of ' }, { eof: true }] },
      ],
      call: [{ http: 503 }],
    },
    'acme.spare/model-b': { call: [{ ok: 'The spare one answers.' }] },
  },
})

const kernel = createKernel(
  {
    primary: 'anthropic.main',
    profiles: {
      'anthropic.main': { model: 'claude-a', apiKey: 'any', endpoint: provider.endpoint('anthropic.main'), fallback: ['acme.spare'] },
      'acme.spare': { model: 'model-b', apiKey: 'any', endpoint: provider.endpoint('acme.spare') },
    },
    reliability: { providerRetries: 0 },
  },
  {
    // Any provider of the AI SDK, for the profiles named here; the others keep the engine of their protocol.
    engines: aiSdkEngines({
      'acme.spare': ({ model, apiKey = '', fetch, profile }) =>
        createOpenAICompatible({ name: 'acme', baseURL: profile.endpoint ?? '', apiKey, fetch })(model),
    }),
  },
)
const model = relevoModel(kernel)

const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `Drizzle in ${city}.` })
const looped = streamText({ model, prompt: 'What is the weather in Lima?', tools: { weather }, stopWhen: stepCountIs(5), maxRetries: 0 })
console.log(await looped.text)
//> It drizzles in Lima.

// The primary is down: a fallback answers, and the metadata say who.
const { text, response, providerMetadata } = await generateText({ model, prompt: 'Who are you?', maxRetries: 0 })
console.log(`${text} (${model.modelId} was served by ${response.modelId})`)
//> The spare one answers. (default was served by model-b)
console.log(JSON.stringify(providerMetadata?.relevo?.requested), providerMetadata?.relevo?.notice)
//> {"profile":"anthropic.main","model":"claude-a"} Another model or provider answered.

// A stream that breaks off behind text is an error part; the text stays, and nobody is asked again.
const broken = streamText({
  model,
  prompt: 'And now?',
  maxRetries: 0,
  onError: ({ error }) => {
    const cause = error instanceof Error ? error.cause : undefined
    if (StreamInterruptedAfterOutput.isInstance(cause)) console.log(`kept: ${cause.outcome.partialText}`)
  },
})
for await (const piece of broken.textStream) console.log(`shown: ${piece}`)
console.log(await broken.finishReason)
//> shown: Half of
//> kept: Half of
//> error

await kernel.stop()
await provider.close()
