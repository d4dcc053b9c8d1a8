import { UnsupportedFunctionalityError } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import { messagesOf } from '../../../src/faces/ai-sdk/prompt.ts'
import type { PromptMessage, PromptPart, ToolOutput } from '../../../src/faces/ai-sdk/specification.ts'

const user = (...content: PromptPart[]): PromptMessage[] => [{ role: 'user', content }]
const assistant = (...content: PromptPart[]): PromptMessage[] => [{ role: 'assistant', content }]
const result = (output: ToolOutput): PromptMessage[] => [
  { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 't', output }] },
]
const PNG = { type: 'image', mediaType: 'image/png', data: 'AQI=' }

describe('the prompt of the AI SDK as messages', () => {
  it('system, and a user text alone as a plain text', () => {
    expect(messagesOf([{ role: 'system', content: 'Be short.' }, ...user({ type: 'text', text: 'hi' })])).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'hi' },
    ])
  })

  it.each([
    ['bytes', 'image/png', Uint8Array.from([1, 2]), PNG],
    ['base64', 'image/png', 'AQI=', PNG],
    ['a data URL', 'image/png', 'data:image/png;base64,AQI=', PNG],
    ['a URL', 'image/png', new URL('https://a.example/cat.png'), { type: 'image', mediaType: 'image/png', url: 'https://a.example/cat.png' }],
    ['a URL as text', 'image/*', 'https://a.example/cat', { type: 'image', mediaType: 'image/jpeg', url: 'https://a.example/cat' }],
    ['bytes of version 4', 'image/png', { type: 'data', data: Uint8Array.from([1, 2]) }, PNG],
    ['a URL of version 4', 'image/png', { type: 'url', url: new URL('data:image/png;base64,AQI=') }, PNG],
    ['a text of version 4', 'text/markdown', { type: 'text', text: '# ñ' }, { type: 'text', text: '# ñ' }],
    ['a text file', 'text/plain', 'w7E=', { type: 'text', text: 'ñ' }],
  ] as const)('a file of %s', (_name, mediaType, data, expected) => {
    const [message] = messagesOf(user({ type: 'file', mediaType, data }, { type: 'text', text: 'What is it?' }))
    expect(message).toEqual({ role: 'user', content: [expected, { type: 'text', text: 'What is it?' }] })
  })

  it('bytes of any length, in one piece', () => {
    const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => at % 251)
    const [message] = messagesOf(user({ type: 'file', mediaType: 'image/png', data: bytes }))
    const content = message?.content as { data: string }[]
    expect(Buffer.from(content[0]?.data ?? '', 'base64')).toEqual(Buffer.from(bytes))
  })

  it('an answer: its texts as one, its calls with JSON arguments, its reasoning left to its issuer', () => {
    const data = [{ signature: 's' }]
    const relevo = { issued: { profile: 'a.x', model: 'm1', data } }
    expect(
      messagesOf(
        assistant(
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I ' },
          { type: 'text', text: 'look.' },
          { type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: { city: 'Vigo' }, providerOptions: { relevo } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'clock', input: undefined },
          { type: 'tool-call', toolCallId: 'p1', toolName: 'search', input: {}, providerExecuted: true },
          { type: 'tool-result', toolCallId: 'p1', toolName: 'search', output: { type: 'json', value: 'found' } },
        ),
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'c1', name: 'weather', arguments: '{"city":"Vigo"}' },
          { id: 'c2', name: 'clock', arguments: '{}' },
        ],
        issued: relevo.issued,
      },
    ])
  })

  it.each([
    ['no object', 'sig'],
    ['no data', { profile: 'a.x', model: 'm1' }],
    ['data that are no records', { profile: 'a.x', model: 'm1', data: ['sig'] }],
    ['nobody who gave it', { data: [{}] }],
  ])('R1: what claims to be issued and has %s goes to nobody', (_name, issued) => {
    const part = { type: 'text', text: 'a', providerOptions: { relevo: { issued } } }
    expect(messagesOf(assistant(part))).toEqual([{ role: 'assistant', content: 'a' }])
  })

  it.each([
    ['text', { type: 'text', value: 'rain' }, 'rain', undefined],
    ['JSON', { type: 'json', value: { rain: true } }, '{"rain":true}', undefined],
    ['nothing', { type: 'json', value: undefined }, 'null', undefined],
    ['an error text', { type: 'error-text', value: 'no such city' }, 'no such city', true],
    ['an error as JSON', { type: 'error-json', value: { code: 7 } }, '{"code":7}', true],
    ['a denial', { type: 'execution-denied', reason: 'not today' }, 'not today', true],
    ['a denial without a reason', { type: 'execution-denied' }, 'The tool was not allowed to run.', true],
    ['a text as content', { type: 'content', value: [{ type: 'text', text: 'rain' }] }, 'rain', undefined],
    [
      'images of every kind',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'image-data', data: 'AQI=', mediaType: 'image/png' },
          { type: 'file-data', data: 'AQI=', mediaType: 'image/png' },
          { type: 'media', data: 'AQI=', mediaType: 'image/png' },
          { type: 'file', data: { type: 'data', data: 'AQI=' }, mediaType: 'image/png' },
          { type: 'image-url', url: 'https://a.example/1' },
          { type: 'file-url', url: 'https://a.example/2', mediaType: 'image/png' },
        ],
      },
      [
        { type: 'text', text: 'see' },
        PNG,
        PNG,
        PNG,
        PNG,
        { type: 'image', mediaType: 'image/jpeg', url: 'https://a.example/1' },
        { type: 'image', mediaType: 'image/png', url: 'https://a.example/2' },
      ],
      undefined,
    ],
  ] as [string, ToolOutput, unknown, true | undefined][])('a tool result of %s', (_name, output, content, isError) => {
    expect(messagesOf(result(output))).toEqual([{ role: 'tool', toolCallId: 'c1', content, ...(isError ? { isError } : {}) }])
  })

  it('several results of one step, each a message', () => {
    const part = (toolCallId: string, value: string): PromptPart => ({
      type: 'tool-result',
      toolCallId,
      toolName: 't',
      output: { type: 'text', value },
    })
    expect(messagesOf([{ role: 'tool', content: [part('c1', 'one'), part('c2', 'two')] }])).toEqual([
      { role: 'tool', toolCallId: 'c1', content: 'one' },
      { role: 'tool', toolCallId: 'c2', content: 'two' },
    ])
  })

  it('R1: options of a part and of its message go along by name, those of relevo to nobody', () => {
    const prompt: PromptMessage[] = [
      {
        role: 'user',
        providerOptions: { anthropic: { a: 1, b: 1 }, relevo: { x: 1 } },
        content: [{ type: 'text', text: 'hi', providerOptions: { anthropic: { b: 2 }, openai: { c: 3 } } }],
      },
    ]
    expect(messagesOf(prompt)).toEqual([{ role: 'user', content: 'hi', providerOptions: { anthropic: { a: 1, b: 2 }, openai: { c: 3 } } }])
  })

  it.each([
    ['a PDF', user({ type: 'file', mediaType: 'application/pdf', data: 'AQI=' }), 'A file of type application/pdf'],
    [
      'a file kept at a provider',
      user({ type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { openai: 'f1' } } }),
      'image/png',
    ],
    ['a part that is none of a user', user({ type: 'audio-clip' }), 'audio-clip'],
    ['a part that is none of an answer', assistant({ type: 'custom' }), 'custom'],
    ['an approval', [{ role: 'tool', content: [{ type: 'tool-approval-response' }] }], 'tool-approval-response'],
    ['a result of an unknown kind', result({ type: 'hologram' }), 'hologram'],
    ['content that names a file', result({ type: 'content', value: [{ type: 'image-file-id', fileId: 'f1' }] } as ToolOutput), 'image-file-id'],
  ] as [string, PromptMessage[], string][])('%s is an error that names it, not left out', (_name, prompt, named) => {
    const convert = (): unknown => messagesOf(prompt)
    expect(convert).toThrow(named)
    try {
      convert()
    } catch (error) {
      expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true)
    }
  })
})
