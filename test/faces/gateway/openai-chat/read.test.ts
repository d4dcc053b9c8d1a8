import { expect, test } from 'vitest'
import { readChat } from '../../../../src/faces/gateway/openai-chat/read.ts'

const TEXT = { type: 'text', text: 'What is said here?' }

test('parts and tools that only this protocol has reach an entry of it, and another is told what it is not shown', () => {
  const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } }
  const audio = { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }
  const custom = { type: 'custom', custom: { name: 'shell' } }
  const own = { type: 'function', function: { name: 'add' } }
  const read = readChat({ messages: [{ role: 'user', content: [TEXT, file, audio] }], tools: [custom, own] })
  const shown = ['[file: not shown to this model]', '[input_audio: not shown to this model]'].map((text) => ({ type: 'text', text }))
  expect(read.messages).toEqual([{ role: 'user', content: [TEXT, ...shown] }])
  expect(read.tools).toEqual([{ name: 'add' }])
})

test.each([
  [{ messages: [{ role: 'user', content: [{ type: 'text' }] }] }, 'messages[0].content[0].text'],
  [{ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] }, 'messages[0].content[0].image_url.url'],
  [{ messages: [{ role: 'user', content: 'hi' }], tools: [{ type: 'function' }] }, 'tools[0].function'],
])('%j is wrong at %s', (body, param) => {
  expect(() => readChat(body)).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param }) }))
})

const CUSTOM_CALL = { id: 'c1', type: 'custom', custom: { name: 'shell', input: 'ls "a"' } }

test('the call of a custom tool, which an entry of this protocol answered with, comes back in the history', () => {
  const { messages } = readChat({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [CUSTOM_CALL] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
  })
  expect(messages.slice(1)).toEqual([
    { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'shell', arguments: '{"input":"ls \\"a\\""}' }] },
    { role: 'tool', toolCallId: 'c1', content: 'done' },
  ])
})

test.each([
  [{ type: 'custom', custom: { name: 'shell' } }, ['add', 'sub'], undefined],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'add' } }] } }, ['add'], 'required'],
  [{ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'custom', custom: { name: 'shell' } }] } }, [], 'auto'],
  [{ type: 'function', function: { name: 'add' } }, ['add', 'sub'], { name: 'add' }],
])('tool_choice %j: of the tools that others have %j are offered', (tool_choice, offered, choice) => {
  const tools = ['add', 'sub'].map((name) => ({ type: 'function', function: { name } }))
  const read = readChat({ messages: [{ role: 'user', content: 'hi' }], tools, tool_choice })
  expect([read.tools.map(({ name }) => name), read.options.toolChoice]).toEqual([offered, choice])
})

test.each([
  [{ type: 'function' }, 'tool_choice.function'],
  [{ type: 'allowed_tools', allowed_tools: {} }, 'tool_choice.allowed_tools.mode'],
])('tool_choice %j is wrong at %s', (tool_choice, param) => {
  const body = { messages: [{ role: 'user', content: 'hi' }], tool_choice }
  expect(() => readChat(body)).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param }) }))
})

test.each([
  [[{ role: 'system', content: 'Tell a joke.' }], [{ role: 'user', content: 'Tell a joke.' }]],
  [
    [
      { role: 'developer', content: 'Be short.' },
      { role: 'system', content: 'Tell a joke.' },
    ],
    [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'Tell a joke.' },
    ],
  ],
])('%j: instructions alone, which OpenAI answers, are a question to those who want one', (messages, asked) => {
  expect(readChat({ messages }).messages).toEqual(asked)
})

test.each([
  [{}, { type: 'object' }],
  [{ properties: { a: { type: 'string' } } }, { type: 'object', properties: { a: { type: 'string' } } }],
  [
    { type: 'object', properties: {} },
    { type: 'object', properties: {} },
  ],
])('arguments by the schema %j, which others want to be of a type, are %j', (parameters, offered) => {
  const tools = [{ type: 'function', function: { name: 'add', parameters } }]
  expect(readChat({ messages: [{ role: 'user', content: 'hi' }], tools }).tools).toEqual([{ name: 'add', parameters: offered }])
})
