import { describe, expect, test } from 'vitest'
import { anthropicMessagesDialect } from '../../../src/faces/gateway/anthropic-messages/dialect.ts'
import { openaiChatDialect } from '../../../src/faces/gateway/openai-chat/dialect.ts'
import { openaiResponsesDialect } from '../../../src/faces/gateway/openai-responses/dialect.ts'

const { read: chat } = openaiChatDialect
const { read: messages } = anthropicMessagesDialect
const { read: responses } = openaiResponsesDialect

const say = (content: unknown): object => ({ role: 'user', content })
const TEXT = { type: 'text', text: 'hi' }
const TOOL = { type: 'function', function: { name: 'f' } }
const CALL = { id: 'c1', function: { name: 'f', arguments: '{}' } }

type Bodies = readonly [title: string, read: typeof chat, bodyOf: (wrong: (first?: unknown) => unknown[]) => Record<string, unknown>, param: string]
const BODIES: readonly Bodies[] = [
  ['messages of chat', chat, (wrong) => ({ messages: wrong(say('hi')) }), 'messages[1].role'],
  ['parts of chat', chat, (wrong) => ({ messages: [say(wrong(TEXT))] }), 'messages[0].content[1].type'],
  ['tools of chat', chat, (wrong) => ({ messages: [say('hi')], tools: wrong(TOOL) }), 'tools[1].type'],
  ['calls of chat', chat, (wrong) => ({ messages: [{ role: 'assistant', tool_calls: wrong(CALL) }] }), 'messages[0].tool_calls[1].id'],
  ['messages of Anthropic', messages, (wrong) => ({ max_tokens: 9, messages: wrong(say('hi')) }), 'messages[1].role'],
  ['blocks of Anthropic', messages, (wrong) => ({ max_tokens: 9, messages: [say(wrong(TEXT))] }), 'messages[0].content[1].type'],
  ['system of Anthropic', messages, (wrong) => ({ max_tokens: 9, messages: [say('hi')], system: wrong(TEXT) }), 'system[1].type'],
  ['items of Responses', responses, (wrong) => ({ input: wrong(say('hi')) }), 'input[1].type'],
  ['parts of Responses', responses, (wrong) => ({ input: [say(wrong({ ...TEXT, type: 'input_text' }))] }), 'input[0].content[1].type'],
]

describe('GW-04 a list of nothing but wrong items is not read to its end, which would hold everybody up', () => {
  test.each(BODIES)('%s', (_title, read, bodyOf, param) => {
    const looked = new Set<number>()
    const wrong = (first?: unknown): unknown[] => {
      const items = Array.from({ length: 5_000 }, (_, at) => {
        const look = (): undefined => void looked.add(at)
        return new Proxy({}, { get: look, has: () => look() !== undefined })
      })
      return [first, ...items]
    }
    expect(() => read(bodyOf(wrong))).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param }) }))
    expect(looked.size).toBeGreaterThan(0)
    expect(looked.size).toBeLessThanOrEqual(100)
  })

  test('nor is one of names', () => {
    const asked = { messages: [say('hi')], models: Array.from({ length: 5_000 }, () => 7) }
    expect(() => chat(asked)).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param: 'models' }) }))
  })

  test.each([0, 99, 100, 101, 250])('the wrong one is named by its place: %i', (at) => {
    const list = Array.from({ length: 300 }, (_, index) => (index < at ? say('hi') : {}))
    expect(() => chat({ messages: list })).toThrow(expect.objectContaining({ problem: expect.objectContaining({ param: `messages[${at}].role` }) }))
  })

  test('what is right is read whole and in order', () => {
    const texts = Array.from({ length: 250 }, (_, index) => `${index}`)
    expect(chat({ messages: texts.map(say) }).messages.map(({ content }) => content)).toEqual(texts)
  })
})
