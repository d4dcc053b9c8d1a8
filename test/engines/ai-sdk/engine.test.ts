import type { LanguageModelV2, LanguageModelV3 } from '@ai-sdk/provider'
import type { LanguageModelV4 } from '@ai-sdk/provider-v4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type AiSdkSource, aiSdkEngines, fromAiSdk } from '../../../src/ai-sdk.ts'
import { Recording, SlowReader } from '../../../src/engines/conformance/recording.ts'
import { createKernel } from '../../../src/index.ts'
import { startLoopbackProvider, virtualClock } from '../../../src/testing.ts'
import { model, requestOf, STOP, text, told } from './stub-model.ts'
import { PROVIDERS } from './subject.ts'

describe('contract, where a model keeps none', () => {
  it.each([
    [
      'a source that throws',
      () => {
        throw new Error('no key')
      },
      'unknown',
    ],
    [
      'a model that throws',
      model([], {
        doStream: () => {
          throw new TypeError('not a function')
        },
      }).made,
      'unknown',
    ],
    ['a model that gives nothing', model([], { doStream: async () => undefined }).made, 'unknown'],
    [
      'a stream that breaks',
      model([], {
        doStream: async () => ({
          stream: new ReadableStream({ pull: (controller) => controller.error(Object.assign(new Error('x'), { code: 'ECONNRESET' })) }),
        }),
      }).made,
      'network',
    ],
    ['a stream that is none', model([], { doStream: async () => ({ stream: 7 }) }).made, 'unknown'],
  ] as const)('contract 2: %s is one failed', async (_name, source, kind) => {
    const recording = await told(source as AiSdkSource)
    recording.failure(kind)
  })

  it('R31: deadlines are kept on the clock of the request, and end the call below', async () => {
    const clock = virtualClock(0)
    let signal: AbortSignal | undefined
    const never = ({ abortSignal }: { abortSignal: AbortSignal }): Promise<never> => {
      signal = abortSignal
      return new Promise(() => {})
    }
    const { made } = model([], { doGenerate: never })
    const recording = new Recording(fromAiSdk(made), requestOf({ mode: 'call', timeouts: { totalMs: 1000 } }, clock))
    clock.moveTo(1000)
    await recording.over
    expect(recording.failure('timeout').code).toBe('total')
    expect(signal?.aborted).toBe(true)
  })

  it('R30: unsubscribing aborts the call in the same tick, and nothing is told afterwards', async () => {
    let signal: AbortSignal | undefined
    let answer: (value: object) => void = () => {}
    const doGenerate = ({ abortSignal }: { abortSignal: AbortSignal }) => {
      signal = abortSignal
      return new Promise<object>((resolve) => {
        answer = resolve
      })
    }
    const recording = new Recording(fromAiSdk(model([], { doGenerate }).made), requestOf({ mode: 'call' }))
    recording.stop()
    expect(signal?.aborted).toBe(true)
    answer({ content: [text('late')], ...STOP })
    await new Promise((resolve) => void setImmediate(resolve))
    expect(recording.late).toEqual([])
    expect(recording.events).toEqual([])
  })

  it('contract 5: while the reader is full no part is read', async () => {
    let pulled = 0
    const stream = new ReadableStream(
      {
        pull(controller) {
          pulled += 1
          controller.enqueue(pulled <= 20 ? text(`${pulled} `) : STOP)
          if (pulled > 20) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    const flow = new SlowReader()
    const recording = new Recording(fromAiSdk(model([], { doStream: async () => ({ stream }) }).made), requestOf({ flow }), (event) => {
      if (event.type === 'text' && recording.of('text').length === 5) flow.full = true
    })
    while (!flow.full) await new Promise((resolve) => void setImmediate(resolve))
    await new Promise((resolve) => void setImmediate(resolve))
    expect(pulled).toBe(5)
    flow.drain()
    await recording.over
    expect(recording.of('text')).toHaveLength(20)
  })

  it('R11: a key that an error repeats is in no failure', async () => {
    const request = requestOf()
    const key = request.secret?.reveal() ?? ''
    const recording = new Recording(
      fromAiSdk(({ apiKey }) => {
        throw new Error(`bad key ${apiKey}`)
      }),
      request,
    )
    await recording.over
    expect(recording.failure('unknown').message).toContain('bad key')
    expect(JSON.stringify(recording.events)).not.toContain(key)
  })
})

describe('in a plan', () => {
  it('R11: a model is made for each attempt, with the key of its credential and the model of its entry', async () => {
    const provider = await startLoopbackProvider({
      protocol: 'openai-chat',
      script: { 'acme.main/m1': { call: [{ http: 429 }, { ok: 'Second key.' }] } },
    })
    const made: unknown[] = []
    const source = PROVIDERS['@ai-sdk/openai-compatible'] as (ask: never) => LanguageModelV3
    const engines = aiSdkEngines({
      'acme.main': (ask) => {
        made.push([ask.apiKey, ask.model])
        return source(ask as never)
      },
    })
    const profile = { model: 'm1', apiKeys: ['key-one', 'key-two'], endpoint: provider.endpoint('acme.main') }
    const kernel = createKernel({ primary: 'acme.main', profiles: { 'acme.main': profile } }, { engines })
    onTestFinished(async () => {
      await kernel.stop()
      await provider.close()
    })
    expect(await kernel.turn({ prompt: 'hi' }).text).toBe('Second key.')
    expect(made).toEqual([
      ['key-one', 'm1'],
      ['key-two', 'm1'],
    ])
    expect(provider.requests.map((request) => request.headers.authorization)).toEqual(['Bearer key-one', 'Bearer key-two'])
  })

  it('R3: it falls back to a profile of ours, and one of ours falls back to it', async () => {
    const provider = await startLoopbackProvider({
      script: { 'openai.main/gpt-a': { call: [{ ok: 'From ours.' }, { http: 500 }] } },
    })
    const failing = model([], {
      doGenerate: async () => {
        throw new Error('down')
      },
    }).made
    const serving = model([{ type: 'text', text: 'From theirs.' }]).made
    let current = failing
    const kernel = createKernel(
      {
        primary: 'acme.main',
        profiles: {
          'acme.main': { model: 'm1', apiKey: 'held by the model', fallback: ['openai.main'] },
          'openai.main': { model: 'gpt-a', apiKey: 'k', endpoint: provider.endpoint('openai.main'), fallback: ['acme.main'] },
        },
        reliability: { providerRetries: 0 },
        modelRoutes: [{ hint: 'ours', modelProvider: 'openai.main', model: 'gpt-a' }],
      },
      { engines: aiSdkEngines({ 'acme.main': () => current }) },
    )
    onTestFinished(async () => {
      await kernel.stop()
      await provider.close()
    })
    expect(await kernel.turn({ prompt: 'hi' }).text).toBe('From ours.')
    current = serving
    expect(await kernel.turn({ prompt: 'hi', model: 'hint:ours' }).text).toBe('From theirs.')
  })

  it('models of versions 2, 3 and 4 are all taken', () => {
    // The types are the point; nothing is asked.
    const models = [
      model([]).made as never as LanguageModelV2,
      model([]).made as never as LanguageModelV3,
      model([]).made as never as LanguageModelV4,
    ]
    expect(models.map((each) => typeof fromAiSdk(each).attempt)).toEqual(['function', 'function', 'function'])
  })
})
