import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider-v4'
import { describe, expect, it } from 'vitest'
import { relevoModel } from '../../../src/ai-sdk.ts'
import { field, relay } from './kit.ts'

/** Version 4 of the interface, as AI SDK 7 reads it: the types are checked here, the reader below stands for the SDK. */
const model = (kernel: Parameters<typeof relevoModel>[0]): LanguageModelV4 => relevoModel(kernel, 'hint:fast', { specification: 'v4' })

/** Reads a stream as the interface says that it may be read, and complains at the first part that is out of place. */
class Reader {
  readonly texts = new Map<string, string>()
  readonly calls: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }>[] = []
  finish: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | null = null
  readonly #open = new Map<string, string>()
  readonly #inputs = new Map<string, string>()
  #started = false

  take(part: LanguageModelV4StreamPart): void {
    if (this.finish !== null) throw new Error(`${part.type} behind finish`)
    if (this.#started === (part.type === 'stream-start')) throw new Error(`${part.type} where stream-start belongs, or a second one`)
    this.#started = true
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'tool-input-start':
        return this.#start(part.type, part.id)
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        return this.#delta(part.type, part.id, part.delta)
      case 'text-end':
      case 'reasoning-end':
      case 'tool-input-end':
        return this.#end(part.type, part.id)
      case 'tool-call':
        if (this.#inputs.get(part.toolCallId) !== part.input) throw new Error(`the input of ${part.toolCallId} is not that of its parts`)
        this.calls.push(part)
        return
      case 'finish':
        if (this.#open.size > 0) throw new Error(`finish while ${[...this.#open.keys()].join(', ')} is open`)
        this.finish = part
        return
      case 'stream-start':
      case 'response-metadata':
      case 'tool-result':
      case 'error':
        return
      default:
        throw new Error(`${part.type} is nothing that this model says`)
    }
  }

  #start(type: string, id: string): void {
    if (this.texts.has(id) || this.#inputs.has(id)) throw new Error(`${type} of ${id}, which has been`)
    this.#open.set(id, type.replace('-start', ''))
    const kept = type === 'tool-input-start' ? this.#inputs : this.texts
    kept.set(id, '')
  }

  #delta(type: string, id: string, delta: string): void {
    if (this.#open.get(id) !== type.replace('-delta', '')) throw new Error(`${type} of ${id}, which is not open`)
    const kept = type === 'tool-input-delta' ? this.#inputs : this.texts
    kept.set(id, (kept.get(id) ?? '') + delta)
  }

  #end(type: string, id: string): void {
    if (this.#open.get(id) !== type.replace('-end', '')) throw new Error(`${type} of ${id}, which is not open`)
    this.#open.delete(id)
  }
}

async function read(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<Reader> {
  const reader = new Reader()
  const source = stream.getReader()
  for (;;) {
    const { value, done } = await source.read()
    if (done) return reader
    reader.take(value)
  }
}

const ROUTES = { modelRoutes: [{ hint: 'fast', modelProvider: 'openai.main', model: 'gpt-a' }] }
const PROMPT: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }]

describe('version 4, contract', () => {
  it('is of version 4 under a constant name', async () => {
    const { kernel } = await relay({}, ROUTES)
    const { specificationVersion, provider, modelId, supportedUrls } = model(kernel)
    expect({ specificationVersion, provider, modelId, supportedUrls }).toEqual({
      specificationVersion: 'v4',
      provider: 'relevo',
      modelId: 'hint:fast',
      supportedUrls: {},
    })
  })

  it('streams parts that the interface allows, in its order', async () => {
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Vigo"}' }
    const { kernel } = await relay(
      {
        'openai.main/gpt-a': {
          stream: [{ events: [{ reasoning: 'hm' }, { text: 'Looking' }, { text: '.' }, { toolCall: call }, { final: 'tool_calls' }] }],
        },
      },
      ROUTES,
    )
    const { stream } = await model(kernel).doStream({
      prompt: PROMPT,
      tools: [{ type: 'function', name: 'weather', inputSchema: { type: 'object' } }],
    })
    const reader = await read(stream)
    expect([...reader.texts.values()]).toEqual(['hm', 'Looking.'])
    expect(reader.calls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([['call_1', '{"city":"Vigo"}']])
    expect(reader.finish).toMatchObject({ finishReason: { unified: 'tool-calls' }, providerMetadata: { relevo: { kind: 'ok' } } })
  })

  it('R28: a broken stream still closes its blocks and ends in a finish', async () => {
    const { kernel } = await relay({ 'openai.main/gpt-a': { stream: [{ events: [{ text: 'Half' }, { eof: true }] }] } }, ROUTES)
    const { stream } = await model(kernel).doStream({ prompt: PROMPT })
    const reader = await read(stream)
    expect(reader.finish?.finishReason.unified).toBe('error')
  })

  it('takes the prompt, files and settings of version 4', async () => {
    const { kernel, provider } = await relay({ 'openai.main/gpt-a': { call: [{ ok: 'A cat.', usage: { input: 3, output: 2 } }] } }, ROUTES)
    const call: LanguageModelV4CallOptions = {
      reasoning: 'high',
      prompt: [
        { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: { type: 'data', data: Uint8Array.from([1, 2]) } }] },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'zoom', input: {} }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'c1',
              toolName: 'zoom',
              output: { type: 'content', value: [{ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'whiskers' } }] },
            },
          ],
        },
      ],
    }
    const { content, finishReason, usage, warnings } = await model(kernel).doGenerate(call)
    expect(content).toEqual([{ type: 'text', text: 'A cat.' }])
    expect(finishReason.unified).toBe('stop')
    expect(usage).toMatchObject({ inputTokens: { total: 3 }, outputTokens: { total: 2 } })
    expect(warnings).toEqual([])
    const body = provider.requests[0]?.body
    expect(field(body, 'reasoning_effort')).toBe('high')
    expect(field(body, 'messages')).toMatchObject([
      { role: 'user', content: [{ image_url: { url: 'data:image/png;base64,AQI=' } }] },
      { role: 'assistant', tool_calls: [{ id: 'c1' }] },
      { role: 'tool', content: 'whiskers' },
    ])
  })
})

/** Why AI SDK 7 cannot be run here, or the module. */
async function aiSdk7(): Promise<string | typeof import('ai')> {
  const [major = 0] = process.versions.node.split('.').map(Number)
  if (major < 22) return `AI SDK 7 wants Node 22, this is ${process.version}`
  const folder = process.env.AI_SDK_7
  if (folder === undefined) return 'name a folder where `npm install ai@7` was run in AI_SDK_7'
  return (await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve('ai')).href)) as typeof import('ai')
}

describe('version 4, run by AI SDK 7', () => {
  it('streamText, generateText and a tool loop', async ({ skip }) => {
    const ai = await aiSdk7()
    if (typeof ai === 'string') return skip(ai)
    const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Lima"}' }
    const { kernel, provider } = await relay(
      {
        'openai.main/gpt-a': {
          stream: [
            { events: [{ text: 'Hello' }, { final: 'stop' }] },
            { events: [{ toolCall: call }, { final: 'tool_calls' }] },
            { events: [{ text: 'It drizzles.' }, { final: 'stop' }] },
          ],
          call: [{ ok: 'Hi.' }],
        },
      },
      ROUTES,
    )
    const named = model(kernel) as never
    expect(await ai.streamText({ model: named, prompt: 'hi' }).text).toBe('Hello')
    const generated = await ai.generateText({ model: named, prompt: 'hi', maxRetries: 0 })
    expect([generated.text, generated.response.modelId]).toEqual(['Hi.', 'gpt-a'])
    const weather = ai.tool({ inputSchema: ai.jsonSchema<{ city: string }>({ type: 'object' }), execute: async ({ city }) => `Drizzle in ${city}.` })
    const looped = ai.streamText({ model: named, prompt: 'Lima?', tools: { weather }, stopWhen: ai.stepCountIs(3) })
    for await (const _ of looped.textStream);
    expect(await looped.text).toBe('It drizzles.')
    expect(field(provider.requests.at(-1)?.body, 'messages', 2)).toMatchObject({ role: 'tool', tool_call_id: 'call_1', content: 'Drizzle in Lima.' })
  })
})
