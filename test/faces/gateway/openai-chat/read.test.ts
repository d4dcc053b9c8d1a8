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
