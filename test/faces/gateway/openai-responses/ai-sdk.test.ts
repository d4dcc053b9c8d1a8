import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateText, Output, stepCountIs, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) {
    expect(rig.provider.problems).toEqual([])
    await rig.close()
  }
})

async function started(options: Parameters<typeof startRig>[0]) {
  const rig = await startRig(options)
  rigs.push(rig)
  return { ...rig, model: createOpenAI({ baseURL: `${rig.gateway.address}/v1`, apiKey: 'none' }).responses('m1') }
}

const USAGE = { input: 9, output: 2 }
const HELLO = [{ reasoning: 'Hm.' }, { text: 'Hel' }, { text: 'lo' }, { usage: USAGE }, { final: 'stop' as const }]
const SPARE: RigProfile = { id: 'y.b', api: 'openai-chat', model: 'm2' }
const ASK = { prompt: 'Say hello.', maxRetries: 0 }
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `Drizzle in ${city}.` })

describe.each(['openai-responses', 'anthropic-messages', 'gemini'] as const)(
  'an unmodified AI SDK with its openai provider, answered over %s',
  (api) => {
    const profile: RigProfile = { id: 'x.a', api, model: 'm1' }

    test('generateText and streamText: text, thoughts, usage', async () => {
      const { model } = await started({
        profiles: [profile],
        script: { 'x.a/m1': { call: [{ ok: 'Hello', reasoning: 'Hm.', usage: USAGE }], stream: [{ events: HELLO }] } },
      })
      const whole = await generateText({ model, ...ASK })
      expect(whole).toMatchObject({ text: 'Hello', reasoningText: 'Hm.', finishReason: 'stop', usage: { inputTokens: 9, outputTokens: 2 } })
      const streamed = streamText({ model, ...ASK })
      let text = ''
      for await (const piece of streamed.textStream) text += `${piece}|`
      expect(text).toBe('Hel|lo|')
      expect([await streamed.reasoningText, await streamed.finishReason]).toEqual(['Hm.', 'stop'])
      expect(await streamed.usage).toMatchObject({ inputTokens: 9, outputTokens: 2 })
    })

    test.each(['generate', 'stream'] as const)('a tool runs between two requests (%s)', async (how) => {
      const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Lima"}' }
      const { model, provider } = await started({
        profiles: [profile],
        script: {
          'x.a/m1': {
            call: how === 'generate' ? [{ ok: '', toolCalls: [call] }, { ok: 'It drizzles.' }] : [],
            stream:
              how === 'stream'
                ? [{ events: [{ toolCall: call }, { final: 'tool_calls' }] }, { events: [{ text: 'It drizzles.' }, { final: 'stop' }] }]
                : [],
          },
        },
      })
      const ask = { model, ...ASK, tools: { weather }, stopWhen: stepCountIs(3), providerOptions: { openai: { store: false } } }
      expect(how === 'generate' ? (await generateText(ask)).text : await streamText(ask).text).toBe('It drizzles.')
      expect(JSON.stringify(provider.requests[1]?.body)).toContain('Drizzle in Lima.')
    })

    test('R24 structured output', async () => {
      const { model } = await started({ profiles: [profile], script: { 'x.a/m1': { call: [{ ok: '{"rain":true}' }] } } })
      const output = Output.object({ schema: z.object({ rain: z.boolean() }) })
      expect((await generateText({ model, ...ASK, output })).output).toEqual({ rain: true })
    })

    test('R27 failure before content: another entry answers', async () => {
      const { model } = await started({
        profiles: [profile, SPARE],
        script: { 'x.a/m1': { stream: [{ http: 500 }] }, 'y.b/m2': { call: [{ ok: 'From the spare.' }] } },
      })
      const streamed = streamText({ model, ...ASK })
      expect(await streamed.text).toBe('From the spare.')
      expect(await streamed.finishReason).toBe('stop')
    })

    test('R28 cut behind content: the client is told an error, and the answer ends in none', async () => {
      const { model, provider } = await started({
        profiles: [profile, SPARE],
        script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { eof: true }] }] } },
      })
      const errors: unknown[] = []
      const streamed = streamText({ model, ...ASK, onError: ({ error }) => void errors.push(error) })
      let text = ''
      for await (const piece of streamed.textStream) text += piece
      expect(text).toBe('Half')
      expect(errors).toHaveLength(1)
      expect(await streamed.finishReason).toBe('error')
      expect(provider.requests).toHaveLength(1)
    })

    test('R18 all held: 429 with Retry-After, which the SDK calls retryable', async () => {
      const { model } = await started({ profiles: [profile], script: { 'x.a/m1': { stream: [{ http: 429, headers: { 'retry-after': '60' } }] } } })
      const errors: unknown[] = []
      await streamText({ model, ...ASK, onError: ({ error }) => void errors.push(error) }).consumeStream()
      expect(errors).toHaveLength(1)
      const [error] = errors
      if (!APICallError.isInstance(error)) throw error
      expect(error).toMatchObject({ statusCode: 429, isRetryable: true })
      expect(Number(error.responseHeaders?.['retry-after'])).toBeGreaterThan(50)
    })

    test('GW-05 R30 an abort reaches the provider', async () => {
      const { model, provider } = await started({
        profiles: [profile, SPARE],
        script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } },
      })
      const aborter = new AbortController()
      const streamed = streamText({ model, ...ASK, abortSignal: aborter.signal })
      for await (const part of streamed.fullStream) if (part.type === 'text-delta') aborter.abort()
      const request = await provider.requested(1)
      await request.ended
      expect(request.abortedByClient).toBe(true)
      expect(provider.requests).toHaveLength(1)
    })
  },
)

test('a second question of the SDK as it is by default refers to what is kept nowhere: 400 that says what to do', async () => {
  const { model } = await started({
    profiles: [{ id: 'x.a', api: 'anthropic-messages', model: 'm1' }],
    script: { 'x.a/m1': { call: [{ ok: 'Hello' }] } },
  })
  const first = await generateText({ model, ...ASK })
  const messages = [{ role: 'user' as const, content: 'Say hello.' }, ...first.response.messages, { role: 'user' as const, content: 'Again.' }]
  await expect(generateText({ model, messages, maxRetries: 0 })).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining('`store: false`'),
  })
})
