import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { countTokens } from '../../../../src/faces/gateway/anthropic-messages/count-tokens.ts'
import { BadRequest } from '../../../../src/faces/gateway/problem.ts'

const ASK = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
const count = (over: object = {}): number => countTokens({ ...ASK, ...over }).input_tokens
const ofBlocks = (...content: object[]): number => count({ messages: [{ role: 'user', content }] })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } }
const text = (words: string) => ({ type: 'text', text: words })

describe('an estimate of tokens', () => {
  test('counts a token for each 3.5 bytes, and 4 for a message', () => {
    expect(count()).toBe(4 + 2)
    expect(count({ messages: [{ role: 'user', content: 'x'.repeat(3_500) }] })).toBe(4 + 1_000)
    expect(ofBlocks(text('hello'))).toBe(count())
  })

  test.each([
    ['system', { system: 'Be brief, and be kind.' }],
    ['blocks of system', { system: [text('Be brief, and be kind.')] }],
    ['another message', { messages: [...ASK.messages, { role: 'assistant', content: 'Hi there' }] }],
    ['tools', { tools: [{ name: 'add', input_schema: { type: 'object' } }] }],
    ['thoughts', { messages: [...ASK.messages, { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: 's' }] }] }],
    ['calls', { messages: [...ASK.messages, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'add', input: { a: 1 } }] }] }],
  ])('counts %s', (_, over) => {
    expect(count(over)).toBeGreaterThan(count() + 4)
  })

  test('counts what is inside the result of a tool', () => {
    const result = (...content: object[]) => ofBlocks({ type: 'tool_result', tool_use_id: 'a', content })
    expect(result(text('x'.repeat(350)))).toBe(4 + 100)
    expect(result(image)).toBe(4 + 1_600)
  })

  test('counts an image as the largest, however many bytes it has', () => {
    const large = { ...image, source: { ...image.source, data: 'aGk='.repeat(1_000) } }
    expect(ofBlocks(image)).toBe(4 + 1_600)
    expect(ofBlocks(large)).toBe(ofBlocks(image))
  })

  test('counts a document by its text, or as a page', () => {
    expect(ofBlocks({ type: 'document', source: { type: 'text', data: 'x'.repeat(350) } })).toBe(4 + 100)
    expect(ofBlocks({ type: 'document', source: { type: 'content', content: [text('x'.repeat(350))] } })).toBe(4 + 100)
    expect(ofBlocks({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } })).toBe(4 + 3_000)
  })

  test('never grows less with more text', () => {
    const words = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(words, words, fc.nat(3), (base, more, where) => {
        const place = (said: string) =>
          [
            { system: said },
            { messages: [{ role: 'user', content: said }] },
            { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: said }] }] },
            { tools: [{ name: 'add', description: said, input_schema: {} }] },
          ][where] ?? {}
        expect(count(place(base + more))).toBeGreaterThanOrEqual(count(place(base)))
      }),
    )
  })

  test('needs no max_tokens, and refuses what the request itself would', () => {
    expect(() => countTokens({ messages: [{ role: 'user', content: [{ type: 'text' }] }] })).toThrow(BadRequest)
    const deep = JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
    expect(() => count({ tools: [{ name: 'add', input_schema: deep }] })).toThrow(BadRequest)
  })
})
