import { describe, expect, test } from 'vitest'
import { messagesOf as itemsAsMessages } from '../../../../src/faces/gateway/openai-responses/messages.ts'
import { readResponses } from '../../../../src/faces/gateway/openai-responses/read.ts'
import { BadRequest } from '../../../../src/faces/gateway/problem.ts'

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'add', arguments: '{"a":1}' })
const output = (id: string, value: unknown = id) => ({ type: 'function_call_output', call_id: id, output: value })
const messagesOf = (input: unknown, more: object = {}) => readResponses({ input, ...more }).messages

describe('input items as messages', () => {
  test('a text is a question, instructions stand before it', () => {
    expect(messagesOf('Why?', { instructions: 'Be short.' })).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Why?' },
    ])
  })

  test('instructions alone, which OpenAI answers, are a question to those who want one', () => {
    expect(messagesOf([{ role: 'developer', content: 'Tell a joke.' }], { instructions: 'Be short.' })).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Tell a joke.' },
    ])
  })

  test('a message may leave its type out; developers are system', () => {
    const parts = [
      { type: 'output_text', text: 'Be', annotations: [] },
      { type: 'refusal', refusal: ' no' },
    ]
    expect(
      messagesOf([
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Why?' },
        { type: 'message', role: 'assistant', content: parts, id: 'msg_1', status: 'completed' },
      ]),
    ).toEqual([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Why?' },
      { role: 'assistant', content: 'Be no' },
    ])
  })

  test.each(['function_call_output', 'custom_tool_call_output'])('%s may be parts, of which an image stays one', (type) => {
    const parts = [
      { type: 'input_text', text: 'See' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ]
    const custom = { type: 'custom_tool_call', call_id: 'a', name: 'shoot', input: 'x' }
    const asked = type === 'function_call_output' ? call('a') : custom
    expect(messagesOf([{ role: 'user', content: 'hi' }, asked, { type, call_id: 'a', output: parts }]).at(-1)).toEqual({
      role: 'tool',
      toolCallId: 'a',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', mediaType: 'image/png', data: 'AAAA' },
      ],
    })
  })

  test('text and calls of one answer stay one message, whatever stands between them', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }
    const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } }
    expect(
      messagesOf([
        { role: 'user', content: 'Add.' },
        thought,
        { role: 'assistant', content: 'So.' },
        call('a'),
        search,
        thought,
        call('b'),
        output('b'),
        output('a'),
      ]),
    ).toEqual([
      { role: 'user', content: 'Add.' },
      {
        role: 'assistant',
        content: 'So.',
        toolCalls: [
          { id: 'a', name: 'add', arguments: '{"a":1}' },
          { id: 'b', name: 'add', arguments: '{"a":1}' },
        ],
      },
      { role: 'tool', content: 'b', toolCallId: 'b' },
      { role: 'tool', content: 'a', toolCallId: 'a' },
    ])
  })

  test('text behind a call does not part it from its result; two answers in a row stay two', () => {
    expect(messagesOf([call('a'), { role: 'assistant', content: 'Wait.' }, output('a')])).toMatchObject([
      { role: 'assistant', content: 'Wait.', toolCalls: [{ id: 'a' }] },
      { role: 'tool' },
    ])
    expect(messagesOf(['One.', 'Two.'].map((content) => ({ role: 'assistant', content })))).toHaveLength(2)
  })

  test('GW-04 calls in a row take the time of one pass, however many a client sends', () => {
    const item = { type: 'function_call' as const, call_id: 'a', name: 'add', arguments: '{}' }
    const items = Array.from({ length: 100_000 }, () => [item, { type: 'message' as const, role: 'assistant' as const, content: 'x' }]).flat()
    const startedAt = process.cpuUsage()
    const [answer, ...more] = itemsAsMessages(null, items)
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(3_000)
    expect([answer?.content.length, more]).toEqual([100_000, []])
  })

  test('a tool that the caller runs keeps its call and its result under any name', () => {
    expect(
      messagesOf([
        { type: 'custom_tool_call', call_id: 'a', id: 'ctc_1', name: 'patch', input: '*** Begin' },
        { type: 'custom_tool_call_output', call_id: 'a', output: 'done' },
        { type: 'local_shell_call', call_id: 'b', id: 'lsh_1', status: 'completed', action: { type: 'exec', command: ['ls'] } },
        { type: 'local_shell_call_output', id: 'b', output: '{"stdout":"x"}' },
        { role: 'user', content: 'Go on.' },
      ]),
    ).toEqual([
      { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'patch', arguments: '{"input":"*** Begin"}' }] },
      { role: 'tool', content: 'done', toolCallId: 'a' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'b', name: 'local_shell', arguments: '{"action":{"type":"exec","command":["ls"]}}' }] },
      { role: 'tool', content: '{"stdout":"x"}', toolCallId: 'b' },
      { role: 'user', content: 'Go on.' },
    ])
  })

  test('images of a question and of a result; what only this protocol can carry leaves a word in its place', () => {
    const image = { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'auto' }
    const part = { type: 'image', mediaType: 'image/png', url: 'https://a.test/x.png' }
    const parts = [
      { type: 'input_text', text: 'See' },
      image,
      { type: 'input_file', file_id: 'file_1', filename: 'a.pdf' },
      { type: 'input_image', file_id: 'f' },
    ]
    expect(messagesOf([{ role: 'user', content: parts }, call('a'), output('a', [image])])).toMatchObject([
      {
        content: [
          { type: 'text', text: 'See' },
          part,
          { type: 'text', text: expect.stringContaining('a.pdf') },
          { type: 'text', text: expect.stringContaining('image') },
        ],
      },
      {},
      { role: 'tool', content: [part] },
    ])
  })
})

describe('options and tools', () => {
  test('arguments by a schema without a type are an object, which others want to be said', () => {
    const { tools } = readResponses({ input: 'hi', tools: [{ type: 'function', name: 'add', parameters: {} }] })
    expect(tools).toEqual([{ name: 'add', parameters: { type: 'object' } }])
  })

  test('in the words of the kernel', () => {
    const schema = { type: 'object', properties: {} }
    const read = readResponses({
      input: 'hi',
      max_output_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      reasoning: { effort: 'xhigh', summary: 'auto' },
      tool_choice: { type: 'function', name: 'add' },
      text: { format: { type: 'json_schema', name: 'a', schema, strict: true }, verbosity: 'low' },
      tools: [{ type: 'function', name: 'add', description: 'adds', parameters: schema, strict: true }, { type: 'web_search' }],
    })
    expect(read.options).toEqual({
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      reasoningEffort: 'high',
      toolChoice: { name: 'add' },
      responseSchema: { name: 'a', schema },
    })
    expect(read.tools).toEqual([{ name: 'add', description: 'adds', parameters: schema }])
  })

  test('of allowed tools only these are offered; a choice of a hosted tool says nothing elsewhere', () => {
    const tools = ['add', 'sub'].map((name) => ({ type: 'function', name }))
    const allowed = readResponses({
      input: 'hi',
      tools,
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'sub' }] },
    })
    expect([allowed.tools, allowed.options]).toEqual([[{ name: 'sub' }], { toolChoice: 'required' }])
    expect(readResponses({ input: 'hi', tools, tool_choice: { type: 'file_search' } }).options).toEqual({})
  })

  test('an answer says its request again, but for what is long', () => {
    const tools = [{ type: 'function', name: 'add', description: 'x'.repeat(20_000) }]
    expect(readResponses({ input: 'hi', metadata: { a: 'b' }, temperature: 0.5, tools }).repeated).toMatchObject({
      metadata: { a: 'b' },
      temperature: 0.5,
      tools: [],
      tool_choice: 'auto',
      instructions: null,
    })
  })

  test.each([true, false, null, undefined, 'true', 1])('only `stream: true` streams (%s)', (stream) => {
    if (typeof stream === 'boolean' || stream == null) expect(readResponses({ input: 'hi', stream }).stream).toBe(stream === true)
    else expect(() => readResponses({ input: 'hi', stream })).toThrow(BadRequest)
  })

  test('what is harmless is taken', () => {
    const harmless = {
      store: true,
      previous_response_id: null,
      conversation: null,
      background: false,
      include: ['reasoning.encrypted_content'],
      truncation: 'auto',
    }
    expect(readResponses({ input: 'hi', ...harmless }).messages).toHaveLength(1)
  })
})

describe('a bad request names the field and says what to do', () => {
  test.each([
    [{}, 'input', ''],
    [{ input: [] }, 'input', ''],
    [{ input: [{ type: 'reasoning', id: 'rs_1', summary: [] }] }, 'input', 'nothing to answer'],
    [{ input: [{ role: 'oracle', content: '' }] }, 'input[0].role', ''],
    [{ input: [{ role: 'user' }] }, 'input[0].content', ''],
    [{ input: [{ role: 'user', content: [{ type: 'input_text' }] }] }, 'input[0].content[0].text', ''],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'file:///etc/passwd' }] }] }, 'input[0].content[0].image_url', 'http(s)'],
    [{ input: [{ type: 'function_call', name: 'a' }] }, 'input[0].call_id', ''],
    [{ input: [output('a')] }, 'input[0].call_id', 'send the call'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id', 'store: false'],
    [{ input: [7] }, 'input[0]', ''],
    [{ input: 'hi', previous_response_id: 'resp_1' }, 'previous_response_id', 'send the earlier items'],
    [{ input: 'hi', conversation: { id: 'conv_1' } }, 'conversation', 'send the earlier items'],
    [{ input: 'hi', background: true }, 'background', 'leave it out'],
    [{ input: 'hi', prompt: { id: 'pmpt_1' } }, 'prompt', 'instructions'],
    [{ input: 'hi', temperature: 'hot' }, 'temperature', ''],
    [{ input: 'hi', max_output_tokens: 0 }, 'max_output_tokens', ''],
    [{ input: 'hi', tools: [{ type: 'function' }] }, 'tools[0].name', ''],
    [{ input: 'hi', tool_choice: { type: 'function' } }, 'tool_choice.name', ''],
    [{ input: 'hi', text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema', ''],
    [{ input: 'hi', model: 7 }, 'model', ''],
  ])('%j', (body, param, remedy) => {
    let problem: BadRequest['problem'] | null = null
    try {
      readResponses(body)
    } catch (error) {
      if (!(error instanceof BadRequest)) throw error
      problem = error.problem
    }
    expect(problem).toMatchObject({ status: 400, param, message: expect.stringContaining(remedy) })
    expect(problem?.message).toContain(param)
    expect(problem?.message).not.toContain('\n')
  })
})
