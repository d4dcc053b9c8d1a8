import { describe, expect, onTestFinished, test } from 'vitest'
import { fromAiSdk } from '../../src/engines/ai-sdk/from-ai-sdk.ts'
import type { KernelConfig, KernelPorts } from '../../src/runtime/kernel-door.ts'
import { socketServer } from '../engines/http/server.ts'
import { canary, type Stage, stage } from './canary-rig.ts'

/** Bytes that no scripted provider writes: a whole answer as it stands on the wire, with what signed the request in every place that is read. */
const SAID = [canary('apiKey'), canary('header'), canary('query'), canary('body')].join(' ')
const CODE = canary('apiKey')

const head = (status: string, headers: readonly string[], body: string): string =>
  [`HTTP/1.1 ${status}`, ...headers, `content-length: ${Buffer.byteLength(body)}`, 'connection: close', '', body].join('\r\n')
const sse = (...lines: readonly string[]): string => head('200 OK', ['content-type: text/event-stream'], `${lines.join('\n')}\n\n`)
const chunk = (choice: object, more: object = {}): string => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }], ...more })}\n`
const json = (body: object, status = '200 OK'): string => head(status, ['content-type: application/json'], JSON.stringify(body))

const STREAMS: readonly (readonly [string, string, string])[] = [
  ['a comment of a stream', sse(`: ${SAID}`, chunk({ delta: { content: 'Begun.' } })), 'interrupted'],
  ['the name and the id of an event', sse(`event: ${SAID}`, `id: ${SAID}`, `retry: ${SAID}`, 'data: {}'), 'exhausted'],
  ['data that is no JSON', sse(`data: {"choices": ${SAID}`), 'exhausted'],
  [
    'an error frame of an unknown type',
    sse('event: error', `data: ${JSON.stringify({ error: { message: SAID, type: CODE, code: CODE } })}`),
    'exhausted',
  ],
  ['an error frame that is a text', sse(`data: ${JSON.stringify({ error: SAID })}`), 'exhausted'],
  [
    'why it finished, its model and its fingerprint',
    sse(
      chunk({ delta: { content: 'Hi.' } }, { model: SAID, id: SAID, system_fingerprint: SAID }),
      chunk({ delta: {}, finish_reason: SAID }),
      'data: [DONE]',
    ),
    'ok',
  ],
  ['a refusal', sse(chunk({ delta: { refusal: SAID } }), chunk({ delta: {}, finish_reason: 'content_filter' }), 'data: [DONE]'), 'refused'],
  [
    'tokens that are texts',
    sse(chunk({ delta: { content: 'Hi.' }, finish_reason: 'stop' }, { usage: { prompt_tokens: SAID } }), 'data: [DONE]'),
    'ok',
  ],
  ['the reason behind a status', head(`401 ${SAID}`, [], ''), 'exhausted'],
  ['an encoding that nobody knows', head('200 OK', ['content-type: text/event-stream', `content-encoding: ${SAID}`], 'x'), 'exhausted'],
  ['a type that nobody knows', head('200 OK', [`content-type: application/${SAID}`], 'x'), 'exhausted'],
  ['the place of a page', head('302 Found', [`location: https://elsewhere.example/?key=${encodeURIComponent(SAID)}`], SAID), 'exhausted'],
  ['a wait in words', json({ error: { message: `Please try again in ${SAID}` } }, '429 Too Many Requests'), 'all_held'],
  ['what is no HTTP', `${SAID}\r\n\r\n`, 'exhausted'],
  ['a header that is none', `HTTP/1.1 200 OK\r\n${SAID}\u0000\r\n\r\n`, 'exhausted'],
  ['chunks of no size', `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${SAID}\r\n`, 'exhausted'],
]
const CALLS: readonly (readonly [string, string, string])[] = [
  ['an answer without choices', json({ object: SAID, detail: SAID }), 'exhausted'],
  ['an answer that is an error', json({ error: { message: SAID, type: CODE, param: SAID } }), 'exhausted'],
  ['an answer cut off', json({ choices: [{ message: { content: 'Hi.' } }], id: SAID }).slice(0, -30), 'exhausted'],
]

function configOf(endpoint: string): KernelConfig {
  return {
    primary: 'a.x',
    profiles: {
      'a.x': {
        api: 'openai-chat',
        model: 'm1',
        endpoint: `${endpoint}?key=${encodeURIComponent(canary('query'))}`,
        apiKey: canary('apiKey'),
        headers: { 'x-gateway': `Bearer ${canary('header')}` },
        body: { metadata: { token: canary('body') } },
      },
    },
    reliability: { jitter: 0, providerRetries: 0, onAllHeld: 'fail' },
  }
}

/** What a turn comes to, and what is seen of the secrets in it. */
async function ended({ witness, turn, close }: Stage, stream: boolean): Promise<{ kind: string; leaks: readonly string[] }> {
  const { kind } = await turn({ stream, sinks: stream ? ['event'] : [] })
  await close()
  return { kind, leaks: witness.leaks }
}

async function against(bytes: string, ports: KernelPorts = {}, stream = true): ReturnType<typeof ended> {
  const server = await socketServer((socket) => socket.once('data', () => socket.end(bytes)))
  onTestFinished(() => server.close())
  return ended(stage(configOf(server.endpoint), ports), stream)
}

/** What a decoder reads is the same over every transport; heads and broken connections are not. */
const OF_A_TRANSPORT = STREAMS.slice(STREAMS.findIndex(([what]) => what === 'the reason behind a status'))

describe.each([
  ['undici', {}, STREAMS, CALLS],
  ['fetch', { fetch: globalThis.fetch }, OF_A_TRANSPORT, CALLS.slice(-1)],
] as const)('over %s', (_, ports, streams, calls) => {
  test.each(streams)('SEC-01 SEC-04 SEC-05 no output repeats %s', async (_what, bytes, kind) => {
    expect(await against(bytes, ports)).toEqual({ kind, leaks: [] })
  })

  test.each(calls)('SEC-01 SEC-04 SEC-05 no output repeats %s', async (_what, bytes, kind) => {
    expect(await against(bytes, ports, false)).toEqual({ kind, leaks: [] })
  })
})

/** Errors as those who throw them make them: with the request that they are about. */
const THROWN: readonly (readonly [string, () => unknown])[] = [
  ['an error with a cause', () => new TypeError(`fetch failed: ${SAID}`, { cause: Object.assign(new Error(SAID), { code: CODE }) })],
  ['an error with its request', () => Object.assign(new Error(SAID), { code: CODE, config: { headers: { authorization: `Bearer ${CODE}` } } })],
  ['several errors', () => new AggregateError([new Error(SAID), Object.assign(new Error(SAID), { code: CODE })], SAID)],
  ['a text', () => SAID],
]

describe('of a host', () => {
  test.each(THROWN)('SEC-01 SEC-04 SEC-05 a fetch that throws %s is not repeated', async (_, thrown) => {
    const fetch = (): Promise<never> => Promise.reject(thrown())
    expect(await ended(stage(configOf('http://127.0.0.1:9/v1'), { fetch: fetch as never }), true)).toEqual({ kind: 'exhausted', leaks: [] })
  })

  test.each(THROWN)('SEC-01 SEC-04 SEC-05 a model of the AI SDK that throws %s is not repeated', async (_, thrown) => {
    const refuse = (): Promise<never> => Promise.reject(thrown())
    const engine = fromAiSdk(
      () => ({ specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {}, doGenerate: refuse, doStream: refuse }) as never,
    )
    expect(await ended(stage(configOf('http://127.0.0.1:9/v1'), { engines: () => engine }), true)).toEqual({ kind: 'exhausted', leaks: [] })
  })
})
