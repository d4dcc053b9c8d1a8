import { APICallError, generateText, Output, stepCountIs, streamText, ToolLoopAgent, tool } from 'ai'
import { Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { relevoModel } from '../../../src/ai-sdk.ts'
import { type AttemptRequest, createKernel, type Engine, type ProviderEvent, StreamInterruptedAfterOutput } from '../../../src/index.ts'
import { field, relay } from './kit.ts'

/** An engine that answers each attempt with the next of these events, and keeps what it was asked. */
function playing(...answers: ProviderEvent[][]) {
  const asked: AttemptRequest[] = []
  const engine: Engine = {
    attempt: (request) =>
      new Observable((subscriber) => {
        const events = answers[asked.length] ?? []
        asked.push(request)
        for (const event of events) subscriber.next(event)
        subscriber.complete()
      }),
  }
  const kernel = createKernel({ primary: 'a.x', profiles: { 'a.x': { model: 'm1', zone: 'local' } } }, { engines: () => engine })
  return { asked, kernel }
}

const weather = tool({
  description: 'Weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Drizzle in ${city}.`,
})

describe('through ai 6', () => {
  it('generateText: text, usage, the model that served, the notice', async () => {
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': { call: [{ http: 503 }] },
      'anthropic.spare/claude-b': { call: [{ ok: 'Hello.', usage: { input: 12, output: 3, cachedInput: 4 } }] },
    })
    const result = await generateText({ model: relevoModel(kernel, 'gpt-a'), system: 'Be short.', prompt: 'hi', maxOutputTokens: 50, maxRetries: 0 })
    expect(result.text).toBe('Hello.')
    expect(result.finishReason).toBe('stop')
    expect(result.usage).toMatchObject({
      inputTokens: 12,
      outputTokens: 3,
      totalTokens: 15,
      inputTokenDetails: { cacheReadTokens: 4, noCacheTokens: 8 },
    })
    expect(result.response.modelId).toBe('claude-b')
    expect(field(result.providerMetadata, 'relevo', 'served')).toEqual({ profile: 'anthropic.spare', model: 'claude-b' })
    expect(result.response.headers?.['x-relevo-turn']).toBe(field(result.providerMetadata, 'relevo', 'turn'))
    expect(result.warnings).toEqual([])
    expect(provider.requests[1]?.body).toMatchObject({ system: 'Be short.', max_tokens: 50, messages: [{ role: 'user', content: [{ text: 'hi' }] }] })
  })

  it('streamText: text, reasoning, usage and the answer of a recovery', async () => {
    const { kernel } = await relay({
      'openai.main/gpt-a': {
        stream: [
          { events: [{ reasoning: 'hm' }, { text: 'Hel' }, { text: 'lo' }, { usage: { input: 7, output: 2 } }, { final: 'stop' }] },
          { http: 429 },
        ],
      },
      'anthropic.spare/claude-b': { call: [{ ok: 'From the spare.' }] },
    })
    const model = relevoModel(kernel)
    const first = streamText({ model, prompt: 'hi', maxRetries: 0 })
    let shown = ''
    for await (const text of first.textStream) shown += `${text}|`
    expect(shown).toBe('Hel|lo|')
    expect(await first.reasoningText).toBe('hm')
    expect(await first.usage).toMatchObject({ inputTokens: 7, outputTokens: 2 })
    const second = streamText({ model, prompt: 'hi', maxRetries: 0 })
    expect(await second.text).toBe('From the spare.')
    expect((await second.response).modelId).toBe('claude-b')
    expect(field(await second.providerMetadata, 'relevo', 'requested')).toEqual({ profile: 'openai.main', model: 'gpt-a' })
  })

  it('R23: an exhausted turn is asked once, also under the retries that the AI SDK has by default', async () => {
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': { call: [{ http: 500 }, { ok: 'again' }] },
      'anthropic.spare/claude-b': { call: [{ http: 500 }, { ok: 'again' }] },
    })
    const error = await generateText({ model: relevoModel(kernel), prompt: 'hi' }).then(
      () => undefined,
      (rejected: unknown) => rejected,
    )
    expect(APICallError.isInstance(error)).toBe(true)
    expect(provider.requests).toHaveLength(2)
  })

  it('R28: a stream that breaks behind text keeps it, tells the error and asks nobody', async () => {
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': { stream: [{ events: [{ text: 'Half of ' }, { eof: true }] }], call: [{ ok: 'no' }] },
    })
    const errors: unknown[] = []
    const result = streamText({ model: relevoModel(kernel), prompt: 'hi', onError: ({ error }) => void errors.push(error) })
    let shown = ''
    for await (const text of result.textStream) shown += text
    expect(shown).toBe('Half of ')
    expect(await result.finishReason).toBe('error')
    expect(errors.map((error) => StreamInterruptedAfterOutput.isInstance(field(error, 'cause')))).toEqual([true])
    expect(provider.requests).toHaveLength(1)
  })

  it('a stream that fails before text rejects what the host waits for', async () => {
    const { kernel } = await relay({
      'openai.main/gpt-a': { stream: [{ http: 400 }], call: [{ http: 400 }] },
      'anthropic.spare/claude-b': { call: [{ http: 400 }] },
    })
    const errors: unknown[] = []
    const result = streamText({ model: relevoModel(kernel), prompt: 'hi', onError: ({ error }) => void errors.push(error) })
    await expect(result.text).rejects.toThrow()
    expect(errors).toMatchObject([{ name: 'AI_APICallError', statusCode: 502 }])
  })

  it('R30: an abort ends streamText as aborted and generateText as AbortError', async () => {
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': { stream: [{ events: [{ text: 'on' }, { stall: true }] }], call: [{ pending: true }] },
    })
    const stop = new AbortController()
    const aborted: unknown[] = []
    const result = streamText({ model: relevoModel(kernel), prompt: 'hi', abortSignal: stop.signal, onAbort: () => void aborted.push('aborted') })
    for await (const part of result.fullStream) if (part.type === 'text-delta') stop.abort()
    expect(aborted).toEqual(['aborted'])
    const again = new AbortController()
    const call = generateText({ model: relevoModel(kernel), prompt: 'hi', abortSignal: again.signal })
    await provider.requested(2)
    again.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
    for (const request of provider.requests) await request.ended
    expect(provider.requests.map((request) => request.abortedByClient)).toEqual([true, true])
  })

  it.each(['generate', 'stream'] as const)('ToolLoopAgent: tools run between turns, results go back (%s)', async (how) => {
    const call = { toolCall: { id: 'call_1', name: 'weather', arguments: '{"city":"Lima"}' } }
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': {
        stream: [{ events: [{ text: 'Looking.' }, call, { final: 'tool_calls' }] }, { events: [{ text: 'It drizzles.' }, { final: 'stop' }] }],
        call: [{ ok: 'Looking.', toolCalls: [call.toolCall] }, { ok: 'It drizzles.' }],
      },
    })
    const agent = new ToolLoopAgent({ model: relevoModel(kernel), tools: { weather }, stopWhen: stepCountIs(5), maxRetries: 0 })
    const text = how === 'generate' ? (await agent.generate({ prompt: 'Lima?' })).text : await (await agent.stream({ prompt: 'Lima?' })).text
    expect(text).toBe('It drizzles.')
    expect(provider.requests).toHaveLength(2)
    expect(provider.requests[0]?.body).toMatchObject({ tools: [{ function: { name: 'weather', description: 'Weather of a city' } }] })
    expect(field(provider.requests[1]?.body, 'messages')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Lima"}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Drizzle in Lima.' },
    ])
  })

  it('R24: structured output is asked for by its schema', async () => {
    const { kernel, provider } = await relay({
      'openai.main/gpt-a': {
        call: [{ ok: '{"city":"Vigo","rain":true}' }],
        stream: [{ events: [{ text: '{"city":' }, { text: '"Vigo","rain":true}' }, { final: 'stop' }] }],
      },
    })
    const output = Output.object({ schema: z.object({ city: z.string(), rain: z.boolean() }), name: 'forecast' })
    const model = relevoModel(kernel)
    expect((await generateText({ model, prompt: 'Vigo?', output })).output).toEqual({ city: 'Vigo', rain: true })
    const streamed = streamText({ model, prompt: 'Vigo?', output })
    expect(await streamed.output).toEqual({ city: 'Vigo', rain: true })
    for (const { body } of provider.requests) {
      expect(field(body, 'response_format', 'json_schema')).toMatchObject({ name: 'forecast', schema: { required: ['city', 'rain'] } })
    }
  })

  it('images reach the provider as bytes, files of text as text', async () => {
    const { kernel, provider } = await relay({ 'openai.main/gpt-a': { call: [{ ok: 'A cat.' }] } })
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image' as const, image: Uint8Array.from([137, 80, 78, 71, 1, 2]) },
      { type: 'file' as const, data: new TextEncoder().encode('nota bene: ñ'), mediaType: 'text/plain' },
    ]
    await generateText({ model: relevoModel(kernel), messages: [{ role: 'user', content }] })
    expect(field(provider.requests[0]?.body, 'messages', 0, 'content')).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORwEC' } },
      { type: 'text', text: 'nota bene: ñ' },
    ])
  })
})

describe('what an issuer wants back', () => {
  const issued: ProviderEvent = { type: 'issued', data: { type: 'thinking', thinking: 'hm', signature: 'sig-1' } }
  const call: ProviderEvent = { type: 'toolCall', id: 'call_1', name: 'weather', arguments: '{"city":"Lima"}' }
  const final = (finish: string): ProviderEvent => ({ type: 'final', finish, terminated: true })
  const wanted = { profile: 'a.x', model: 'm1', data: [issued.data] }

  it.each(['generate', 'stream'] as const)('survives a tool loop of the AI SDK unchanged (%s)', async (how) => {
    const { kernel, asked } = playing(
      [{ type: 'reasoning', text: 'hm' }, issued, call, final('tool_calls')],
      [{ type: 'text', text: 'Done.' }, final('stop')],
    )
    const agent = new ToolLoopAgent({ model: relevoModel(kernel), tools: { weather } })
    const text = how === 'generate' ? (await agent.generate({ prompt: 'Lima?' })).text : await (await agent.stream({ prompt: 'Lima?' })).text
    expect(text).toBe('Done.')
    expect(asked[1]?.messages[1]).toEqual({
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Lima"}' }],
      issued: wanted,
    })
  })

  it.each([
    ['text', [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'So.' }, issued, final('stop')]],
    ['text before the last reasoning', [{ type: 'text', text: 'So.' }, { type: 'reasoning', text: 'hm' }, issued, final('stop')]],
    [
      'text before a tool of the provider',
      [
        { type: 'text', text: 'So.' },
        { type: 'providerToolCall', id: 'p1', name: 'search', arguments: '{}' },
        { type: 'providerToolResult', id: 'p1', name: 'search', output: '"found"' },
        issued,
        final('stop'),
      ],
    ],
  ] as [string, ProviderEvent[]][])('survives in the messages that a host keeps, behind %s', async (_name, events) => {
    const { kernel, asked } = playing(events, [{ type: 'text', text: 'Done.' }, final('stop')])
    const model = relevoModel(kernel)
    const first = streamText({ model, prompt: 'one' })
    const { messages } = await first.response
    const kept = JSON.parse(JSON.stringify(messages)) as typeof messages
    await generateText({ model, messages: [{ role: 'user', content: 'one' }, ...kept, { role: 'user', content: 'two' }] })
    expect(asked[1]?.messages.slice(0, 2)).toEqual([
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'So.', issued: wanted },
    ])
  })

  it('R36: stands nowhere in the metadata of the answer itself', async () => {
    const { kernel } = playing([{ type: 'text', text: 'Secretly.' }, issued, final('stop')])
    const { providerMetadata } = await generateText({ model: relevoModel(kernel), prompt: 'private prompt' })
    expect(JSON.stringify(providerMetadata)).not.toMatch(/sig-1|Secretly|private/)
  })
})
