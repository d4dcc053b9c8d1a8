import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readMessages } from '../../../../src/faces/gateway/anthropic-messages/read.ts'
import { BadRequest } from '../../../../src/faces/gateway/problem.ts'
import { messageSchema } from '../../../../src/model/message.ts'

const ASK = { max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }
const read = (over: object) => readMessages({ ...ASK, ...over })
const said = (...content: readonly object[]) => read({ messages: [{ role: 'user', content }] }).messages
const answered = (...content: readonly object[]) => read({ messages: [...ASK.messages, { role: 'assistant', content }] }).messages[1]

describe('messages of a client as those of a turn', () => {
  test('system is one message in front, its blocks paragraphs of it', () => {
    expect(read({ system: 'Be brief.' }).messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    const system = [
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
      { type: 'text', text: 'Be kind.' },
    ]
    expect(read({ system }).messages[0]).toEqual({ role: 'system', content: 'Be brief.\n\nBe kind.' })
    expect(read({ system: '' }).messages).toHaveLength(1)
    expect(read({ messages: [...ASK.messages, { role: 'system', content: 'Now be kind.' }] }).messages[1]?.role).toBe('system')
  })

  test('text and images, by data and by address', () => {
    const parts = said(
      { type: 'text', text: 'What?' },
      { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: 'aGk=' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
    )[0]?.content
    expect(parts).toEqual([
      { type: 'text', text: 'What?' },
      { type: 'image', mediaType: 'image/jpeg', data: 'aGk=' },
      { type: 'image', mediaType: 'image/png', url: 'https://example.com/a.png' },
    ])
  })

  test('results of tools are a message each, in order, and what the user says beside them follows', () => {
    const messages = said(
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'text', text: 'Go on.' },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'no' }], is_error: true },
      { type: 'tool_result', tool_use_id: 'c' },
    )
    expect(messages).toEqual([
      { role: 'tool', toolCallId: 'a', content: 'one' },
      { role: 'tool', toolCallId: 'b', content: 'no', isError: true },
      { role: 'tool', toolCallId: 'c', content: '' },
      { role: 'user', content: 'Go on.' },
    ])
    expect(said({ type: 'tool_result', tool_use_id: 'a', content: 'one' })).toHaveLength(1)
  })

  test('a result may show images', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
    const [result] = said({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'See' }, image] })
    expect(result?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image', mediaType: 'image/png', data: 'aGk=' },
    ])
  })

  test('documents that hold text are text; what cannot be shown is named in its place', () => {
    const document = (source: object, over: object = {}) => said({ type: 'document', source, ...over })[0]?.content
    expect(document({ type: 'text', media_type: 'text/plain', data: 'Words.' })).toBe('Words.')
    expect(document({ type: 'text', data: 'Words.' }, { title: 'T', context: 'C' })).toEqual([
      { type: 'text', text: 'T\nC' },
      { type: 'text', text: 'Words.' },
    ])
    expect(document({ type: 'content', content: [{ type: 'text', text: 'Words.' }] })).toBe('Words.')
    expect(document({ type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, { title: 'report.pdf' })).toEqual([
      { type: 'text', text: 'report.pdf' },
      { type: 'text', text: '[document: not shown to this model]' },
    ])
    expect(said({ type: 'image', source: { type: 'file', file_id: 'f' } })[0]?.content).toBe('[image: not shown to this model]')
    expect(said({ type: 'container_upload', file_id: 'f' })[0]?.content).toBe('[container_upload: not shown to this model]')
    const found = { type: 'search_result', source: 'https://a', title: 'A', content: [{ type: 'text', text: 'Found.' }] }
    expect(said(found)[0]?.content).toBe('A\nhttps://a\nFound.')
  })

  test('of an answer thoughts and what ran at the provider are left out', () => {
    const message = answered(
      { type: 'thinking', thinking: 'Hm.', signature: 's' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 's1', content: [] },
      { type: 'text', text: 'It is ' },
      { type: 'text', text: 'so.', citations: [] },
      { type: 'tool_use', id: 't1', name: 'add', input: { a: 1 } },
    )
    expect(message).toEqual({ role: 'assistant', content: 'It is so.', toolCalls: [{ id: 't1', name: 'add', arguments: '{"a":1}' }] })
  })
})

describe('what is asked of the model', () => {
  test('bounds, sampling and stops', () => {
    const { options, stream } = read({ temperature: 0.5, top_p: 0.9, stop_sequences: ['END'], top_k: 3, stream: true })
    expect(options).toEqual({ maxTokens: 100, temperature: 0.5, topP: 0.9, stop: ['END'] })
    expect(stream).toBe(true)
  })

  test('tools of the client; those of the provider stay in the passed body', () => {
    const own = { name: 'add', description: 'Adds.', input_schema: { type: 'object' }, cache_control: { type: 'ephemeral' } }
    const tools = [own, { type: 'custom', name: 'sub', input_schema: {} }, { type: 'web_search_20250305', name: 'web_search' }]
    expect(read({ tools }).tools).toEqual([
      { name: 'add', description: 'Adds.', parameters: { type: 'object' } },
      { name: 'sub', parameters: {} },
    ])
    expect(read({ tools: [tools[2]], tool_choice: { type: 'any' } })).toMatchObject({ tools: [], options: { maxTokens: 100 } })
  })

  test.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [{ type: 'tool', name: 'add' }, { name: 'add' }],
    [{ type: 'tool', name: 'web_search' }, undefined],
    [{ type: 'any', disable_parallel_tool_use: true }, 'required'],
  ])('tool_choice %j', (tool_choice, expected) => {
    const tools = [
      { name: 'add', input_schema: {} },
      { type: 'web_search_20250305', name: 'web_search' },
    ]
    expect(read({ tools, tool_choice }).options.toolChoice).toEqual(expected)
  })

  test.each([
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 8_191 } }, 'low'],
    [{ thinking: { type: 'enabled', budget_tokens: 8_192 } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 24_576 } }, 'high'],
    [{ thinking: { type: 'disabled' } }, undefined],
    [{ thinking: { type: 'adaptive' } }, undefined],
    [{ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } }, 'medium'],
    [{ thinking: { type: 'enabled', budget_tokens: 1_024 }, output_config: { effort: 'max' } }, 'high'],
  ])('effort of %j', (over, effort) => {
    expect(read(over).options.reasoningEffort).toBe(effort)
  })

  test('a schema of the output, in either of its places', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    expect(read({ output_config: { format } }).options.responseSchema).toEqual({ name: 'output', schema: { type: 'object' } })
    expect(read({ output_format: format }).options.responseSchema).toEqual({ name: 'output', schema: { type: 'object' } })
  })
})

describe('a request that cannot be used names its field', () => {
  const user = (...content: unknown[]) => ({ messages: [{ role: 'user', content }] })
  test.each([
    [{ max_tokens: undefined }, 'max_tokens'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ messages: [] }, 'messages'],
    [{ messages: [{ role: 'oracle', content: '' }] }, 'messages[0].role'],
    [{ messages: [{ role: 'user' }] }, 'messages[0].content'],
    [{ temperature: 1.5 }, 'temperature'],
    [{ stream: 'yes' }, 'stream'],
    [{ system: [{ type: 'image' }] }, 'system[0].type'],
    [user({ text: 'untyped' }), 'messages[0].content[0].type'],
    [user({ type: 'text' }), 'messages[0].content[0].text'],
    [user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '?' } }), 'messages[0].content[0].source.data'],
    [user({ type: 'image', source: { type: 'url', url: 'file:///etc/passwd' } }), 'messages[0].content[0].source.url'],
    [user({ type: 'tool_result' }), 'messages[0].content[0].tool_use_id'],
    [user({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text' }] }), 'messages[0].content[0].content[0].text'],
    [{ messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: 'c' }] }] }, 'messages[0].content[0].input'],
    [{ tools: [{ name: 'add' }] }, 'tools[0].input_schema'],
    [{ tools: [{ type: 'custom', name: 'add' }] }, 'tools[0].input_schema'],
    [{ tool_choice: { type: 'tool' } }, 'tool_choice.name'],
    [{ thinking: { type: 'enabled', budget_tokens: -1 } }, 'thinking.budget_tokens'],
  ])('%j', (over, param) => {
    const { max_tokens, messages }: { max_tokens?: number | undefined; messages?: unknown } = { ...ASK, ...over }
    expect(() => readMessages({ ...over, ...(max_tokens === undefined ? {} : { max_tokens }), messages })).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ status: 400, param, message: expect.stringContaining(param) }) }),
    )
  })

  test('an input that nests too deep to be written is one, and no crash', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    const messages = [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'b', input: deep }] }]
    expect(() => read({ messages })).toThrow(BadRequest)
  })

  test('whatever is sent is read into messages of the house, or refused as a bad request', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'document', 'url', 'base64', 'aGk='))
    const { block } = fc.letrec((tie) => ({
      block: fc.record(
        {
          type: fc.oneof(
            fc.constantFrom('text', 'image', 'tool_use', 'tool_result', 'thinking', 'document', 'search_result', 'server_tool_use'),
            fc.jsonValue(),
          ),
          text,
          thinking: text,
          id: text,
          name: text,
          title: text,
          input: fc.oneof(fc.dictionary(text, fc.jsonValue()), fc.jsonValue()),
          tool_use_id: text,
          content: fc.oneof({ maxDepth: 2 }, text, fc.array(tie('block'), { maxLength: 3 })),
          source: fc.oneof(
            text,
            fc.record(
              { type: fc.constantFrom('base64', 'url', 'text', 'content', 'file'), data: text, media_type: text, url: text, content: text },
              { requiredKeys: [] },
            ),
          ),
        },
        { requiredKeys: ['type'] },
      ),
    }))
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'system', 'x'),
      content: fc.oneof(text, fc.array(block, { maxLength: 4 }), fc.jsonValue()),
    })
    let readable = 0
    fc.assert(
      fc.property(fc.array(message, { minLength: 1, maxLength: 3 }), (messages) => {
        try {
          for (const each of read({ messages }).messages) messageSchema.parse(each)
          readable += 1
        } catch (error) {
          if (!(error instanceof BadRequest)) throw error
        }
      }),
      { numRuns: 500 },
    )
    expect(readable).toBeGreaterThan(50)
  })
})
