import Anthropic from '@anthropic-ai/sdk'
import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, type RigProfile, startRig } from '../rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const CLAUDE: RigProfile = { id: 'c.a', api: 'anthropic-messages', model: 'm1' }

async function started(options: Pick<Parameters<typeof startRig>[0], 'script' | 'profiles'>): Promise<Rig & { client: Anthropic }> {
  const rig = await startRig(options)
  rigs.push(rig)
  return { ...rig, client: new Anthropic({ baseURL: rig.gateway.address, apiKey: 'none', maxRetries: 0 }) }
}

const ASK = { model: '', max_tokens: 100, messages: [{ role: 'user' as const, content: 'Say hello.' }] }
const USAGE = { input: 9, output: 2, cachedInput: 4 }

describe('an entry of the same protocol', () => {
  test('is sent what the client wrote, also what no other protocol has', async () => {
    const { client, provider } = await started({ profiles: [CLAUDE], script: { 'c.a/m1': { call: [{ ok: 'Hello', usage: USAGE }] } } })
    const own = {
      system: [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }],
      tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 2 }],
      thinking: { type: 'enabled' as const, budget_tokens: 2_000 },
      metadata: { user_id: 'u' },
      messages: [
        { role: 'user' as const, content: [{ type: 'document' as const, source: { type: 'url' as const, url: 'https://example.com/a.pdf' } }] },
        {
          role: 'assistant' as const,
          content: [
            { type: 'thinking' as const, thinking: 'Hm.', signature: 'c2ln' },
            { type: 'server_tool_use' as const, id: 'srvtoolu_1', name: 'web_search' as const, input: { query: 'a' } },
            { type: 'web_search_tool_result' as const, tool_use_id: 'srvtoolu_1', content: [] },
            { type: 'text' as const, text: 'So.' },
          ],
        },
        { role: 'user' as const, content: 'And?' },
      ],
    }
    await client.messages.create({ ...ASK, ...own })
    expect(provider.requests[0]?.body).toEqual({ ...own, max_tokens: 100, model: 'm1' })
  })

  test('is heard as it speaks: its own names, its usage, what it signed, and `relevo` in the last event', async () => {
    const events = [{ reasoning: 'Hm.' }, { text: 'Hel' }, { text: 'lo' }, { usage: USAGE }, { final: 'stop' as const }]
    const { client } = await started({ profiles: [CLAUDE], script: { 'c.a/m1': { stream: [{ events }] } } })
    const told: object[] = []
    const stream = client.messages.stream(ASK).on('streamEvent', (event) => void told.push(event))
    const { id, content, usage } = await stream.finalMessage()
    expect(id).toBe('msg_loopback_1')
    expect(content).toMatchObject([{ type: 'thinking', signature: 'sig-loopback-1-0' }, { text: 'Hello' }])
    expect(usage).toMatchObject({ input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 2 })
    expect(told.at(-1)).toMatchObject({ type: 'message_stop', relevo: { served: 'c.a/m1', usage: USAGE } })
    expect(told.slice(0, -1).every((event) => !('relevo' in event))).toBe(true)
  })

  test('with `completion: lenient` ends whole without its terminator, and the client is told one', async () => {
    const rig = await startRig({
      profiles: [CLAUDE],
      script: { 'c.a/m1': { stream: [{ fault: { kind: 'cut', at: { frame: -1 }, by: 'end' } }] } },
    })
    rigs.push(rig)
    rig.kernel.reload({
      primary: 'c.a',
      profiles: { 'c.a': { api: 'anthropic-messages', model: 'm1', endpoint: rig.provider.endpoint('c.a'), apiKey: 'k', completion: 'lenient' } },
    })
    const client = new Anthropic({ baseURL: rig.gateway.address, apiKey: 'none', maxRetries: 0 })
    const told: object[] = []
    const whole = await client.messages
      .stream(ASK)
      .on('streamEvent', (event) => void told.push(event))
      .finalMessage()
    expect(whole).toMatchObject({ stop_reason: 'end_turn', content: [{ text: 'loopback answer' }] })
    expect(told.at(-1)).toMatchObject({ type: 'message_stop', relevo: { served: 'c.a/m1' } })
  })
})

test('cached tokens of another protocol stand apart, as here', async () => {
  const spare: RigProfile = { id: 'y.b', api: 'openai-chat', model: 'm2' }
  const { client } = await started({ profiles: [spare], script: { 'y.b/m2': { call: [{ ok: 'Hello', usage: USAGE }] } } })
  const { usage } = await client.messages.create(ASK)
  expect(usage).toMatchObject({ input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 2 })
})
