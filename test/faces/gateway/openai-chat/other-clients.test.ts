import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { HumanMessage } from '@langchain/core/messages'
import { tool as langchainTool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { APICallError, generateObject, generateText, stepCountIs, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Rig, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

async function started(options: Parameters<typeof startRig>[0]): Promise<Rig> {
  const rig = await startRig(options)
  rigs.push(rig)
  return rig
}

const HELLO = [{ text: 'Hel' }, { text: 'lo' }, { usage: { input: 9, output: 2 } }, { final: 'stop' as const }]
const CALL = { toolCall: { id: 'call_1', name: 'add', arguments: '{"a":1,"b":2}' } }
const CHAIN = [
  { id: 'x.a', api: 'anthropic-messages', model: 'm1' },
  { id: 'y.b', api: 'openai-chat', model: 'm2' },
] as const

const LIMITED = { http: 429, headers: { 'retry-after': '60' } }

describe('the AI SDK', () => {
  const clients = [
    ['openai-compatible', ({ gateway }: Rig) => createOpenAICompatible({ name: 'relevo', baseURL: `${gateway.address}/v1` })('any')],
    ['openai', ({ gateway }: Rig) => createOpenAI({ baseURL: `${gateway.address}/v1`, apiKey: 'none' }).chat('any')],
  ] as const

  test.each(clients)('%s: a tool loop, streamed, over a fallback', async (_, model) => {
    const rig = await started({
      profiles: CHAIN,
      script: {
        'x.a/m1': { stream: [{ http: 500 }, { events: HELLO }] },
        'y.b/m2': { call: [{ ok: '', toolCalls: [CALL.toolCall] }] },
      },
    })
    const add = tool({ inputSchema: z.object({ a: z.number(), b: z.number() }), execute: async ({ a, b }) => a + b })
    const asked = streamText({ model: model(rig), prompt: 'Add.', tools: { add }, stopWhen: stepCountIs(2), maxRetries: 0 })
    expect(await asked.text).toBe('Hello')
    const [first] = await asked.steps
    expect(first?.toolResults[0]?.output).toBe(3)
    expect(JSON.stringify(rig.provider.requests.at(-1)?.body)).toContain('tool_result')
  })

  test.each(clients)('%s: all held is a 429 that its own retries know', async (_, model) => {
    const rig = await started({ profiles: [CHAIN[0]], script: { 'x.a/m1': { call: [LIMITED] } } })
    const error = await generateText({ model: model(rig), prompt: 'Hello?', maxRetries: 0 }).catch((raised: unknown) => raised)
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({ statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': expect.any(String) } })
  })

  test.each(clients)('%s: an abort reaches the provider', async (_, model) => {
    const rig = await started({ profiles: CHAIN, script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } } })
    const aborter = new AbortController()
    const { textStream } = streamText({ model: model(rig), prompt: 'Go.', abortSignal: aborter.signal, maxRetries: 0, onError: () => {} })
    for await (const _ of textStream) aborter.abort()
    const request = await rig.provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
    expect(rig.provider.requests).toHaveLength(1)
  })

  test('structured output, over a protocol of another kind', async () => {
    const rig = await started({ profiles: [CHAIN[0]], script: { 'x.a/m1': { call: [{ ok: '{"city":"Lima"}' }] } } })
    const model = createOpenAI({ baseURL: `${rig.gateway.address}/v1`, apiKey: 'none' }).chat('any')
    const { object } = await generateObject({ model, schema: z.object({ city: z.string() }), prompt: 'Where?', maxRetries: 0 })
    expect(object).toEqual({ city: 'Lima' })
  })
})

describe('LangChain', () => {
  const client = ({ gateway }: Rig, maxRetries = 0): ChatOpenAI =>
    new ChatOpenAI({ model: 'any', apiKey: 'none', maxRetries, configuration: { baseURL: `${gateway.address}/v1` } })

  test('invoke and stream, over a fallback, with usage', async () => {
    const rig = await started({
      profiles: CHAIN,
      script: {
        'x.a/m1': { call: [{ http: 500 }], stream: [{ events: HELLO }] },
        'y.b/m2': { call: [{ ok: 'Spare.', usage: { input: 4, output: 1 } }] },
      },
    })
    const { content, usage_metadata } = await client(rig).invoke('Hello?')
    expect(content).toBe('Spare.')
    expect(usage_metadata).toMatchObject({ input_tokens: 4, output_tokens: 1 })
    let text = ''
    for await (const chunk of await client(rig).stream('Hello?')) text += chunk.content
    expect(text).toBe('Hello')
  })

  test('a tool is called', async () => {
    const rig = await started({ profiles: [CHAIN[0]], script: { 'x.a/m1': { stream: [{ events: [CALL, { final: 'tool_calls' }] }] } } })
    const add = langchainTool(async ({ a, b }: { a: number; b: number }) => String(a + b), {
      name: 'add',
      description: 'Adds.',
      schema: z.object({ a: z.number(), b: z.number() }),
    })
    const calls = []
    for await (const { tool_calls } of await client(rig)
      .bindTools([add])
      .stream([new HumanMessage('Add.')]))
      calls.push(...(tool_calls ?? []))
    expect(calls).toMatchObject([{ name: 'add', args: { a: 1, b: 2 } }])
  })

  test('all held is its error for 429', async () => {
    const rig = await started({ profiles: [CHAIN[0]], script: { 'x.a/m1': { call: [LIMITED] } } })
    await expect(client(rig).invoke('Hello?')).rejects.toMatchObject({ status: 429 })
  })

  test('an abort reaches the provider', async () => {
    const rig = await started({ profiles: CHAIN, script: { 'x.a/m1': { stream: [{ events: [{ text: 'Half' }, { stall: true }] }] } } })
    const aborter = new AbortController()
    const read = (async () => {
      for await (const _ of await client(rig).stream('Go.', { signal: aborter.signal })) aborter.abort()
    })()
    await read.catch(() => {})
    const request = await rig.provider.requested(1)
    await request.ended
    expect(request.abortedByClient).toBe(true)
  })
})
