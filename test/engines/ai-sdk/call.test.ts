import { describe, expect, it } from 'vitest'
import { fromAiSdk } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import type { AttemptRequest, Message } from '../../../src/index.ts'
import { model, requestOf, STOP } from './stub-model.ts'

/** What a model of this version is asked for a request. */
async function asked(specificationVersion: string, more: Partial<AttemptRequest>, provider = 'acme.chat'): Promise<Record<string, unknown>> {
  const { made, asked } = model([STOP], { specificationVersion, provider })
  const recording = new Recording(fromAiSdk(made), { ...requestOf(), ...more })
  await recording.over
  return asked[0] ?? {}
}

const VERSIONS = ['v2', 'v3', 'v4'] as const
const image = { type: 'image' as const, mediaType: 'image/png', data: 'AQI=' }
const address = { type: 'image' as const, mediaType: 'image/png', url: 'https://a.example/cat.png' }

describe('an attempt as a call of the AI SDK', () => {
  it('settings, tools and schema', async () => {
    const { prompt, abortSignal, ...settings } = await asked('v3', {
      tools: [{ name: 'weather', description: 'of a city', parameters: { type: 'object' } }],
      options: {
        maxTokens: 5,
        temperature: 0.5,
        topP: 0.9,
        stop: ['END'],
        toolChoice: { name: 'weather' },
        responseSchema: { name: 'forecast', schema: { type: 'object' } },
      },
    })
    expect(prompt).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi' }] }])
    expect(abortSignal).toBeInstanceOf(AbortSignal)
    expect(settings).toEqual({
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['END'],
      toolChoice: { type: 'tool', toolName: 'weather' },
      responseFormat: { type: 'json', name: 'forecast', schema: { type: 'object' } },
      tools: [{ type: 'function', name: 'weather', description: 'of a city', inputSchema: { type: 'object' } }],
    })
  })

  it('what the caller leaves open is left out, and so is a tool choice without tools', async () => {
    expect(Object.keys(await asked('v3', { options: { toolChoice: 'required' } }))).toEqual(['prompt', 'abortSignal'])
  })

  it('R1: options of its own family and profile, under the name of its provider, and those of nobody else', async () => {
    const providerOptions = { conformance: { a: 1, b: 1 }, 'conformance.x': { b: 2 }, openai: { c: 3 } }
    expect((await asked('v3', { options: { providerOptions } })).providerOptions).toEqual({ acme: { a: 1, b: 2 } })
    const messages: Message[] = [{ role: 'user', content: 'hi', providerOptions }]
    expect((await asked('v3', { messages })).prompt).toMatchObject([{ providerOptions: { acme: { a: 1, b: 2 } } }])
  })

  it('reasoning effort, where each version and provider looks for it', async () => {
    const options = { reasoningEffort: 'low' as const }
    expect((await asked('v3', { options })).providerOptions).toEqual({ acme: { reasoningEffort: 'low' } })
    expect((await asked('v3', { options }, 'anthropic.messages')).providerOptions).toEqual({ anthropic: { effort: 'low' } })
    const v4 = await asked('v4', { options })
    expect([v4.reasoning, v4.providerOptions]).toEqual(['low', undefined])
  })

  it('headers of its profile', async () => {
    const { profile } = requestOf()
    expect((await asked('v3', { profile: { ...profile, headers: { 'x-team': 'a' } } })).headers).toEqual({ 'x-team': 'a' })
  })
})

describe('a history in the words of each version', () => {
  const file = { v2: 'AQI=', v3: 'AQI=', v4: { type: 'data', data: 'AQI=' } }
  const url = new URL(address.url)
  const link = { v2: url, v3: url, v4: { type: 'url', url } }

  it.each(VERSIONS)('images of a user (%s)', async (version) => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'see' }, image, address] }]
    expect((await asked(version, { messages })).prompt).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'file', mediaType: 'image/png', data: file[version] },
          { type: 'file', mediaType: 'image/png', data: link[version] },
        ],
      },
    ])
  })

  it.each(VERSIONS)('parallel calls and their results, one of them with an image (%s)', async (version) => {
    const calls = [
      { id: 'c1', name: 'weather', arguments: '{"city":"Vigo"}' },
      { id: 'c2', name: 'clock', arguments: 'no json' },
      { id: 'c3', name: 'camera', arguments: '' },
    ]
    const messages: Message[] = [
      { role: 'system', content: 'Be short.' },
      { role: 'assistant', content: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'c1', content: 'rain' },
      { role: 'tool', toolCallId: 'c2', content: 'broken', isError: true },
      { role: 'tool', toolCallId: 'c3', content: [{ type: 'text', text: 'here' }, image, address] },
    ]
    const images = {
      v2: [
        { type: 'media', mediaType: 'image/png', data: 'AQI=' },
        { type: 'text', text: address.url },
      ],
      v3: [
        { type: 'image-data', mediaType: 'image/png', data: 'AQI=' },
        { type: 'image-url', url: address.url },
      ],
      v4: [
        { type: 'file', mediaType: 'image/png', data: file.v4 },
        { type: 'file', mediaType: 'image/png', data: link.v4 },
      ],
    }
    const part = (toolCallId: string, toolName: string, output: object) => ({ type: 'tool-result', toolCallId, toolName, output })
    expect((await asked(version, { messages })).prompt).toEqual([
      { role: 'system', content: 'Be short.' },
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Vigo' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'clock', input: { invalid_arguments: 'no json' } },
          { type: 'tool-call', toolCallId: 'c3', toolName: 'camera', input: {} },
        ],
      },
      {
        role: 'tool',
        content: [
          part('c1', 'weather', { type: 'text', value: 'rain' }),
          part('c2', 'clock', { type: 'error-text', value: 'broken' }),
          part('c3', 'camera', { type: 'content', value: [{ type: 'text', text: 'here' }, ...images[version]] }),
        ],
      },
    ])
  })

  it('ids that another provider minted are ones that the model’s takes, the same for call and result', async () => {
    const messages: Message[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: 'functions.weather:0', name: 'weather', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'functions.weather:0', content: 'rain' },
    ]
    const idsOf = async (provider: string): Promise<string[]> =>
      [...JSON.stringify((await asked('v3', { messages }, provider)).prompt).matchAll(/"toolCallId":"([^"]*)"/g)].map(([, id = '']) => id)
    for (const [provider, fits] of [
      ['acme.chat', /^[A-Za-z0-9_-]{1,40}$/],
      ['mistral.chat', /^[A-Za-z0-9]{9}$/],
    ] as const) {
      const [call, result] = await idsOf(provider)
      expect(call).toMatch(fits)
      expect(result).toBe(call)
    }
  })
})
