import { afterEach, describe, expect, it } from 'vitest'
import type { LoopbackScript } from '../../../src/engines/loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../../src/engines/loopback/server.ts'
import type { Message } from '../../../src/model/message.ts'
import { createKernel } from '../../../src/runtime/kernel.ts'

/** Thoughts through the real engine and a provider on this machine: given with one answer, back with the next request. */
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
})

async function provider(script: LoopbackScript): Promise<LoopbackProvider> {
  const server = await startLoopbackProvider({ script })
  open.push(server)
  return server
}

const call = { id: 'call_1', name: 'clock', arguments: '{"zone":"UTC"}' }
const tools = [{ name: 'clock', description: 'Tells the time', parameters: { type: 'object', properties: {} } }]
const thinking = { events: [{ reasoning: 'I need the time.' }, { toolCall: call }, { final: 'tool_calls' as const }] }
const question: Message = { role: 'user', content: 'What time is it?' }
const result: Message = { role: 'tool', content: 'noon', toolCallId: 'call_1' }
const asked = { type: 'message', role: 'user', content: 'What time is it?' }
const sentCall = { type: 'function_call', call_id: 'call_1', name: 'clock', arguments: '{"zone":"UTC"}' }
const answered = { type: 'function_call_output', call_id: 'call_1', output: 'noon' }

const inputs = (server: LoopbackProvider) => server.requests.map((request) => (request.body as { input?: unknown }).input)

describe('R1, R12 the thoughts of openai-responses', () => {
  it.each(['stream', 'call'] as const)('travel in the history and come back in front of their call (%s)', async (mode) => {
    const whole = { ok: '', reasoning: 'I need the time.', toolCalls: [call] }
    const server = await provider({
      'openai.x/m': { stream: [thinking, { events: [{ text: 'noon' }, { final: 'stop' }] }], call: [whole, { ok: 'noon' }] },
    })
    const endpoint = server.endpoint('openai.x')
    const kernel = createKernel({ primary: 'openai.x', profiles: { 'openai.x': { model: 'm', apiKey: 'k', api: 'openai-responses', endpoint } } })
    open.push({ close: () => kernel.stop() })
    const sinks = mode === 'stream' ? (['event'] as const) : []
    const first = await kernel.turn({ messages: [question], tools, sinks: [...sinks] }).outcome
    expect(first).toMatchObject({ kind: 'ok', toolCalls: [call] })
    const { message } = first
    if (message === null) throw new Error('no message to go on with')
    const second = await kernel.turn({ messages: [question, message, result], tools, sinks: [...sinks] }).outcome
    expect(second).toMatchObject({ kind: 'ok', text: 'noon' })
    const id = expect.stringMatching(/^rs_loopback_/)
    const thought = {
      type: 'reasoning',
      id,
      summary: [{ type: 'summary_text', text: 'I need the time.' }],
      encrypted_content: expect.stringMatching(/^encrypted-rs_/),
    }
    const given = { ...sentCall, id: expect.stringMatching(/^fc_loopback_/) }
    expect(inputs(server)).toEqual([[asked], [asked, thought, given, answered]])
    expect(server.requests.map((request) => request.mode)).toEqual([mode, mode])
    expect(server.problems).toEqual([])
  })

  it('stay away from the entry that takes over, and are back when the walk is', async () => {
    const server = await provider({
      'openai.x/m': { stream: [thinking, { http: 500 }, { events: [{ text: 'back' }, { final: 'stop' }] }] },
      'openai.y/m': { call: [{ ok: 'taken over' }] },
    })
    const profile = (name: string) => ({ model: 'm', apiKey: 'k', api: 'openai-responses', endpoint: server.endpoint(name) })
    const kernel = createKernel({
      primary: 'openai.x',
      profiles: { 'openai.x': { ...profile('openai.x'), fallback: ['openai.y'] }, 'openai.y': profile('openai.y') },
      reliability: { providerRetries: 0 },
    })
    open.push({ close: () => kernel.stop() })
    const { message } = await kernel.turn({ messages: [question], tools, sinks: ['event'] }).outcome
    if (message === null) throw new Error('no message to go on with')
    const turn = () => kernel.turn({ messages: [question, message, result], tools, sinks: ['event'] }).outcome
    expect(await turn()).toMatchObject({ text: 'taken over', served: { profile: 'openai.y' } })
    expect(await turn()).toMatchObject({ text: 'back', served: { profile: 'openai.x' } })
    const items = server.requests.map(({ entry, body }) => [entry, (body as { input: { type: string }[] }).input.map(({ type }) => type)])
    const withThought = ['message', 'reasoning', 'function_call', 'function_call_output']
    expect(items).toEqual([
      ['openai.x/m', ['message']],
      ['openai.x/m', withThought],
      ['openai.y/m', ['message', 'function_call', 'function_call_output']],
      ['openai.x/m', withThought],
    ])
  })
})
