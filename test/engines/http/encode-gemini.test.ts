import { describe, expect, it } from 'vitest'
import { gemini } from '../../../src/engines/http/gemini/protocol.ts'
import type { Message, ToolDefinition } from '../../../src/model/message.ts'
import { Secret } from '../../../src/model/secret.ts'
import { profileOf, requestOf, unsigned } from './request.ts'

const tools: ToolDefinition[] = [
  {
    name: 'search',
    description: 'Looks things up',
    parameters: { type: 'object', properties: { q: { type: 'string' } }, additionalProperties: false },
  },
]
const profile = profileOf({ id: 'gemini.test', family: 'gemini', api: 'gemini', endpoint: 'https://generativelanguage.googleapis.com' })
const vertex = profileOf({ ...profile, endpoint: 'https://aiplatform.example/v1/projects/p/locations/l/publishers/google' })
const [OLD, NEW] = ['gemini-2.5-flash', 'gemini-3-flash-preview']
const history: Message[] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'What is this?' },
      { type: 'image', mediaType: 'image/webp', data: 'AAAA' },
      { type: 'image', mediaType: 'image/png', url: 'https://x.example/i.JPG?v=1' },
      { type: 'image', mediaType: 'image/png', url: 'data:image/gif;base64,R0lG' },
    ],
  },
  {
    role: 'assistant',
    content: 'I look.',
    toolCalls: [
      { id: 'call.1:0', name: 'search', arguments: '{"q":"a"}' },
      { id: null, name: 'search', arguments: '' },
      { id: 'c3', name: 'read', arguments: '[1' },
    ],
  },
  { role: 'tool', content: 'broken', toolCallId: 'c3', isError: true },
  { role: 'tool', content: 'found a', toolCallId: 'call.1:0' },
  {
    role: 'tool',
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', mediaType: 'image/png', data: 'BBBB' },
    ],
    toolCallId: null,
  },
  { role: 'system', content: 'In English.' },
  { role: 'user', content: 'And now?' },
]
const contents = (messages: readonly Message[], model = OLD, of = profile) => gemini.encode(requestOf({ messages, model, profile: of })).contents
const config = (options: object, model: string) => gemini.encode(requestOf({ profile, model, options })).generationConfig

describe('gemini requests', () => {
  it('the smallest', () => {
    const smallest = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
    expect(gemini.encode(requestOf({ profile }))).toEqual(smallest)
    expect(gemini.encode(requestOf({ profile, mode: 'call' }))).toEqual(smallest)
  })

  it('everything at once: roles in turn, results of a step together in the order of their calls, ids where they were given', () => {
    const options = {
      maxTokens: 99,
      temperature: 0.5,
      topP: 0.9,
      stop: ['END'],
      reasoningEffort: 'high' as const,
      toolChoice: 'required' as const,
      responseSchema: { name: 'answer', schema: { type: 'object' } },
    }
    expect(gemini.encode(requestOf({ profile, model: OLD, messages: history, tools, options }))).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'In English.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'What is this?' },
            { inlineData: { mimeType: 'image/webp', data: 'AAAA' } },
            { fileData: { mimeType: 'image/jpeg', fileUri: 'https://x.example/i.JPG?v=1' } },
            { inlineData: { mimeType: 'image/gif', data: 'R0lG' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'I look.' },
            { functionCall: { id: 'call.1:0', name: 'search', args: { q: 'a' } } },
            { functionCall: { name: 'search', args: {} } },
            { functionCall: { id: 'c3', name: 'read', args: { invalid_arguments: '[1' } } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call.1:0', name: 'search', response: { output: 'found a' } } },
            { functionResponse: { name: 'search', response: { output: 'see' } } },
            { functionResponse: { id: 'c3', name: 'read', response: { error: 'broken' } } },
            { inlineData: { mimeType: 'image/png', data: 'BBBB' } },
            { text: 'And now?' },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'search', description: 'Looks things up', parametersJsonSchema: tools[0]?.parameters }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: {
        maxOutputTokens: 99,
        temperature: 0.5,
        topP: 0.9,
        stopSequences: ['END'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { thinkingBudget: 24_576, includeThoughts: true },
      },
    })
  })

  it('results stand behind their calls, also where a user spoke while the tools ran', () => {
    const toolCalls = [
      { id: 'a', name: 'f', arguments: '{}' },
      { id: 'b', name: 'g', arguments: '{}' },
    ]
    const spoken = contents([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', toolCalls },
      { role: 'tool', content: '2', toolCallId: 'b' },
      { role: 'user', content: 'hurry' },
      { role: 'tool', content: '1', toolCallId: 'a' },
    ]) as { parts: object[] }[]
    expect(spoken.map(({ parts }) => parts.map((part) => Object.keys(part)[0]))).toEqual([
      ['text'],
      ['functionCall', 'functionCall'],
      ['functionResponse', 'functionResponse', 'text'],
    ])
    expect(JSON.stringify(spoken[2])).toMatch(/"id":"a".*"output":"1".*"id":"b".*"output":"2".*hurry/)
  })

  it('a result that answers nothing is sent all the same', () => {
    expect(contents([{ role: 'tool', content: 'x', toolCallId: 'lost' }])).toEqual([
      { role: 'user', parts: [{ functionResponse: { name: 'unknown', response: { output: 'x' } } }] },
    ])
  })

  it('Vertex is sent no ids, which it refuses', () => {
    expect(JSON.stringify(contents(history, OLD, vertex))).not.toContain('"id"')
    expect(JSON.stringify(contents(history, OLD, vertex))).toContain('"functionResponse":{"name":"search"')
  })

  it('messages that say nothing are left out', () => {
    const messages: Message[] = [
      { role: 'user', content: '' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '' },
      { role: 'user', content: [{ type: 'text', text: '' }] },
      { role: 'user', content: 'b' },
    ]
    expect(contents(messages)).toEqual([{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }])
  })

  it.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [{ name: 'search' }, { mode: 'ANY', allowedFunctionNames: ['search'] }],
  ] as const)('tool choice %j', (toolChoice, functionCallingConfig) => {
    expect(gemini.encode(requestOf({ profile, tools, options: { toolChoice } })).toolConfig).toEqual({ functionCallingConfig })
    expect(gemini.encode(requestOf({ profile, options: { toolChoice } }))).not.toHaveProperty('toolConfig')
  })

  it.each([
    [OLD, { thinkingBudget: 1024, includeThoughts: true }],
    ['models/gemini-2.5-pro', { thinkingBudget: 1024, includeThoughts: true }],
    [NEW, { thinkingLevel: 'low', includeThoughts: true }],
    ['google/gemini-3.1-pro', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-flash-latest', { thinkingLevel: 'low', includeThoughts: true }],
    ['gemini-2.0-flash', undefined],
    ['gemini-1.5-pro', undefined],
    ['gemma-3-27b-it', undefined],
  ])('an effort for %s', (model, thinkingConfig) => {
    expect(config({ reasoningEffort: 'low', topP: 1 }, model)).toEqual({ topP: 1, ...(thinkingConfig === undefined ? {} : { thinkingConfig }) })
  })

  it('signs by its own header, and without a secret not at all', () => {
    expect(gemini.sign(requestOf({ profile, secret: new Secret('k') }), unsigned)).toEqual({ 'x-goog-api-key': 'k' })
    expect(gemini.sign(requestOf({ profile, secret: new Secret('ya29.token') }), unsigned)).toEqual({ authorization: 'Bearer ya29.token' })
    expect(gemini.sign(requestOf({ profile }), unsigned)).toEqual({})
  })
})

describe('the address of a Gemini call', () => {
  const address = (endpoint: string, model: string, mode: 'stream' | 'call' = 'call') => gemini.address(endpoint, { model, mode, profile })
  const G = 'https://g.example'

  it.each([
    [G, `${G}/v1beta/models/m:generateContent`],
    [`${G}/`, `${G}/v1beta/models/m:generateContent`],
    [`${G}/v1beta`, `${G}/v1beta/models/m:generateContent`],
    [`${G}/v1/`, `${G}/v1/models/m:generateContent`],
    [`${G}/v1alpha/models`, `${G}/v1alpha/models/m:generateContent`],
    [`${G}/proxy/gemini`, `${G}/proxy/gemini/v1beta/models/m:generateContent`],
    [`${G}/v1/projects/p/locations/l/publishers/google`, `${G}/v1/projects/p/locations/l/publishers/google/models/m:generateContent`],
    [`${G}/v1beta?team=a`, `${G}/v1beta/models/m:generateContent?team=a`],
  ])('below %s', (endpoint, expected) => expect(address(endpoint, 'm')).toBe(expected))

  it('asks for events where it asks for a stream', () => {
    expect(address(G, 'm', 'stream')).toBe(`${G}/v1beta/models/m:streamGenerateContent?alt=sse`)
    expect(address(`${G}/v1?team=a`, 'm', 'stream')).toBe(`${G}/v1/models/m:streamGenerateContent?team=a&alt=sse`)
  })

  it.each([
    ['models/gemini-x', 'models/gemini-x'],
    ['tunedModels/mine', 'tunedModels/mine'],
    ['google/gemini-x', 'models/google%2Fgemini-x'],
    ['../../v1/secret', 'models/..%2F..%2Fv1%2Fsecret'],
    ['models/../x', 'models/..%2Fx'],
    ['m:deleteIt?x=1#y', 'models/m%3AdeleteIt%3Fx%3D1%23y'],
    ['%2e%2e', 'models/%252e%252e'],
    ['..', 'models/..'],
    ['\\..\\x', 'models/%5C..%5Cx'],
  ])('R1 a model named %s stays in its place', (model, resource) => {
    expect(address(G, model)).toBe(`${G}/v1beta/${resource}:generateContent`)
  })
})

describe('R12 what Gemini gave goes back to its place, and to its issuer alone', () => {
  const calls = [
    { id: null, name: 'f', arguments: '{"a":1}' },
    { id: 'x', name: 'g', arguments: '{}' },
  ]
  const issuedBy = (data: Record<string, unknown>[], model = NEW) => ({ profile: profile.id, model, data })
  const answer = (more: Partial<Extract<Message, { role: 'assistant' }>>) =>
    contents(
      [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'Hello you', ...more },
      ],
      NEW,
    ) as { role: string; parts: object[] }[]
  const parts = (more: Partial<Extract<Message, { role: 'assistant' }>>) => answer(more)[1]?.parts

  it('signatures to their calls, by id wherever the call stands, else by place', () => {
    const data = [
      { call: 0, id: null, name: 'f', thoughtSignature: 's1' },
      { call: 1, id: 'x', name: 'g', thoughtSignature: 's2' },
    ]
    expect(parts({ content: '', toolCalls: calls, issued: issuedBy(data) })).toEqual([
      { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 's1' },
      { functionCall: { id: 'x', name: 'g', args: {} }, thoughtSignature: 's2' },
    ])
    expect(parts({ content: '', toolCalls: calls.slice(1), issued: issuedBy(data) })).toEqual([
      { functionCall: { id: 'x', name: 'g', args: {} }, thoughtSignature: 's2' },
    ])
  })

  it('signed parts of the text stay parts of their own, and parts that are no text stand where they stood', () => {
    const code = { executableCode: { code: '1' } }
    const data = [
      { at: 0, part: { text: 'hm', thought: true, thoughtSignature: 's0' } },
      { at: 6, part: code },
      { at: 6, part: { text: 'yo', thoughtSignature: 's1' } },
      { at: 9, part: { text: '', thoughtSignature: 's2' } },
    ]
    expect(parts({ issued: issuedBy(data) })).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 's0' },
      { text: 'Hello ' },
      code,
      { text: 'yo', thoughtSignature: 's1' },
      { text: 'u' },
      { text: '', thoughtSignature: 's2' },
    ])
  })

  it('what the message says wins: a signature of a text or a call that is no longer there is left out', () => {
    const data = [
      { at: 6, part: { text: 'me', thoughtSignature: 's1' } },
      { at: 40, part: { text: '', thoughtSignature: 's2' } },
      { at: 'x', part: 1 },
      { call: 0, id: null, name: 'renamed', thoughtSignature: 's3' },
      { call: 7, id: 'gone', name: 'f', thoughtSignature: 's4' },
      { call: 1, id: 'x', name: 'g' },
    ]
    const written = JSON.stringify(answer({ toolCalls: calls, issued: issuedBy(data) }))
    expect(written).toContain('{"text":"Hello you"}')
    for (const signature of ['s1', 's2', 's3', 's4']) expect(written).not.toContain(`"${signature}"`)
  })

  it('elsewhere nothing of it arrives', () => {
    const data = [{ call: 0, id: null, name: 'f', thoughtSignature: 's1' }]
    expect(JSON.stringify(answer({ toolCalls: calls, issued: issuedBy(data, OLD) }))).not.toContain('s1')
  })

  it('a step that nobody signed gets the signature that Google documents for it, where signatures are checked', () => {
    const foreign: Message[] = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: calls },
    ]
    const first = (model: string) => (contents(foreign, model) as { parts: object[] }[])[1]?.parts
    for (const model of [NEW, 'models/gemini-3-pro-preview', 'gemini-pro-latest', 'google/gemini-4']) {
      expect(first(model)).toEqual([
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'skip_thought_signature_validator' },
        { functionCall: { id: 'x', name: 'g', args: {} } },
      ])
    }
    for (const model of [OLD, 'gemini-2.0-flash', 'gemini-pro', 'gemma-3']) expect(JSON.stringify(first(model))).not.toContain('thoughtSignature')
  })
})
