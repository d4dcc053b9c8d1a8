import { describe, expect, it } from 'vitest'
import { CHAT_DIALECT_TABLE, dialectOf } from '../../../src/engines/http/openai-chat/dialects.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { CHAT_DIALECTS, type ChatDialect, chatDialectOf } from '../../../src/model/dialect.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf, unsigned } from './request.ts'

const inDialect = (dialect: ChatDialect) => ({ profile: profileOf({ id: 'server.x', family: 'server', dialect }), entry: 'server.x' })
const tool = (name: string): ToolDefinition => ({ name, description: '', parameters: { type: 'object' } })
const tools = [tool('search'), tool('fetch')]
const loop: Message[] = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789', name: 'search', arguments: '{}' }] },
  {
    role: 'tool',
    toolCallId: 'toolu_01ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
    content: [
      { type: 'text', text: 'seen' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ],
  },
  { role: 'user', content: 'and?' },
]
const messagesOf = (dialect: ChatDialect, messages: Message[] = loop) =>
  openaiChat.encode(requestOf({ ...inDialect(dialect), messages })).messages as Record<string, unknown>[]
const rolesOf = (dialect: ChatDialect) => messagesOf(dialect).map(({ role }) => role)
/** The dialects whose answer to a question is `yes`, so that a new row has to be put on one side. */
const those = (is: (dialect: ChatDialect) => boolean) => CHAT_DIALECTS.filter(is)

describe('the dialect of a profile', () => {
  it.each([
    [{ family: 'groq', dialect: null }, 'groq'],
    [{ family: 'groq', dialect: 'vllm' }, 'vllm'],
    [{ family: 'corporate', dialect: null }, 'compatible'],
    [{ family: 'corporate', dialect: 'azure' }, 'azure'],
    [{ family: 'corporate', dialect: 'toString' }, 'compatible'],
  ] as const)('of %j is %s', (profile, name) => {
    expect(chatDialectOf(profile)).toBe(name)
    expect(dialectOf(profile)).toBe(CHAT_DIALECT_TABLE[name])
  })
})

describe('requests in a dialect', () => {
  it('name the token limit as the server does', () => {
    const limited = (dialect: ChatDialect) => openaiChat.encode(requestOf({ ...inDialect(dialect), options: { maxTokens: 7 } }))
    expect(those((name) => limited(name).max_completion_tokens === 7)).toEqual(['openai', 'azure', 'groq', 'xai'])
    for (const name of CHAT_DIALECTS) {
      expect([limited(name).max_tokens, limited(name).max_completion_tokens].filter((value) => value !== undefined)).toEqual([7])
    }
  })

  it('ask for usage only where the field is known', () => {
    expect(those((name) => openaiChat.encode(requestOf(inDialect(name))).stream_options === undefined)).toEqual(['groq', 'mistral', 'zai'])
    for (const name of CHAT_DIALECTS) expect(openaiChat.encode(requestOf({ ...inDialect(name), mode: 'call' }))).not.toHaveProperty('stream_options')
  })

  it('sign by the header of the server', () => {
    const secret = new Secret('k')
    for (const name of CHAT_DIALECTS) {
      const expected = name === 'azure' ? { 'api-key': 'k' } : { authorization: 'Bearer k' }
      expect(openaiChat.sign(requestOf({ ...inDialect(name), secret }), unsigned)).toEqual(expected)
    }
  })

  it.each([
    ['compatible', { reasoning_effort: 'low' }],
    ['openai', { reasoning_effort: 'low' }],
    ['mistral', { reasoning_effort: 'low' }],
    ['openrouter', { reasoning: { effort: 'low' } }],
    ['zai', { thinking: { type: 'enabled' } }],
    ['deepseek', { thinking: { type: 'enabled' }, reasoning_effort: 'low' }],
  ] as const)('say effort as %s does', (name, expected) => {
    const { reasoning_effort, reasoning, thinking } = openaiChat.encode(
      requestOf({ ...inDialect(name), options: { reasoningEffort: 'low' } }),
    ) as Record<string, unknown>
    expect(Object.fromEntries(Object.entries({ reasoning_effort, reasoning, thinking }).filter(([, value]) => value !== undefined))).toEqual(expected)
  })

  it('put a schema into words for a server that knows none', () => {
    const responseSchema = { name: 'answer', schema: { type: 'object', required: ['city'] } }
    const bodies = CHAT_DIALECTS.map((name) => [name, openaiChat.encode(requestOf({ ...inDialect(name), options: { responseSchema } }))] as const)
    for (const [name, body] of bodies) {
      const [first] = body.messages as Record<string, unknown>[]
      if (name === 'deepseek' || name === 'zai') {
        expect(body.response_format).toEqual({ type: 'json_object' })
        expect(first).toMatchObject({ role: 'system', content: expect.stringContaining('{"type":"object","required":["city"]}') })
      } else {
        expect(body.response_format).toEqual({ type: 'json_schema', json_schema: { name: 'answer', schema: responseSchema.schema, strict: false } })
        expect(first?.role).toBe('user')
      }
    }
  })

  it.each([
    ['compatible', 'required', 'required', 2],
    ['mistral', 'required', 'any', 2],
    ['zai', 'required', undefined, 2],
    ['compatible', 'none', 'none', 2],
    ['zai', 'none', undefined, 0],
    ['zai', 'auto', 'auto', 2],
    ['openai', { name: 'fetch' }, { type: 'function', function: { name: 'fetch' } }, 2],
    ['mistral', { name: 'fetch' }, 'any', 1],
    ['lmstudio', { name: 'fetch' }, 'required', 1],
    ['llamacpp', { name: 'fetch' }, 'required', 1],
    ['zai', { name: 'fetch' }, undefined, 1],
  ] as const)('%s says the tool choice %j as %j', (name, toolChoice, said, sent) => {
    const body = openaiChat.encode(requestOf({ ...inDialect(name), tools, options: { toolChoice } })) as { tools?: unknown[]; tool_choice?: unknown }
    expect(body.tool_choice).toEqual(said)
    expect(body.tools?.length ?? 0).toBe(sent)
    if (sent === 1) expect(body.tools).toMatchObject([{ function: { name: 'fetch' } }])
  })

  it('give calls ids that the server takes, the same in call and result', () => {
    for (const name of CHAT_DIALECTS) {
      const [, call, result] = messagesOf(name) as { tool_calls?: { id: string }[]; tool_call_id?: string }[]
      const id = call?.tool_calls?.[0]?.id ?? ''
      expect(id).toMatch(name === 'mistral' ? /^[A-Za-z0-9]{9}$/ : /^[\x21-\x7e]{1,40}$/)
      expect(result?.tool_call_id).toBe(id)
    }
  })

  it('put a result behind its call, whoever spoke in between', () => {
    const [asked, called, result, after] = loop as [Message, Message, Message, Message]
    for (const name of CHAT_DIALECTS) expect(messagesOf(name, [asked, called, after, result])).toEqual(messagesOf(name))
  })

  it('keep images of a result where the server takes them, and a turn of the model before a user where it wants one', () => {
    expect(rolesOf('compatible')).toEqual(['user', 'assistant', 'tool', 'user', 'user'])
    expect(rolesOf('mistral')).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    expect(messagesOf('mistral')[2]).toMatchObject({ role: 'tool', name: 'search', content: [{ type: 'text', text: 'seen' }, image] })
    expect(messagesOf('compatible')[2]).toEqual({ role: 'tool', tool_call_id: expect.any(String), content: 'seen' })
    expect(messagesOf('compatible')[3]).toEqual({ role: 'user', content: [image] })
  })

  it('R1 add the options of a message where the server reads them, and displace nothing by them', () => {
    const messages: Message[] = [
      {
        role: 'user',
        content: 'hello',
        providerOptions: { server: { cache_control: { type: 'ephemeral' }, role: 'system', text: 'no' }, other: { x: 1 } },
      },
    ]
    expect(messagesOf('compatible', messages)).toEqual([{ role: 'user', content: 'hello', cache_control: { type: 'ephemeral' }, text: 'no' }])
    expect(messagesOf('openrouter', messages)).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' }, role: 'system' }] },
    ])
  })

  it.each([
    ['https://r.openai.azure.com', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/openai/', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/openai/v1', 'https://r.openai.azure.com/openai/v1/chat/completions'],
    ['https://r.openai.azure.com/openai/v1?api-version=preview', 'https://r.openai.azure.com/openai/v1/chat/completions?api-version=preview'],
    [
      'https://r.openai.azure.com?api-version=2024-10-21',
      'https://r.openai.azure.com/openai/deployments/m%2F1%3F/chat/completions?api-version=2024-10-21',
    ],
    [
      'https://r.openai.azure.com/openai?api-version=2024-10-21',
      'https://r.openai.azure.com/openai/deployments/m%2F1%3F/chat/completions?api-version=2024-10-21',
    ],
    [
      'https://r.openai.azure.com/openai/deployments/own?api-version=2024-10-21',
      'https://r.openai.azure.com/openai/deployments/own/chat/completions?api-version=2024-10-21',
    ],
    ['https://gateway.example/azure/eu', 'https://gateway.example/azure/eu/chat/completions'],
  ])('azure calls %s at %s', (endpoint, address) => {
    expect(openaiChat.address(endpoint, requestOf({ ...inDialect('azure'), model: 'm/1?' }))).toBe(address)
  })
})
