import { afterEach, describe, expect, test } from 'vitest'
import { type Rig, startRig } from './rig.ts'

/** Images of clients, in a prompt and in the result of a tool, at entries of each protocol; and whose requests they were. */
const rigs: Rig[] = []
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close()
})

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const URL = `data:image/png;base64,${PIXEL}`
const SOURCE = { type: 'base64', media_type: 'image/png', data: PIXEL }
const schema = { type: 'object', properties: {} }
const text = 'what is it?'

const CLIENTS = {
  'openai-chat': {
    path: '/v1/chat/completions',
    prompt: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: URL } },
          ],
        },
      ],
    },
    result: {
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }] },
        {
          role: 'tool',
          tool_call_id: 'c1',
          content: [
            { type: 'text', text: 'seen' },
            { type: 'image_url', image_url: { url: URL } },
          ],
        },
      ],
    },
  },
  'openai-responses': {
    path: '/v1/responses',
    prompt: {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text },
            { type: 'input_image', image_url: URL, detail: 'auto' },
          ],
        },
      ],
    },
    result: {
      tools: [{ type: 'function', name: 'look', parameters: schema, strict: false }],
      input: [
        { role: 'user', content: text },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        {
          type: 'function_call_output',
          call_id: 'c1',
          output: [
            { type: 'input_text', text: 'seen' },
            { type: 'input_image', image_url: URL, detail: 'auto' },
          ],
        },
      ],
    },
  },
  'anthropic-messages': {
    path: '/v1/messages',
    prompt: {
      max_tokens: 9,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source: SOURCE },
          ],
        },
      ],
    },
    result: {
      max_tokens: 9,
      tools: [{ name: 'look', input_schema: schema }],
      messages: [
        { role: 'user', content: text },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'c1',
              content: [
                { type: 'text', text: 'seen' },
                { type: 'image', source: SOURCE },
              ],
            },
          ],
        },
      ],
    },
  },
} as const

type Api = keyof typeof CLIENTS
const APIS = Object.keys(CLIENTS) as Api[]
const ENTRIES = [...APIS, 'gemini', 'ollama', 'bedrock-converse'] as const
const PAIRS = APIS.flatMap((from) => ENTRIES.flatMap((to) => (['prompt', 'result'] as const).map((where) => [from, where, to] as const)))

describe('an image', () => {
  test.each(PAIRS)('of %s, in a %s, reaches %s once, and its words beside it', async (from, where, api) => {
    const rig = await startRig({
      profiles: [{ id: 'x.main', api, model: 'm1' }],
      script: { 'x.main/m1': { call: [{ ok: 'a dot' }] } },
      config: { gateway: { keys: [{ id: 'ana', key: 'k-ana' }] } },
    })
    rigs.push(rig)
    const { path, [where]: asked } = CLIENTS[from]
    const headers = { 'content-type': 'application/json', authorization: 'Bearer k-ana' }
    const answer = await fetch(`${rig.gateway.address}${path}`, { method: 'POST', headers, body: JSON.stringify(asked) })
    const told = await answer.text()
    expect([answer.status, told.includes('a dot')], told).toEqual([200, true])
    const sent = JSON.stringify(rig.provider.requests[0]?.body)
    expect([sent.split(PIXEL).length - 1, sent.includes(where === 'prompt' ? text : 'seen')], sent).toEqual([1, true])
    expect(rig.kernel.ledger.rows().map(({ caller }) => caller)).toEqual(['ana'])
  })
})
