import { describe, expect, it } from 'vitest'
import { CannotSend } from '../../../src/engines/cannot-send.ts'
import { openaiResponses } from '../../../src/engines/http/openai-responses/protocol.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf, unsigned } from './request.ts'

const EMPTY = { type: 'object', properties: {}, additionalProperties: false }

const encode = (more: Parameters<typeof requestOf>[0] = {}) => openaiResponses.encode(requestOf({ mode: 'call', ...more }))
const inputOf = (...messages: Message[]) => encode({ messages }).input
const user = { type: 'message', role: 'user', content: 'hello' }
const tools: ToolDefinition[] = [
  { name: 'search', description: 'Looks things up', parameters: { type: 'object', properties: { q: { type: 'string' } } } },
]

describe('openai-responses requests', () => {
  it('the smallest: nothing is stored, thoughts travel encrypted', () => {
    const smallest = { model: 'm1', input: [user], store: false, include: ['reasoning.encrypted_content'] }
    expect(encode()).toEqual(smallest)
    expect(encode({ mode: 'stream' })).toEqual({ ...smallest, stream: true })
  })

  it('everything at once', () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'system', content: 'Be kind.' },
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
      },
      { role: 'system', content: 'In English.' },
      { role: 'user', content: 'And now?' },
    ]
    const options = {
      maxTokens: 99,
      temperature: 0.5,
      topP: 0.9,
      reasoningEffort: 'high' as const,
      toolChoice: 'required' as const,
      responseSchema: { name: 'answer', schema: EMPTY },
    }
    expect(encode({ messages, tools, options })).toEqual({
      model: 'm1',
      instructions: 'Be brief.\n\nBe kind.',
      input: [
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'What is this?' },
            { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' },
          ],
        },
        { type: 'message', role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'call.1:0', name: 'search', arguments: '{"q":"a"}' },
        { type: 'function_call', call_id: 'call_3_1', name: 'search', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call.1:0', output: 'found a' },
        {
          type: 'function_call_output',
          call_id: 'call_3_1',
          output: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'https://x.example/i.png', detail: 'auto' },
          ],
        },
        { type: 'message', role: 'system', content: 'In English.' },
        { type: 'message', role: 'user', content: 'And now?' },
      ],
      store: false,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 99,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'answer', schema: EMPTY, strict: true } },
      tools: [{ type: 'function', name: 'search', description: 'Looks things up', parameters: tools[0]?.parameters, strict: false }],
      tool_choice: 'required',
    })
  })

  it('names a forced tool, and says nothing of a choice without tools', () => {
    expect(encode({ tools, options: { toolChoice: { name: 'search' } } })).toMatchObject({ tool_choice: { type: 'function', name: 'search' } })
    expect(encode({ options: { toolChoice: 'auto' } })).not.toHaveProperty('tool_choice')
  })

  it('sends instructions alone as messages: input must not be empty', () => {
    expect(encode({ messages: [{ role: 'system', content: 'Say hello.' }] })).toMatchObject({
      input: [{ type: 'message', role: 'system', content: 'Say hello.' }],
    })
    expect(encode({ messages: [{ role: 'system', content: 'Say hello.' }] })).not.toHaveProperty('instructions')
  })

  it('does not ask for thoughts where there are none to encrypt: the provider refuses the question', () => {
    for (const model of [
      'gpt-4o',
      'gpt-4.1-mini',
      'gpt-35-turbo',
      'chatgpt-4o-latest',
      'gpt-5-chat-latest',
      'gpt-5.2-chat',
      'openai/gpt-4o',
      'my-GPT4-deployment',
    ]) {
      expect([model, encode({ model }).include]).toEqual([model, undefined])
    }
    for (const model of ['gpt-5', 'gpt-5.1-codex', 'o3', 'o4-mini', 'gpt-oss-20b', 'deepseek-v4-flash', 'anything']) {
      expect([model, encode({ model }).include]).toEqual([model, ['reasoning.encrypted_content']])
    }
  })

  it('refuses stop sequences with the remedy, so that the walk goes on to an entry that knows them', () => {
    expect(() => encode({ options: { stop: ['END'] } })).toThrow(CannotSend)
    expect(() => encode({ options: { stop: ['END'] } })).toThrow(/leave `stop` out/)
    expect(encode({ options: { stop: [] } })).not.toHaveProperty('stop')
  })

  it('images of an answer follow it as the user’s, since an answer has none here', () => {
    const content: Message['content'] = [
      { type: 'text', text: 'a' },
      { type: 'image', mediaType: 'image/png', data: 'AAAA' },
    ]
    expect(inputOf({ role: 'assistant', content })).toEqual([
      { type: 'message', role: 'assistant', content: 'a' },
      { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'auto' }] },
    ])
  })

  it('a result stands behind its call, also where a user spoke meanwhile', () => {
    const input = inputOf(
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'f', arguments: '{}' }] },
      { role: 'user', content: 'hello' },
      { role: 'tool', content: 'ok', toolCallId: 'c1' },
    )
    expect(input).toMatchObject([{ type: 'function_call' }, { type: 'function_call_output', call_id: 'c1' }, user])
  })

  it('R12 calls to which a server gave the id of an earlier one are told apart', () => {
    const step = (output: string): Message[] => [
      { role: 'assistant', content: '', toolCalls: [{ id: 'call_0', name: 'f', arguments: '{}' }] },
      { role: 'tool', content: output, toolCallId: 'call_0' },
    ]
    const ids = (inputOf(...step('one'), ...step('two')) as { call_id: string }[]).map((item) => item.call_id)
    expect(ids).toEqual(['call_0', 'call_0', ids[2], ids[2]])
    expect(ids[2]).not.toBe('call_0')
  })

  it('R1 adds what a host wrote for this entry to the item, and displaces nothing', () => {
    const providerOptions = { openai: { phase: 'final_answer', role: 'system' }, anthropic: { cache_control: {} } }
    expect(inputOf({ role: 'user', content: 'hello', providerOptions })).toEqual([{ ...user, phase: 'final_answer' }])
  })

  it('R12 maps a call id of more than 64 characters, in the call and in its result', () => {
    const long = 'x'.repeat(65)
    const input = inputOf(
      { role: 'assistant', content: '', toolCalls: [{ id: long, name: 'f', arguments: '{}' }] },
      { role: 'tool', content: 'ok', toolCallId: long },
    ) as { call_id: string }[]
    expect(input.map((item) => item.call_id)).toEqual([expect.stringMatching(/^[A-Za-z0-9]{24}$/), input[0]?.call_id])
    const fits = 'x'.repeat(64)
    expect(inputOf({ role: 'assistant', content: '', toolCalls: [{ id: fits, name: 'f', arguments: '{}' }] })).toMatchObject([{ call_id: fits }])
  })
})

describe('thoughts go back to who gave them', () => {
  const thought = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: `encrypted-${id}` })
  const toolCalls = [
    { id: 'call_1', name: 'f', arguments: '{"a":1}' },
    { id: 'call_2', name: 'f', arguments: '{"a":2}' },
  ]
  const issuedCall = (n: number) => ({ type: 'function_call', id: `fc_${n}`, call_id: `call_${n}` })
  const sentCall = (n: number, more: object = {}) => ({ type: 'function_call', call_id: `call_${n}`, name: 'f', arguments: `{"a":${n}}`, ...more })
  const answer = (data: Record<string, unknown>[], more: Partial<Extract<Message, { role: 'assistant' }>> = {}): Message => {
    return { role: 'assistant', content: '', toolCalls, issued: { profile: 'openai.test', model: 'm1', data }, ...more }
  }
  const said = (text: string, more: object = {}) => {
    const content = [{ type: 'output_text', text, annotations: [] }]
    return { type: 'message', role: 'assistant', status: 'completed', content, ...more }
  }

  it('in front of what they led to, with the ids they came with', () => {
    const data = [thought('rs_1'), issuedCall(1), thought('rs_2'), issuedCall(2)]
    expect(inputOf(answer(data))).toEqual([thought('rs_1'), sentCall(1, { id: 'fc_1' }), thought('rs_2'), sentCall(2, { id: 'fc_2' })])
  })

  it('and nobody else gets any of it', () => {
    const data = [thought('rs_1'), issuedCall(1), issuedCall(2)]
    for (const issued of [
      { profile: 'openai.other', model: 'm1', data },
      { profile: 'openai.test', model: 'm2', data },
    ]) {
      expect(inputOf(answer(data, { issued }))).toEqual([sentCall(1), sentCall(2)])
    }
  })

  it('the text of a message is what the history says; of several it is cut where they were', () => {
    const one = [thought('rs_1'), { type: 'message', id: 'msg_1', characters: 5 }, issuedCall(1), issuedCall(2)]
    expect(inputOf(answer(one, { content: 'hello, edited' }))).toEqual([
      thought('rs_1'),
      said('hello, edited', { id: 'msg_1' }),
      sentCall(1, { id: 'fc_1' }),
      sentCall(2, { id: 'fc_2' }),
    ])
    const two = [
      { type: 'message', id: 'msg_1', phase: 'commentary', characters: 3 },
      thought('rs_1'),
      { type: 'message', id: 'msg_2', phase: 'final_answer', characters: 5 },
    ]
    expect(inputOf(answer(two, { content: 'hm.hello', toolCalls: [] }))).toEqual([
      said('hm.', { id: 'msg_1', phase: 'commentary' }),
      thought('rs_1'),
      said('hello', { id: 'msg_2', phase: 'final_answer' }),
    ])
  })

  it.each<[string, Message]>([
    ['a call was taken out', answer([thought('rs_1'), issuedCall(1), issuedCall(2), issuedCall(3)])],
    ['a call was put in', answer([thought('rs_1'), issuedCall(1)])],
    ['a call is there twice', answer([thought('rs_1'), issuedCall(1), issuedCall(1), issuedCall(2)])],
    ['the text is gone', answer([thought('rs_1'), { type: 'message', id: 'm', characters: 2 }, issuedCall(1), issuedCall(2)])],
    ['a thought led to nothing', answer([issuedCall(1), issuedCall(2), thought('rs_1')])],
  ])('an answer that was edited goes back as what it says: %s', (_what, message) => {
    expect(inputOf(message)).toEqual([sentCall(1), sentCall(2)])
  })

  it('of several texts that were edited nobody can tell whose words are whose', () => {
    const data = [thought('rs_1'), { type: 'message', id: 'a', characters: 3 }, { type: 'message', id: 'b', characters: 5 }]
    const edited = answer(data, { content: 'shorter', toolCalls: [] })
    expect(inputOf(edited)).toEqual([{ type: 'message', role: 'assistant', content: 'shorter' }])
  })

  it('tools that ran at the provider go back as they came', () => {
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }
    const data = [thought('rs_1'), search, thought('rs_2'), { type: 'message', id: 'msg', characters: 2 }]
    expect(inputOf(answer(data, { content: 'hi', toolCalls: [] }))).toEqual([thought('rs_1'), search, thought('rs_2'), said('hi', { id: 'msg' })])
  })

  it('a call whose id the protocol does not take keeps its place under the mapped one', () => {
    const id = 'c'.repeat(80)
    const data = [thought('rs_1'), { type: 'function_call', id: 'fc_1', call_id: id }]
    const [first, second] = inputOf(answer(data, { toolCalls: [{ id, name: 'f', arguments: '{}' }] })) as Record<string, unknown>[]
    expect(first).toEqual(thought('rs_1'))
    expect(second).toMatchObject({ id: 'fc_1', call_id: expect.stringMatching(/^[A-Za-z0-9]{24}$/) })
  })
})

describe('where and in whose name', () => {
  it('signs by bearer token, Azure by its own header, and without a secret not at all', () => {
    const secret = new Secret('sk-secret')
    expect(openaiResponses.sign(requestOf({ secret }), unsigned)).toEqual({ authorization: 'Bearer sk-secret' })
    expect(openaiResponses.sign(requestOf({ secret, profile: profileOf({ family: 'azure' }) }), unsigned)).toEqual({ 'api-key': 'sk-secret' })
    const own = profileOf({ family: 'own', dialect: 'azure' })
    expect(openaiResponses.sign(requestOf({ secret, profile: own }), unsigned)).toEqual({ 'api-key': 'sk-secret' })
    expect(openaiResponses.sign(requestOf(), unsigned)).toEqual({})
  })

  it.each([
    ['openai', 'https://api.openai.com/v1', 'https://api.openai.com/v1/responses'],
    ['openai', 'https://api.openai.com/v1/responses/', 'https://api.openai.com/v1/responses'],
    ['deepseek', 'https://api.deepseek.com', 'https://api.deepseek.com/responses'],
    ['azure', 'https://x.openai.azure.com', 'https://x.openai.azure.com/openai/v1/responses'],
    ['azure', 'https://x.openai.azure.com/openai/v1/', 'https://x.openai.azure.com/openai/v1/responses'],
    ['azure', 'https://x.openai.azure.com/openai?api-version=2025-04-01', 'https://x.openai.azure.com/openai/responses?api-version=2025-04-01'],
    ['azure', 'https://gateway.example/azure', 'https://gateway.example/azure/responses'],
  ])('%s at %s', (family, endpoint, address) => {
    expect(openaiResponses.address(endpoint, requestOf({ profile: profileOf({ family }) }))).toBe(address)
  })
})
