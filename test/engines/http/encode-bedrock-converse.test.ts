import { describe, expect, it } from 'vitest'
import { bedrockConverse } from '../../../src/engines/http/bedrock-converse/protocol.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { profileOf, requestOf } from './request.ts'

const tools: ToolDefinition[] = [
  { name: 'search', description: 'Looks things up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
  { name: 'bare', description: '', parameters: { type: 'object' } },
]
const calls: Message = {
  role: 'assistant',
  content: 'I look.',
  toolCalls: [
    { id: 'call.1:0', name: 'search', arguments: '{"q":"a"}' },
    { id: 'toolu_2', name: 'search', arguments: '' },
  ],
}
const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'system', content: ' ' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      { type: 'image', mediaType: 'image/jpg', data: 'BBBB' },
      { type: 'image', mediaType: 'image/png', url: 'data:image/webp;base64,CCCC' },
      { type: 'image', mediaType: 'image/gif', url: 's3://bucket/a.gif' },
      { type: 'text', text: '\n' },
    ],
  },
  calls,
  { role: 'tool', content: 'found a', toolCallId: 'call.1:0' },
  { role: 'tool', content: [{ type: 'image', mediaType: 'image/png', data: 'DDDD' }], toolCallId: 'toolu_2', isError: true },
  { role: 'user', content: 'Go on.' },
  { role: 'assistant', content: '' },
]

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: readonly Record<string, Record<string, unknown>>[] }[]
  readonly toolConfig?: { readonly tools: readonly { readonly toolSpec: { readonly name: string } }[]; readonly toolChoice?: unknown }
}
const encoded = (...args: Parameters<typeof requestOf>) => bedrockConverse.encode(requestOf(...args)) as unknown as Body

describe('the body for Bedrock', () => {
  it('a whole conversation: turns that alternate, parallel results in one of them, blank text left out', () => {
    const body = encoded({ messages: history, tools })
    const mapped = body.messages[1]?.content[1]?.toolUse?.toolUseId
    expect(mapped).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'What is this?' },
            { image: { format: 'png', source: { bytes: 'AAAA' } } },
            { image: { format: 'jpeg', source: { bytes: 'BBBB' } } },
            { image: { format: 'webp', source: { bytes: 'CCCC' } } },
            { image: { format: 'gif', source: { s3Location: { uri: 's3://bucket/a.gif' } } } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { text: 'I look.' },
            { toolUse: { toolUseId: mapped, name: 'search', input: { q: 'a' } } },
            { toolUse: { toolUseId: 'toolu_2', name: 'search', input: {} } },
          ],
        },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: mapped, content: [{ text: 'found a' }] } },
            { toolResult: { toolUseId: 'toolu_2', content: [{ image: { format: 'png', source: { bytes: 'DDDD' } } }], status: 'error' } },
            { text: 'Go on.' },
          ],
        },
      ],
      toolConfig: {
        tools: [
          { toolSpec: { name: 'search', description: 'Looks things up', inputSchema: { json: tools[0]?.parameters } } },
          { toolSpec: { name: 'bare', inputSchema: { json: { type: 'object' } } } },
        ],
      },
    })
  })

  it('says what it wants, and nothing of the model or of streaming, which stand in the address', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false }
    const options = { maxTokens: 5, temperature: 0, topP: 0.9, stop: ['END'], responseSchema: { name: 'place', schema } }
    expect(encoded({ options })).toEqual({
      messages: [{ role: 'user', content: [{ text: 'hello' }] }],
      inferenceConfig: { maxTokens: 5, temperature: 0, topP: 0.9, stopSequences: ['END'] },
      outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'place', schema: JSON.stringify(schema) } } } },
    })
  })

  it.each([
    ['us.anthropic.claude-opus-4-6-v1', { output_config: { effort: 'high' } }],
    ['arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4-6', { output_config: { effort: 'high' } }],
    ['openai.gpt-oss-120b-1:0', { reasoning_effort: 'high' }],
    ['us.amazon.nova-2-lite-v1:0', { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } }],
    ['amazon.nova-lite-v1:0', undefined],
    ['meta.llama3-1-8b-instruct-v1:0', undefined],
    ['arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', undefined],
  ])('effort for %s is %j', (model, fields) => {
    expect(bedrockConverse.encode(requestOf({ model, options: { reasoningEffort: 'high' } })).additionalModelRequestFields).toEqual(fields)
  })

  it.each([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
    [{ name: 'search' }, { tool: { name: 'search' } }],
    [undefined, undefined],
  ] as const)('tool choice %j', (toolChoice, expected) => {
    expect(encoded({ tools, options: { toolChoice } }).toolConfig?.toolChoice).toEqual(expected)
  })

  it('a history with calls has tools, also where none is offered: the protocol refuses it otherwise', () => {
    const named = (body: Body) => body.toolConfig?.tools.map((tool) => tool.toolSpec.name)
    expect(named(encoded({ messages: [calls], tools: [] }))).toEqual(['search'])
    expect(encoded({ messages: [calls], tools: [] }).toolConfig?.tools[0]?.toolSpec).toEqual({
      name: 'search',
      inputSchema: { json: { type: 'object' } },
    })
    expect(named(encoded({ messages: [calls], tools, options: { toolChoice: 'none' } }))).toEqual(['search'])
    expect(named(encoded({ tools, options: { toolChoice: 'none' } }))).toBeUndefined()
    expect(named(encoded({ messages: [calls], tools: tools.slice(1) }))).toEqual(['bare', 'search'])
  })

  it('R1 an image at an address is refused, since nothing is fetched and nothing is left out', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'image', mediaType: 'image/png', url: 'https://example.org/a.png' }] }]
    expect(() => encoded({ messages })).toThrow('Bedrock takes the bytes of an image and no address')
  })

  it('reasoning goes back in front of what was said, to the profile and model that gave it and to no other', () => {
    const given = [{ reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } }, { reasoningContent: { redactedContent: 'aGlkZGVu' } }]
    const issued = { profile: 'bedrock.a', model: 'claude', data: given }
    const messages: Message[] = [{ role: 'assistant', content: 'said', issued }]
    const content = (id: string, model: string) => encoded({ messages, model, profile: profileOf({ id }) }).messages[0]?.content
    expect(content('bedrock.a', 'claude')).toEqual([...given, { text: 'said' }])
    expect(content('bedrock.b', 'claude')).toEqual([{ text: 'said' }])
    expect(content('bedrock.a', 'other')).toEqual([{ text: 'said' }])
  })

  it('what was kept stands where it stood among the text and the calls, which are always whole', () => {
    const thought = { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } }
    const hidden = { reasoningContent: { redactedContent: 'aGlkZGVu' } }
    const ran = { toolUse: { toolUseId: 's1', name: 'grounding', input: {}, type: 'server_tool_use' } }
    const data = [thought, { textLength: 6 }, ran, { textLength: 5 }, { toolCall: true }, hidden]
    const issued = { profile: 'openai.test', model: 'm1', data }
    const toolCalls = [
      { id: 'a', name: 'f', arguments: '{}' },
      { id: 'b', name: 'g', arguments: '{}' },
    ]
    const use = (toolUseId: string, name: string) => ({ toolUse: { toolUseId, name, input: {} } })
    const blocks = (message: Partial<Message>) =>
      encoded({ messages: [{ role: 'assistant', content: '', ...message, issued } as Message] }).messages[0]?.content
    expect(blocks({ content: 'first.then', toolCalls })).toEqual([
      thought,
      { text: 'first.' },
      ran,
      { text: 'then' },
      use('a', 'f'),
      hidden,
      use('b', 'g'),
    ])
    // A place that a host has moved into a character of two halves is the one behind it.
    const [, text] = blocks({ content: 'first😀 then' }) ?? []
    expect(text).toEqual({ text: 'first😀' })
    // A host that made the answer shorter or longer loses none of it.
    expect(blocks({ content: 'f', toolCalls: toolCalls.slice(1) })).toEqual([thought, { text: 'f' }, ran, use('b', 'g')])
    expect(blocks({ content: 'first.then and more' })).toEqual([thought, { text: 'first.' }, ran, { text: 'then ' }, hidden, { text: 'and more' }])
  })

  it('an answer that ends in reasoning loses it, one of nothing else is left out', () => {
    const thought = { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } }
    const messages: Message[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', issued: { profile: 'openai.test', model: 'm1', data: [thought] } },
      { role: 'user', content: 'again' },
    ]
    expect(encoded({ messages }).messages).toEqual([{ role: 'user', content: [{ text: 'hi' }, { text: 'again' }] }])
  })

  it("a result stands behind its call, whoever spoke in between; images of an answer follow as the user's", () => {
    const messages: Message[] = [
      { role: 'assistant', content: [{ type: 'image', mediaType: 'image/png', data: 'AAAA' }], toolCalls: [{ id: 'a', name: 'f', arguments: '{}' }] },
      { role: 'user', content: 'wait' },
      { role: 'tool', content: 'done', toolCallId: 'a' },
    ]
    expect(encoded({ messages }).messages).toEqual([
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'f', input: {} } }] },
      {
        role: 'user',
        content: [
          { toolResult: { toolUseId: 'a', content: [{ text: 'done' }] } },
          { image: { format: 'png', source: { bytes: 'AAAA' } } },
          { text: 'wait' },
        ],
      },
    ])
  })

  it('R1 options of a message are blocks behind it, for this family or profile alone', () => {
    const cachePoint = { type: 'default' }
    const providerOptions = { bedrock: { cachePoint }, anthropic: { cache_control: { type: 'ephemeral' } } }
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.', providerOptions },
      { role: 'user', content: 'hi', providerOptions },
      { role: 'assistant', content: ' ', providerOptions },
    ]
    const body = bedrockConverse.encode(requestOf({ messages, profile: profileOf({ id: 'bedrock.eu', family: 'bedrock' }) }))
    expect(body).toEqual({
      system: [{ text: 'Be brief.' }, { cachePoint }],
      messages: [{ role: 'user', content: [{ text: 'hi' }, { cachePoint }] }],
    })
    expect(JSON.stringify(encoded({ messages }))).not.toContain('cache')
  })

  it.each([
    ['stream', 'anthropic.claude-v2:1', 'https://h/model/anthropic.claude-v2%3A1/converse-stream'],
    ['call', 'm', 'https://h/model/m/converse'],
    [
      'call',
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.x',
      'https://h/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x/converse',
    ],
  ] as const)('a %s of %s goes to %s', (mode, model, address) => {
    expect(bedrockConverse.address('https://h', requestOf({ mode, model }))).toBe(address)
    expect(bedrockConverse.address('https://h/', requestOf({ mode, model }))).toBe(address)
  })
})
