import { afterEach, describe, expect, it } from 'vitest'
import type { LoopbackScript } from '../../../src/engines/loopback/script.ts'
import { type LoopbackProvider, startLoopbackProvider } from '../../../src/engines/loopback/server.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import type { Outcome } from '../../../src/model/outcome.ts'
import { createKernel } from '../../../src/runtime/kernel.ts'
import type { Kernel } from '../../../src/runtime/kernel-door.ts'

/** A tool loop that one provider begins, another goes on with and the first ends, over real sockets: what each of them is sent. */
const LONG = `toolu_${'0123456789'.repeat(5)}`
const ODD = 'call:7/1'
const tools: ToolDefinition[] = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }]

let provider: LoopbackProvider
let kernel: Kernel
afterEach(async () => {
  await kernel.stop()
  await provider.close()
})

async function start(script: LoopbackScript, more: Record<string, unknown> = {}): Promise<void> {
  provider = await startLoopbackProvider({ script })
  kernel = createKernel({
    primary: 'anthropic.x',
    reliability: { providerRetries: 0 },
    profiles: {
      'anthropic.x': { model: 'm1', apiKey: 'k1', endpoint: provider.endpoint('anthropic.x'), fallback: ['openai.y'], ...more },
      'openai.y': { model: 'm2', apiKey: 'k3', endpoint: provider.endpoint('openai.y') },
    },
  })
}

async function turn(messages: Message[], sinks: string[]): Promise<Outcome> {
  const outcome = await kernel.turn({ messages, tools, sinks: sinks as [] }).outcome
  expect(outcome.kind).toBe('ok')
  if (outcome.message !== null) messages.push(outcome.message)
  return outcome
}

const sent = (n: number) => provider.requests[n]?.body as Record<string, unknown> | undefined

describe('R1 R12 a tool loop over two providers and back', () => {
  it.each(['stream', 'call'] as const)('%s: what was signed stays with its issuer, and every id is one that its reader takes', async (mode) => {
    const first = { id: LONG, name: 'look', arguments: '{"at":1}' }
    const begins = { events: [{ reasoning: 'Where?' }, { text: 'I look.' }, { toolCall: first }, { final: 'tool_calls' as const }] }
    const later = [{ http: 529 }, { ok: 'Done.' }]
    await start({
      'anthropic.x/m1': {
        ...(mode === 'call' ? { call: [{ ok: 'I look.', reasoning: 'Where?', toolCalls: [first] }, ...later] } : { stream: [begins], call: later }),
      },
      'openai.y/m2': { call: [{ ok: '', toolCalls: [{ id: ODD, name: 'look', arguments: '{"at":2}' }] }] },
    })
    const messages: Message[] = [{ role: 'user', content: 'Find it.' }]
    const begun = await turn(messages, mode === 'stream' ? ['event'] : [])
    expect(begun.toolCalls).toEqual([first])
    const signature = mode === 'stream' ? 'sig-loopback-1-0' : 'sig-loopback-1'
    expect(begun.message?.issued).toEqual({ profile: 'anthropic.x', model: 'm1', data: [{ type: 'thinking', thinking: 'Where?', signature }] })
    messages.push({ role: 'tool', toolCallId: LONG, content: 'not here' })
    const gone = await turn(messages, [])
    expect([gone.served, gone.toolCalls[0]?.id]).toEqual([{ profile: 'openai.y', model: 'm2' }, ODD])
    messages.push({ role: 'tool', toolCallId: ODD, content: 'here' })
    expect(await turn(messages, [])).toMatchObject({ text: 'Done.', served: { profile: 'anthropic.x', model: 'm1' } })
    expect(provider.problems).toEqual([])

    // Requests in order: x begins, x is overloaded, y goes on, x ends.
    const idAtY = expect.stringMatching(/^[A-Za-z0-9]{24}$/)
    const toY = sent(2) as { messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[] }
    expect(toY).toEqual({
      model: 'm2',
      messages: [
        { role: 'user', content: 'Find it.' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: idAtY, type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: idAtY, content: 'not here' },
      ],
      tools: [{ type: 'function', function: { name: 'look', description: 'Looks', parameters: { type: 'object' } } }],
    })
    expect(toY.messages[2]?.tool_call_id).toBe(toY.messages[1]?.tool_calls?.[0]?.id)

    const idAtX = expect.stringMatching(/^[A-Za-z0-9]{24}$/)
    const toX = sent(3) as { messages: { content: { id?: string; tool_use_id?: string }[] }[] }
    expect(toX).toEqual({
      model: 'm1',
      max_tokens: 4096,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Find it.' }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Where?', signature },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: LONG, name: 'look', input: { at: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: LONG, content: [{ type: 'text', text: 'not here' }] }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: idAtX, name: 'look', input: { at: 2 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: idAtX, content: [{ type: 'text', text: 'here' }] }] },
      ],
      tools: [{ name: 'look', description: 'Looks', input_schema: { type: 'object' } }],
    })
    expect(toX.messages[4]?.content[0]?.tool_use_id).toBe(toX.messages[3]?.content[0]?.id)
    // The refused request began alike, so that nothing of a cached beginning is lost.
    expect((sent(1) as typeof toX).messages).toEqual(toX.messages.slice(0, 3))
  })

  it('what one key of a pool was given stays with that key', async () => {
    await start(
      {
        'anthropic.x/m1': {
          call: [
            { ok: 'One.', reasoning: 'Hm.' },
            { http: 429, headers: { 'retry-after': '60' } },
            { ok: 'Two.', reasoning: 'Hm.' },
            { ok: 'Three.' },
          ],
        },
      },
      { apiKey: undefined, apiKeys: ['k1', 'k2'], fallback: [] },
    )
    const messages: Message[] = [{ role: 'user', content: 'a' }]
    expect((await turn(messages, [])).message?.issued?.profile).toBe('anthropic.x#1')
    messages.push({ role: 'user', content: 'b' })
    expect((await turn(messages, [])).message?.issued?.profile).toBe('anthropic.x#2')
    messages.push({ role: 'user', content: 'c' })
    await turn(messages, [])
    const typesOf = (n: number) =>
      (sent(n) as { messages: { content: { type: string }[] }[] }).messages.map(({ content }) => content.map(({ type }) => type))
    expect(provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual(['k1', 'k1', 'k2', 'k2'])
    expect(typesOf(1)).toEqual([['text'], ['thinking', 'text'], ['text']])
    expect(typesOf(2)).toEqual([['text'], ['text'], ['text']])
    expect(typesOf(3)).toEqual([['text'], ['text'], ['text'], ['thinking', 'text'], ['text']])
  })
})
