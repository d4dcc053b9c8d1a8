import { describe, expect, it } from 'vitest'
import { DEFAULT_MAX_TOKENS } from '../../../src/engines/http/anthropic-messages/encode.ts'
import { anthropicMessages } from '../../../src/engines/http/anthropic-messages/protocol.ts'
import { bedrockConverse } from '../../../src/engines/http/bedrock-converse/protocol.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf, unsigned } from './request.ts'

const EMPTY = { type: 'object', properties: {}, additionalProperties: false }

const tools: ToolDefinition[] = [
  { name: 'search', description: 'Looks things up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
]
const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ],
  },
  {
    role: 'assistant',
    content: 'I look.',
    toolCalls: [
      { id: 'call.1:0', name: 'search', arguments: '{"q":"a"}' },
      { id: null, name: 'search', arguments: '' },
    ],
  },
  { role: 'tool', content: 'found a', toolCallId: 'call.1:0' },
  {
    role: 'tool',
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', mediaType: 'image/png', url: 'https://x.example/i.png' },
    ],
    toolCallId: null,
    isError: true,
  },
  { role: 'system', content: 'In English.' },
  { role: 'user', content: 'And now?' },
]
const options = {
  maxTokens: 99,
  temperature: 0.5,
  topP: 0.9,
  stop: ['END'],
  reasoningEffort: 'high' as const,
  toolChoice: 'required' as const,
  responseSchema: { name: 'answer', schema: EMPTY },
}

describe('openai-chat requests', () => {
  it('the smallest', () => {
    expect(openaiChat.encode(requestOf())).toEqual({
      model: 'm1',
      messages: [{ role: 'user', content: 'hello' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(openaiChat.encode(requestOf({ mode: 'call' }))).toEqual({ model: 'm1', messages: [{ role: 'user', content: 'hello' }] })
  })

  it('everything at once', () => {
    expect(openaiChat.encode(requestOf({ messages: history, tools, options }))).toEqual({
      model: 'm1',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [
            { id: 'call.1:0', type: 'function', function: { name: 'search', arguments: '{"q":"a"}' } },
            { id: 'call_2_1', type: 'function', function: { name: 'search', arguments: '' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call.1:0', content: 'found a' },
        { role: 'tool', tool_call_id: 'call_2_1', content: 'see' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.example/i.png' } }] },
        { role: 'system', content: 'In English.' },
        { role: 'user', content: 'And now?' },
      ],
      stream: true,
      stream_options: { include_usage: true },
      max_completion_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END'],
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: EMPTY, strict: true } },
      tools: [
        {
          type: 'function',
          function: { name: 'search', description: 'Looks things up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
        },
      ],
      tool_choice: 'required',
    })
  })

  it('speaks max_tokens to the servers that know only that', () => {
    const body = openaiChat.encode(requestOf({ profile: profileOf({ family: 'proxy' }), options: { maxTokens: 5 } }))
    expect(body).toMatchObject({ max_tokens: 5 })
    expect(body).not.toHaveProperty('max_completion_tokens')
  })

  it('names a forced tool, and says nothing of a choice without tools', () => {
    expect(openaiChat.encode(requestOf({ tools, options: { toolChoice: { name: 'search' } } }))).toMatchObject({
      tool_choice: { type: 'function', function: { name: 'search' } },
    })
    expect(openaiChat.encode(requestOf({ options: { toolChoice: 'auto' } }))).not.toHaveProperty('tool_choice')
  })

  it('signs by bearer token, Azure by its own header, and without a secret not at all', () => {
    const secret = new Secret('sk-secret')
    expect(openaiChat.sign(requestOf({ secret }), unsigned)).toEqual({ authorization: 'Bearer sk-secret' })
    expect(openaiChat.sign(requestOf({ secret, profile: profileOf({ family: 'azure' }) }), unsigned)).toEqual({ 'api-key': 'sk-secret' })
    expect(openaiChat.sign(requestOf(), unsigned)).toEqual({})
  })

  it.each([
    ['https://api.openai.com/v1', 'https://api.openai.com/v1/chat/completions'],
    ['https://api.openai.com/v1/', 'https://api.openai.com/v1/chat/completions'],
    ['http://127.0.0.1:1', 'http://127.0.0.1:1/chat/completions'],
    ['https://h/v1/chat/completions', 'https://h/v1/chat/completions'],
    ['https://h/openai?api-version=1', 'https://h/openai/chat/completions?api-version=1'],
  ])('calls %s at %s', (endpoint, address) => expect(openaiChat.address(endpoint, requestOf())).toBe(address))
})

describe('anthropic-messages requests', () => {
  it.each([
    [0, 0],
    [0.7, 0.7],
    [1, 1],
    [1.5, 1],
  ])('a temperature of %d is sent as %d: more than 1 is refused', (temperature, sent) => {
    expect(anthropicMessages.encode(requestOf({ options: { temperature } })).temperature).toBe(sent)
    expect(bedrockConverse.encode(requestOf({ options: { temperature } })).inferenceConfig).toEqual({ temperature: sent })
  })

  it('the smallest, with the limit that the protocol demands', () => {
    expect(anthropicMessages.encode(requestOf({ mode: 'call' }))).toEqual({
      model: 'm1',
      max_tokens: DEFAULT_MAX_TOKENS,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
    expect(DEFAULT_MAX_TOKENS).toBe(4096)
  })

  it('everything at once: results of parallel calls in one user turn, ids made fit', () => {
    expect(anthropicMessages.encode(requestOf({ messages: history, tools, options }))).toEqual({
      model: 'm1',
      max_tokens: 99,
      system: 'Be brief.\n\nIn English.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: expect.stringMatching(/^[A-Za-z0-9]{24}$/), name: 'search', input: { q: 'a' } },
            { type: 'tool_use', id: 'call_2_1', name: 'search', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: expect.stringMatching(/^[A-Za-z0-9]{24}$/), content: [{ type: 'text', text: 'found a' }] },
            {
              type: 'tool_result',
              tool_use_id: 'call_2_1',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'url', url: 'https://x.example/i.png' } },
              ],
              is_error: true,
            },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      stop_sequences: ['END'],
      output_config: { effort: 'high', format: { type: 'json_schema', schema: EMPTY } },
      tools: [{ name: 'search', description: 'Looks things up', input_schema: { type: 'object', properties: { q: { type: 'string' } } } }],
      tool_choice: { type: 'any' },
    })
  })

  it.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [{ name: 'search' }, { type: 'tool', name: 'search' }],
  ] as const)('tool choice %j', (toolChoice, expected) => {
    expect(anthropicMessages.encode(requestOf({ tools, options: { toolChoice } }))).toMatchObject({ tool_choice: expected })
  })

  it('leaves out what is empty and keeps arguments that are no object', () => {
    const messages: Message[] = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'f', arguments: '{"broken' }] },
    ]
    expect(anthropicMessages.encode(requestOf({ messages })).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'x', name: 'f', input: { invalid_arguments: '{"broken' } }] },
    ])
  })

  it('signs by key and names the version', () => {
    expect(anthropicMessages.sign(requestOf({ secret: new Secret('sk-ant') }), unsigned)).toEqual({ 'x-api-key': 'sk-ant' })
    expect(anthropicMessages.headers).toEqual({ 'anthropic-version': '2023-06-01' })
  })

  it.each([
    ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
    ['https://api.anthropic.com/v1', 'https://api.anthropic.com/v1/messages'],
    ['https://api.anthropic.com/v1/', 'https://api.anthropic.com/v1/messages'],
    ['https://h/v1/messages', 'https://h/v1/messages'],
    ['https://h/proxy', 'https://h/proxy/v1/messages'],
  ])('calls %s at %s', (endpoint, address) => expect(anthropicMessages.address(endpoint, requestOf())).toBe(address))
})
