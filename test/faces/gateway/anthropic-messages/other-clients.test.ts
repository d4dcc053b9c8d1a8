import { createAnthropic } from '@ai-sdk/anthropic'
import { ChatAnthropic } from '@langchain/anthropic'
import { HumanMessage, ToolMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

async function started(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  const rig = await startRig(options)
  rigs.push(rig)
  return rig
}

const APIS = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini', 'ollama', 'bedrock-converse'] as const
const USAGE = { usage: { input: 9, output: 2 } }
const HELLO = [{ reasoning: 'Hm.' }, { text: 'Hel' }, { text: 'lo' }, USAGE, { final: 'stop' as const }]
const CALL = { id: 'toolu_1', name: 'add', arguments: '{"a":1,"b":2}' }
const CALLING = [{ toolCall: CALL }, USAGE, { final: 'tool_calls' as const }]
const LIMITED = { http: 429, headers: { 'retry-after': '60' } }
const CUT = { events: [{ text: 'Half' }, { eof: true as const }] }
const REFUSING = { call: [{ refusal: 'I will not.', ...USAGE }], stream: [{ events: [USAGE, { final: 'content_filter' as const }] }] }
const STOPS = { reliability: { providerRetries: 0, onRefusal: 'stop' as const } }
const SPARE: RigProfile = { id: 'y.b', api: 'openai-chat', model: 'm2' }

const raisedBy = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).then(
    () => null,
    (error: unknown) => error,
  )

describe('the AI SDK', () => {
  const model = ({ gateway }: Rig) => createAnthropic({ baseURL: `${gateway.address}/v1`, apiKey: 'none' })('any')
  const settings = { maxRetries: 0, maxOutputTokens: 100 }

  test.each(APIS)('over %s: a tool loop, streamed, with thoughts and usage', async (api) => {
    const rig = await started({
      profiles: [{ id: 'x.a', api, model: 'm1' }],
      script: { 'x.a/m1': { stream: [{ events: CALLING }, { events: HELLO }] } },
    })
    const add = tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b })
    const asked = streamText({ ...settings, model: model(rig), prompt: 'Add.', tools: { add }, stopWhen: stepCountIs(2) })
    expect(await asked.text).toBe('Hello')
    expect(await asked.reasoningText).toBe('Hm.')
    const [first, second] = await asked.steps
    expect(first?.toolResults[0]?.output).toBe(3)
    expect(second?.usage).toMatchObject({ inputTokens: 9, outputTokens: 2 })
    expect(rig.provider.problems).toEqual([])
  })

  test('failure before content: another entry answers', async () => {
    const rig = await started({
      profiles: [{ id: 'x.a', api: 'anthropic-messages', model: 'm1' }, SPARE],
      script: { 'x.a/m1': { stream: [{ http: 500 }], call: [{ http: 429 }] }, 'y.b/m2': { call: [{ ok: 'Spare.' }, { ok: 'Spare.' }] } },
    })
    expect(await streamText({ ...settings, model: model(rig), prompt: 'Hello?' }).text).toBe('Spare.')
    expect((await generateText({ ...settings, model: model(rig), prompt: 'Hello?' })).text).toBe('Spare.')
  })

  test('all held is a 429 that its own retries know', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': { call: [LIMITED] } } })
    const error = await raisedBy(generateText({ ...settings, model: model(rig), prompt: 'Hello?' }))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': expect.any(String) } })
    // Its message is the one of the body, which it reads by the protocol's schema.
    expect((error as APICallError).message).toMatch(/held/)
  })

  test('an abort reaches the provider', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } } })
    const aborter = new AbortController()
    const { textStream } = streamText({ ...settings, model: model(rig), prompt: 'Go.', abortSignal: aborter.signal, onError: () => {} })
    for await (const _ of textStream) aborter.abort()
    const request = await rig.provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
  })

  test('a refusal is one for it, whole and streamed', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': REFUSING }, config: STOPS })
    expect((await generateText({ ...settings, model: model(rig), prompt: 'Hello?' })).finishReason).toBe('content-filter')
    expect(await streamText({ ...settings, model: model(rig), prompt: 'Hello?' }).finishReason).toBe('content-filter')
  })

  test.each(['anthropic-messages', 'openai-chat'] as const)('over %s: structured output', async (api) => {
    // It asks models that it does not know by a tool of its own, whose call is the output.
    const toolCalls = [{ id: 'toolu_1', name: 'json', arguments: '{"city":"Lima"}' }]
    const rig = await started({ profiles: [{ id: 'x.a', api, model: 'm1' }], script: { 'x.a/m1': { call: [{ ok: '', toolCalls, ...USAGE }] } } })
    const { object } = await generateObject({ ...settings, model: model(rig), schema: z.object({ city: z.string() }), prompt: 'Where?' })
    expect(object).toEqual({ city: 'Lima' })
  })
})

describe('LangChain', () => {
  const client = ({ gateway }: Rig, maxRetries = 0): ChatAnthropic =>
    new ChatAnthropic({ model: 'any', apiKey: 'none', maxRetries, anthropicApiUrl: gateway.address })

  test.each(APIS)('over %s: invoke and stream', async (api) => {
    const rig = await started({
      profiles: [{ id: 'x.a', api, model: 'm1' }],
      script: { 'x.a/m1': { call: [{ ok: 'Whole.', usage: { input: 4, output: 1 } }], stream: [{ events: HELLO }] } },
    })
    const { text, usage_metadata } = await client(rig).invoke('Hello?')
    expect(text).toBe('Whole.')
    expect(usage_metadata).toMatchObject({ input_tokens: 4, output_tokens: 1 })
    let streamed = ''
    for await (const chunk of await client(rig).stream('Hello?')) streamed += chunk.text
    expect(streamed).toBe('Hello')
  })

  test.each(APIS)('over %s: a tool loop', async (api) => {
    const rig = await started({
      profiles: [{ id: 'x.a', api, model: 'm1' }],
      script: { 'x.a/m1': { stream: [{ events: CALLING }], call: [{ ok: 'Three.' }] } },
    })
    const add = langchainTool(async ({ a, b }: { a: number; b: number }) => String(a + b), {
      name: 'add',
      description: 'Adds.',
      schema: z.object({ a: z.number(), b: z.number() }),
    })
    const model = client(rig).bindTools([add])
    const asked = new HumanMessage('Add.')
    let made = null
    for await (const chunk of await model.stream([asked])) made = made === null ? chunk : made.concat(chunk)
    const [call] = made?.tool_calls ?? []
    expect(call).toMatchObject({ name: 'add', args: { a: 1, b: 2 } })
    if (made === null || call === undefined) return
    const result = new ToolMessage({ content: 'it is three', tool_call_id: call.id ?? '' })
    expect((await model.invoke([asked, made, result])).text).toBe('Three.')
    expect(JSON.stringify(rig.provider.requests.at(-1)?.body)).toContain('it is three')
    expect(rig.provider.problems).toEqual([])
  })

  test('a fallback before content, with its usage', async () => {
    const rig = await started({
      profiles: [{ id: 'x.a', api: 'anthropic-messages', model: 'm1' }, SPARE],
      script: { 'x.a/m1': { stream: [{ http: 500 }] }, 'y.b/m2': { call: [{ ok: 'Spare.', usage: { input: 4, output: 1 } }] } },
    })
    let whole = null
    for await (const chunk of await client(rig).stream('Hello?')) whole = whole === null ? chunk : whole.concat(chunk)
    expect(whole?.text).toBe('Spare.')
    expect(whole?.usage_metadata).toMatchObject({ input_tokens: 4 })
  })

  test('cut behind content raises', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': { stream: [CUT] } } })
    const read = async (): Promise<void> => {
      for await (const _ of await client(rig).stream('Hello?'));
    }
    await expect(read()).rejects.toMatchObject({ error: { type: 'error', error: { type: 'api_error' } } })
  })

  test('a refusal is a message without words', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': REFUSING }, config: STOPS })
    expect((await client(rig).invoke('Hello?')).text).toBe('')
    let text = ''
    for await (const chunk of await client(rig).stream('Hello?')) text += chunk.text
    expect(text).toBe('')
  })

  test('all held is its error for 429', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': { call: [LIMITED] } } })
    await expect(client(rig).invoke('Hello?')).rejects.toMatchObject({ status: 429 })
  })

  test('an abort reaches the provider', async () => {
    const rig = await started({ profiles: [SPARE], script: { 'y.b/m2': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } } })
    const aborter = new AbortController()
    const read = async (): Promise<void> => {
      for await (const _ of await client(rig).stream('Go.', { signal: aborter.signal })) aborter.abort()
    }
    await raisedBy(read())
    const request = await rig.provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
  })
})
