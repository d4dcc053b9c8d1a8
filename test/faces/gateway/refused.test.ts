import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, type RigProfile, startRig } from './rig.ts'

const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const REFUSED = [{ text: 'I ca' }, { text: 'nnot' }, { usage: { input: 9, output: 2 } }, { final: 'content_filter' as const }]

async function addressOf(api: RigProfile['api']): Promise<string> {
  const rig = await startRig({ profiles: [{ id: 'x.a', api, model: 'm1' }], script: { 'x.a/m1': { stream: [{ events: REFUSED }] } } })
  rigs.push(rig)
  return rig.gateway.address
}

const HI = [{ role: 'user' as const, content: 'hi' }]

describe.each(['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const)(
  'R22 what %s declines in the middle of a stream',
  (api) => {
    test('ends as a refusal for the Anthropic client, with what it cost', async () => {
      const client = new Anthropic({ baseURL: await addressOf(api), apiKey: 'none', maxRetries: 0 })
      const message = await client.messages.stream({ model: '', max_tokens: 9, messages: HI }).finalMessage()
      expect(message).toMatchObject({
        stop_reason: 'refusal',
        content: [{ type: 'text', text: 'I cannot' }],
        usage: { input_tokens: 9, output_tokens: 2 },
      })
    })

    test('ends as a refusal for the openai client, in one answer', async () => {
      const client = new OpenAI({ baseURL: `${await addressOf(api)}/v1`, apiKey: 'none', maxRetries: 0 })
      const chunks = []
      const asked = { model: '', messages: HI, stream: true as const, stream_options: { include_usage: true } }
      for await (const chunk of await client.chat.completions.create(asked)) chunks.push(chunk)
      expect(chunks.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toHaveLength(1)
      expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe('I cannot')
      expect(chunks.map(({ choices }) => choices[0]?.finish_reason).filter((reason) => reason != null)).toEqual(['content_filter'])
      expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 2 })
    })
  },
)
