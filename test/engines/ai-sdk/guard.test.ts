import { generateText } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { fromAiSdk, guardedFetch, IncompleteAnswer } from '../../../src/ai-sdk.ts'
import { Recording } from '../../../src/engines/conformance/recording.ts'
import { conformanceRequest } from '../../../src/engines/conformance/request.ts'
import { createKernel, readStream } from '../../../src/index.ts'
import { startLoopbackProvider, virtualClock } from '../../../src/testing.ts'
import { accepted, attempt, bytesOf, chunk, cut, frames, misjudged, NAMES, WHOLE } from './cuts.ts'
import { PROVIDERS, providerOf } from './subject.ts'

/** Every byte is tried in guard.prove.test.ts. */
const STEP = 11

describe.each(NAMES)('R25: %s under fromAiSdk, cut short', (name, api) => {
  it('is whole exactly where its bytes are: no cut passes, no whole answer is refused', async () => {
    expect(await misjudged(name, api, STEP)).toEqual([])
  })

  it('tells all of a whole answer', async () => {
    const recording = await attempt(name, api, cut(api, bytesOf(api).length))
    const expected = readStream(api, bytesOf(api))
    expect(recording.text).toBe('Hello ñ')
    expect(recording.of('toolCall')).toEqual(expected.events.filter((event) => event.type === 'toolCall'))
    expect(recording.of('usage').at(-1)).toEqual(expected.events.find((event) => event.type === 'usage'))
    expect(recording.final()).toMatchObject({ finish: 'tool_calls', terminated: true })
  })
})

describe.each(NAMES)('R25: %s in the hands of the AI SDK itself', (name, api) => {
  it('takes no cut for an answer under guardedFetch', async () => {
    const { silent, cuts } = await accepted(name, api, STEP, true)
    expect(cuts).toBeGreaterThan(30)
    expect(silent).toBe(0)
  })
})

describe('the guard over real connections', () => {
  const answer = { events: [{ text: 'Hello ' }, { text: 'there' }, { usage: { input: 3, output: 2 } }, { final: 'stop' as const }] }

  it.each([
    ['@ai-sdk/openai', 'openai-chat'],
    ['@ai-sdk/openai, responses', 'openai-responses'],
    ['@ai-sdk/anthropic', 'anthropic-messages'],
  ] as const)('R26: %s, cut by a loopback provider: each cut is recovered, none is an answer', async (name, api) => {
    const cuts = [0, 1, 40, 120, 200, 280, 360, 440, 520]
    const provider = await startLoopbackProvider({
      protocol: api,
      script: {
        'acme.main/m1': {
          stream: cuts.map((at) => ({ fault: { kind: 'cut', at, by: 'end' }, answer })),
          call: cuts.map(() => ({ ok: 'Asked again.' })),
        },
      },
    })
    const source = PROVIDERS[name]
    const kernel = createKernel(
      {
        primary: 'acme.main',
        profiles: { 'acme.main': { model: 'm1', apiKey: 'k', api, endpoint: provider.endpoint('acme.main') } },
        reliability: { providerRetries: 0 },
      },
      { engines: () => (source === undefined ? undefined : fromAiSdk(source)) },
    )
    onTestFinished(async () => {
      await kernel.stop()
      await provider.close()
    })
    for (const _cut of cuts) {
      const turn = kernel.turn({ prompt: 'hi', sinks: ['draft'] })
      const { kind, text, attempts } = await turn.outcome
      expect([kind, text]).toEqual(['ok', 'Asked again.'])
      expect(attempts.map((one) => one.result)).toEqual(['truncated', 'ok'])
    }
  })

  it('a model of the host’s own, made with guardedFetch, is watched as well', async () => {
    const provider = await startLoopbackProvider({
      protocol: 'anthropic-messages',
      script: { 'acme.main/m1': { stream: [{ events: [{ text: 'Half' }, { usage: { input: 3, output: 2 } }, { eof: true }] }] } },
    })
    onTestFinished(() => provider.close())
    const model = providerOf('@ai-sdk/anthropic', { endpoint: provider.endpoint('acme.main'), fetch: guardedFetch() })
    const request = conformanceRequest({ mode: 'stream', items: [] }, { api: null, endpoint: null, clock: virtualClock(0) })
    const recording = new Recording(fromAiSdk(model), { ...request, entry: 'acme.main/m1' })
    await recording.over
    expect(recording.text).toBe('Half')
    expect(recording.failure('truncated').phase).toBe('stream')
  })
})

describe('what the guard passes', () => {
  const body = (text: string, type = 'text/event-stream', status = 200) =>
    new Response(text, { status, headers: { 'content-type': type, 'x-kept': 'yes' } })
  const through = (response: Response, url = 'https://a.example/v1/messages', init?: RequestInit) =>
    guardedFetch({ fetch: async () => response })(url, init)

  it('a whole stream byte for byte, with status and headers', async () => {
    const response = await through(body(WHOLE['anthropic-messages'] ?? ''))
    expect([response.status, response.headers.get('x-kept')]).toEqual([200, 'yes'])
    expect(await response.text()).toBe(WHOLE['anthropic-messages'])
  })

  it.each([1, 2, 3, 7, 64])('a whole stream that comes in pieces of %i bytes', async (size) => {
    const bytes = bytesOf('anthropic-messages')
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    const response = await through(new Response(pieces, { headers: { 'content-type': 'text/event-stream' } }))
    expect(await response.text()).toBe(WHOLE['anthropic-messages'])
  })

  it('nothing that stands behind the terminator', async () => {
    const response = await through(body(`${WHOLE['anthropic-messages']}data: {"type":"late"}\n\n`))
    expect(await response.text()).toBe(WHOLE['anthropic-messages'])
  })

  it.each([
    ['an error', () => body('data: x', 'text/event-stream', 500), undefined],
    ['a whole answer', () => body('{"a":', 'application/json'), undefined],
    ['a protocol that is not known', () => body('data: x'), 'https://a.example/v1/other'],
  ] as const)('%s as it is', async (_name, response, url) => {
    const made = response()
    expect(await through(made, url)).toBe(made)
  })

  it('an unknown protocol is watched when it is named', async () => {
    const fetch = guardedFetch({ api: 'openai-chat', fetch: async () => body(frames(chunk({ content: 'Hel' }))) })
    await expect(fetch('https://a.example/elsewhere').then((response) => response.text())).rejects.toBeInstanceOf(IncompleteAnswer)
  })

  it('the error of a connection that broke', async () => {
    const broken = Object.assign(new Error('terminated'), { code: 'ECONNRESET' })
    const stream = new ReadableStream({ pull: (controller) => controller.error(broken) })
    const response = await through(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
    await expect(response.text()).rejects.toBe(broken)
  })

  it('nothing before it is asked for, and a reader that leaves ends it', async () => {
    const seen: string[] = []
    const stream = new ReadableStream(
      {
        pull(controller) {
          seen.push('read')
          controller.enqueue(new TextEncoder().encode(': ping\n\n'))
        },
        cancel: () => void seen.push('left'),
      },
      { highWaterMark: 0 },
    )
    const response = await through(new Response(stream, { headers: { 'content-type': 'text/event-stream' } }))
    expect(seen).toEqual([])
    const reader = response.body?.getReader()
    await reader?.read()
    expect(seen).toEqual(['read'])
    await reader?.cancel()
    expect(seen).toEqual(['read', 'left'])
  })

  it('R25: the policy of the guard decides what an end without its terminator is', async () => {
    const unterminated = (WHOLE['anthropic-messages'] ?? '').replace('data: {"type":"message_stop"}\n\n', '')
    const fetch = (completion: 'strict' | 'lenient') =>
      guardedFetch({ completion, fetch: async () => body(unterminated) })('https://a.example/v1/messages')
    expect(await (await fetch('lenient')).text()).toBe(unterminated)
    await expect(fetch('strict').then((response) => response.text())).rejects.toMatchObject({ failure: { kind: 'truncated' } })
  })

  it('generateText is none of its business', async () => {
    const answer = {
      id: 'c1',
      created: 1,
      model: 'm1',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
    }
    const fetch = guardedFetch({ fetch: async () => body(JSON.stringify(answer), 'application/json') })
    expect((await generateText({ model: providerOf('@ai-sdk/openai', { endpoint: 'http://provider.example/v1', fetch }), prompt: 'hi' })).text).toBe(
      'Hi.',
    )
  })
})
