import { afterEach, describe, expect, it } from 'vitest'
import { resolveHttpEngine } from '../../../src/engines/http/registry.ts'
import type { LoopbackScript } from '../../../src/engines/loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../../src/engines/loopback/server.ts'
import type { AssistantMessage, Message } from '../../../src/model/message.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf } from './request.ts'
import { failureOf, httpServer, run } from './server.ts'

/** The real engine against a provider on this machine that speaks Gemini. */
const engines = resolveHttpEngine()
const opened: { close(): Promise<unknown> }[] = [engines]
afterEach(async () => {
  for (const one of opened.splice(1)) await one.close()
})

async function provider(script: LoopbackScript): Promise<LoopbackProvider> {
  const server = await startLoopbackProvider({ script, protocol: 'gemini' })
  opened.push(server)
  return server
}

interface Asked {
  readonly model?: string
  readonly mode?: 'stream' | 'call'
  readonly messages?: readonly Message[]
}

async function ask(endpoint: string, asked: Asked = {}): Promise<readonly ProviderEvent[]> {
  const profile = profileOf({ id: 'gemini.test', family: 'gemini', api: 'gemini', endpoint })
  const engine = engines(profile) ?? expect.fail('no engine speaks gemini')
  const { events, done } = run(engine, requestOf({ profile, model: 'gemini-3-flash', secret: new Secret('k-test'), ...asked }))
  await done
  return events
}

describe('a Gemini call over HTTP', () => {
  it('asks where the model is, signs, and tells what came', async () => {
    const answer = { events: [{ reasoning: 'hm' }, { text: 'hi' }, { usage: { input: 5, output: 2 } }, { final: 'stop' as const }] }
    const server = await provider({ 'gemini.test/team/gemini-x': { stream: [answer], call: [{ ok: 'hi', usage: { input: 5, output: 2 } }] } })
    const streamed = await ask(server.url('gemini.test'), { model: 'team/gemini-x' })
    const called = await ask(server.url('gemini.test'), { model: 'team/gemini-x', mode: 'call' })
    const end = [
      { type: 'usage', input: 5, output: 2 },
      { type: 'final', finish: 'stop', terminated: true },
    ]
    // Usage is told where it first stands, and again at the end, which is the same place here.
    expect(streamed).toEqual([{ type: 'opened' }, { type: 'reasoning', text: 'hm' }, { type: 'text', text: 'hi' }, end[0], ...end])
    expect(called).toEqual([{ type: 'opened' }, { type: 'text', text: 'hi' }, ...end])
    expect(server.requests.map((request) => request.path)).toEqual([
      '/gemini.test/v1beta/models/team%2Fgemini-x:streamGenerateContent?alt=sse',
      '/gemini.test/v1beta/models/team%2Fgemini-x:generateContent',
    ])
    expect(server.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'k-test', accept: 'text/event-stream' })
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
    expect(server.problems).toEqual([])
  })

  it('R25 ends at the finish chunk of a server that keeps the connection open', async () => {
    const server = await provider({ 'gemini.test/gemini-3-flash': { stream: [{ events: [{ text: 'hi' }, { final: 'stop' }, { stall: true }] }] } })
    expect((await ask(server.url('gemini.test'))).at(-1)).toEqual({ type: 'final', finish: 'stop', terminated: true })
  })

  it('R12 gives a signature back with its call on the next request of the turn', async () => {
    const call = { id: 'c1', name: 'clock', arguments: '{}' }
    const events = [{ text: 'I look.' }, { toolCall: call }, { final: 'tool_calls' as const }]
    const server = await provider({ 'gemini.test/gemini-3-flash': { stream: [{ events }, { events: [{ text: 'noon' }, { final: 'stop' }] }] } })
    const first = await ask(server.url('gemini.test'))
    const data = first.flatMap((event) => (event.type === 'issued' ? [event.data] : []))
    expect(data).toEqual([{ call: 0, id: 'c1', name: 'clock', thoughtSignature: expect.any(String) }])
    const issued = { profile: 'gemini.test', model: 'gemini-3-flash', data }
    const told: AssistantMessage = { role: 'assistant', content: 'I look.', toolCalls: [call], issued }
    await ask(server.url('gemini.test'), {
      messages: [{ role: 'user', content: 'time?' }, told, { role: 'tool', toolCallId: 'c1', content: '12:00' }],
    })
    expect(server.requests[1]?.body).toEqual({
      contents: [
        { role: 'user', parts: [{ text: 'time?' }] },
        {
          role: 'model',
          parts: [{ text: 'I look.' }, { functionCall: { id: 'c1', name: 'clock', args: {} }, thoughtSignature: data[0]?.thoughtSignature }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'clock', response: { output: '12:00' } } }] },
      ],
    })
  })

  it.each([200, 429, 503])('wire.md §4 an error in a list, with status %i, is the error that it says', async (status) => {
    const body = JSON.stringify([{ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } }])
    const server = await httpServer((response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body))
    opened.push(server)
    for (const mode of ['stream', 'call'] as const) {
      const failure = failureOf(await ask(server.endpoint, { mode }))
      expect(failure).toMatchObject(status === 503 ? { status } : { kind: 'rate_limited' })
    }
  })
})
