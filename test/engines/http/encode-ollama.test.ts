import { describe, expect, it } from 'vitest'
import { ollama } from '../../../src/engines/http/ollama/protocol.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf, unsigned } from './request.ts'

const tools: ToolDefinition[] = [
  { name: 'search', description: 'Looks things up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
  { name: 'clock', description: '', parameters: { type: 'object' } },
]
const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', url: 'data:image/jpeg;base64,BBBB' },
    ],
  },
  {
    role: 'assistant',
    content: 'I look.',
    toolCalls: [
      { id: 'call.1:0', name: 'search', arguments: '{"q":"a"}' },
      { id: null, name: 'clock', arguments: '' },
    ],
  },
  { role: 'tool', content: 'found a', toolCallId: 'call.1:0' },
  {
    role: 'tool',
    content: [
      { type: 'text', text: 'noon' },
      { type: 'image', mediaType: 'image/png', data: 'CCCC' },
    ],
    toolCallId: null,
    isError: true,
  },
  { role: 'user', content: 'Go on.' },
]

describe('the body for Ollama', () => {
  it('a whole conversation: images as bare base64, arguments as objects, results by the name of their tool', () => {
    expect(ollama.encode(requestOf({ messages: history, tools }))).toEqual({
      model: 'm1',
      stream: true,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'What is this?', images: ['AAAA', 'BBBB'] },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ function: { name: 'search', arguments: { q: 'a' } } }, { function: { name: 'clock', arguments: {} } }],
        },
        { role: 'tool', content: 'found a', tool_name: 'search' },
        { role: 'tool', content: 'noon', tool_name: 'clock', images: ['CCCC'] },
        { role: 'user', content: 'Go on.' },
      ],
      tools: [
        { type: 'function', function: { name: 'search', description: 'Looks things up', parameters: tools[0]?.parameters } },
        { type: 'function', function: { name: 'clock', description: '', parameters: { type: 'object' } } },
      ],
    })
  })

  it('says what it wants: streaming is its default, so a call says no', () => {
    const body = ollama.encode(
      requestOf({
        mode: 'call',
        options: {
          maxTokens: 5,
          temperature: 0,
          topP: 0.9,
          stop: ['END'],
          responseSchema: { name: 'n', schema: { type: 'object' } },
        },
      }),
    )
    expect(body).toEqual({
      model: 'm1',
      stream: false,
      messages: [{ role: 'user', content: 'hello' }],
      options: { num_predict: 5, temperature: 0, top_p: 0.9, stop: ['END'] },
      format: { type: 'object' },
    })
  })

  it.each([
    ['qwen3:8b', 'low', true],
    ['deepseek-r1', 'high', true],
    ['gpt-oss:20b', 'low', 'low'],
    ['someone/gpt-oss-120b', 'high', 'high'],
    ['not-gpt-ossified', 'high', true],
  ] as const)('thinking of %s at %s is %j: only one family takes a level', (model, reasoningEffort, think) => {
    expect(ollama.encode(requestOf({ model, options: { reasoningEffort } }))).toMatchObject({ think })
  })

  it.each([
    ['auto', ['search', 'clock']],
    ['required', ['search', 'clock']],
    ['none', undefined],
    [{ name: 'clock' }, ['clock']],
    [{ name: 'unknown' }, undefined],
  ] as const)('tool choice %j offers %j', (toolChoice, names) => {
    const body = ollama.encode(requestOf({ tools, options: { toolChoice } })) as { tools?: { function: { name: string } }[] }
    expect(body.tools?.map((tool) => tool.function.name)).toEqual(names)
  })

  it('R1 an image at an address is refused, since nothing is fetched and nothing is left out', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' }] }]
    expect(() => ollama.encode(requestOf({ messages }))).toThrow('Ollama takes the bytes of an image and no address')
  })

  it('arguments that are no object are kept under one key', () => {
    const messages: Message[] = [{ role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'f', arguments: '{"broken' }] }]
    expect(ollama.encode(requestOf({ messages })).messages).toEqual([
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: { invalid_arguments: '{"broken' } } }] },
    ])
  })

  it('thoughts go back to the profile and model that had them, and to no other', () => {
    const issued = { profile: 'ollama.a', model: 'qwen3', data: [{ thinking: 'let me see' }] }
    const messages: Message[] = [{ role: 'assistant', content: '', toolCalls: [{ id: 'x', name: 'f', arguments: '{}' }], issued }]
    const body = (id: string, model: string) => ollama.encode(requestOf({ messages, model, profile: profileOf({ id }) })).messages
    expect(body('ollama.a', 'qwen3')).toMatchObject([{ thinking: 'let me see' }])
    expect(JSON.stringify([body('ollama.b', 'qwen3'), body('ollama.a', 'other')])).not.toContain('let me see')
  })
})

describe('messages of Ollama in their order', () => {
  it('a result stands behind its call, whoever spoke in between', () => {
    const messages: Message[] = [
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }] },
      { role: 'user', content: 'wait' },
      { role: 'tool', content: 'done', toolCallId: 'a' },
    ]
    const roles = (ollama.encode(requestOf({ messages })).messages as { role: string }[]).map((message) => message.role)
    expect(roles).toEqual(['assistant', 'tool', 'user'])
  })

  it('R1 options of a message are fields of it, for this family or profile alone, and displace nothing', () => {
    const messages: Message[] = [{ role: 'user', content: 'hi', providerOptions: { ollama: { extra: 1, content: 'no' }, openai: { other: 2 } } }]
    const body = ollama.encode(requestOf({ messages, profile: profileOf({ id: 'ollama.a', family: 'ollama' }) }))
    expect(body.messages).toEqual([{ role: 'user', content: 'hi', extra: 1 }])
  })
})

describe('where and as whom', () => {
  it.each([
    ['http://127.0.0.1:11434', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/api', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/api/chat', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/v1', 'http://127.0.0.1:11434/api/chat'],
    ['http://127.0.0.1:11434/v1/', 'http://127.0.0.1:11434/api/chat'],
    ['https://ollama.com?a=b', 'https://ollama.com/api/chat?a=b'],
    ['https://h/proxy', 'https://h/proxy/api/chat'],
    ['https://h/proxy/v1', 'https://h/proxy/api/chat'],
  ])('calls %s at %s', (endpoint, address) => expect(ollama.address(endpoint, requestOf())).toBe(address))

  it('signs by bearer token where there is a key, and by nothing where there is none', () => {
    expect(ollama.sign(requestOf({ secret: new Secret('k-1') }), unsigned)).toEqual({ authorization: 'Bearer k-1' })
    expect(ollama.sign(requestOf(), unsigned)).toEqual({})
  })
})
