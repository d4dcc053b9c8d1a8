import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../src/engines/http/anthropic-messages/protocol.ts'
import { bedrockConverse } from '../../../src/engines/http/bedrock-converse/protocol.ts'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { openaiResponses } from '../../../src/engines/http/openai-responses/protocol.ts'
import { closed, isStrict } from '../../../src/engines/http/response-schema.ts'
import { requestOf } from './request.ts'

const TEXT = { type: 'string' }
const CITY = { type: 'object', properties: { city: TEXT }, required: ['city'] }
const STRICT = { ...CITY, additionalProperties: false }
const asked = (schema: Record<string, unknown>) => requestOf({ mode: 'call', options: { responseSchema: { name: 'place', schema } } })

describe('what OpenAI is asked to keep to strictly', () => {
  it.each<[Record<string, unknown>, boolean]>([
    [STRICT, true],
    [CITY, false],
    [{ ...STRICT, required: [] }, false],
    [{ ...STRICT, additionalProperties: true }, false],
    [{ type: 'object' }, false],
    [{ type: 'object', properties: {}, additionalProperties: false }, true],
    [{ ...STRICT, properties: { city: CITY } }, false],
    [{ ...STRICT, properties: { city: { type: 'array', items: CITY } } }, false],
    [{ ...STRICT, properties: { city: { anyOf: [STRICT, { type: 'null' }] } } }, true],
    [{ ...STRICT, properties: { city: { oneOf: [STRICT, { type: 'null' }] } } }, false],
    [{ ...STRICT, properties: { city: { $ref: '#/$defs/City' } }, $defs: { City: CITY } }, false],
  ])('%j: %s', (schema, strict) => {
    expect(isStrict(schema)).toBe(strict)
    expect(openaiChat.encode(asked(schema)).response_format).toMatchObject(
      schema['properties'] === undefined ? { type: 'json_object' } : { type: 'json_schema', json_schema: { schema, strict } },
    )
    expect(openaiResponses.encode(asked(schema)).text).toMatchObject({
      format: schema['properties'] === undefined ? { type: 'json_object' } : { type: 'json_schema', schema, strict },
    })
  })
})

describe('what Anthropic and Bedrock are sent: objects that are closed', () => {
  it.each([
    [CITY, STRICT],
    [{ ...CITY, additionalProperties: true }, STRICT],
    [
      { ...CITY, type: ['object', 'null'] },
      { ...STRICT, type: ['object', 'null'] },
    ],
    [
      { type: 'array', items: CITY },
      { type: 'array', items: STRICT },
    ],
    [{ anyOf: [CITY, TEXT] }, { anyOf: [STRICT, TEXT] }],
    [{ allOf: [CITY] }, { allOf: [STRICT] }],
    [
      { ...CITY, properties: { city: { $ref: '#/$defs/City' } }, $defs: { City: CITY } },
      { ...STRICT, properties: { city: { $ref: '#/$defs/City' } }, $defs: { City: STRICT } },
    ],
    // A name of a field, and a value, that look like a schema are none.
    [
      { ...CITY, properties: { properties: TEXT, city: { const: { type: 'object' } } } },
      { ...STRICT, properties: { properties: TEXT, city: { const: { type: 'object' } } } },
    ],
  ])('%j', (schema, sent) => {
    const before = JSON.stringify(schema)
    expect(closed(schema)).toEqual(sent)
    expect(anthropicMessages.encode(asked(schema)).output_config).toEqual({ format: { type: 'json_schema', schema: sent } })
    expect(JSON.stringify(bedrockConverse.encode(asked(schema)).outputConfig)).toContain(JSON.stringify(JSON.stringify(closed(schema))))
    expect(JSON.stringify(schema)).toBe(before)
  })

  it('one that is closed as it is stays the same', () => {
    expect(closed(STRICT)).toBe(STRICT)
  })

  it.each([
    [{ type: 'object' }],
    [{ type: 'object', additionalProperties: TEXT }],
    [{ type: 'object', patternProperties: { a: TEXT } }],
    [{ ...CITY, properties: { more: { type: 'object' } } }],
    [{ allOf: [CITY, { type: 'object', properties: { land: TEXT } }] }],
    [{ ...CITY, anyOf: [{ properties: { land: TEXT } }, { properties: { sea: TEXT } }] }],
  ])('%j cannot be closed, and is said in words', (schema) => {
    expect(closed(schema)).toBeNull()
    const anthropic = anthropicMessages.encode(asked(schema))
    expect(anthropic).not.toHaveProperty('output_config')
    const words = Object.keys(schema).length === 1 && 'type' in schema ? 'one JSON object and nothing else' : JSON.stringify(schema)
    expect(anthropic.system).toContain(words)
    const bedrock = bedrockConverse.encode(asked(schema))
    expect(bedrock).not.toHaveProperty('outputConfig')
    expect(bedrock.system).toEqual([{ text: anthropic.system }])
  })
})

describe('JSON of whatever form', () => {
  it('is the JSON mode of OpenAI, with the word for it in a message, without which it is refused', () => {
    const chat = openaiChat.encode(asked({ type: 'object' }))
    expect(chat.messages).toEqual([
      { role: 'system', content: expect.stringContaining('JSON') },
      { role: 'user', content: 'hello' },
    ])
    const responses = openaiResponses.encode(asked({ type: 'object' }))
    expect(responses).not.toHaveProperty('instructions')
    expect(responses.input).toEqual([
      { type: 'message', role: 'system', content: expect.stringContaining('JSON') },
      { type: 'message', role: 'user', content: 'hello' },
    ])
  })
})
