import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../../src/engines/http/openai-chat/protocol.ts'
import { CHAT_DIALECTS, type ChatDialect } from '../../../src/model/dialect.ts'
import type { Issued, Message } from '../../../src/model/message.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import { bytes } from './kit.ts'
import { profileOf, requestOf } from './request.ts'

/** Small streams of our own making (wire.md §1, §6, §8): what the reasoning of an answer becomes in the next request to its issuer. */
type Json = Record<string, unknown>
const profile = (dialect: ChatDialect) => profileOf({ id: 'server.x', family: 'server', dialect })
const options = (dialect: ChatDialect) => ({ issued: true, profile: profile(dialect), now: () => 0 })

function streamed(dialect: ChatDialect, deltas: readonly Json[]): ProviderEvent[] {
  const chunks = [...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })), { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }]
  const events: ProviderEvent[] = []
  const decoder = openaiChat.decoder(options(dialect))
  decoder.push(bytes(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`), (event) => events.push(event))
  return events
}

function called(dialect: ChatDialect, message: Json): ProviderEvent[] {
  const events: ProviderEvent[] = []
  openaiChat.decodeAnswer(JSON.stringify({ choices: [{ message, finish_reason: 'stop' }] }), options(dialect), (event) => events.push(event))
  return events
}

const issuedOf = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'issued' ? [event.data] : []))
const issuedBy = (data: Issued['data'], name = 'server.x', model = 'm1') => ({ profile: name, model, data })

/** The answer as the next request says it, without its role. */
function backTo(dialect: ChatDialect, data: Issued['data'], more: Partial<Extract<Message, { role: 'assistant' }>> = {}): Json {
  const messages: Message[] = [{ role: 'assistant', content: 'so', issued: issuedBy(data), ...more }]
  const body = openaiChat.encode(requestOf({ profile: profile(dialect), entry: 'server.x', messages })) as { messages: Json[] }
  const { role, ...answer } = body.messages[0] ?? {}
  expect(role).toBe('assistant')
  return answer
}

const thoughts = (events: readonly ProviderEvent[]) => events.flatMap((event) => (event.type === 'reasoning' ? [event.text] : []))

describe('wire.md §1, §6: reasoning is told wherever a server puts it, once', () => {
  const detail = (more: Json) => ({ reasoning_details: [{ type: 'reasoning.text', index: 0, ...more }] })
  it.each<[string, Json[], string[]]>([
    ['beside an empty field of the other name', [{ reasoning_content: '', reasoning: 'hm' }], ['hm']],
    ['beside one that is no text', [{ reasoning_content: {}, reasoning: 'hm' }], ['hm']],
    ['under both names', [{ reasoning_content: 'hm', reasoning: 'hm' }], ['hm']],
    ['in details alone', [{ reasoning: null, ...detail({ text: 'h' }) }, detail({ text: 'm' }), detail({ text: null, signature: 's' })], ['h', 'm']],
    ['in a summary alone', [{ reasoning_details: [{ type: 'reasoning.summary', summary: 'hm' }, null, 5] }], ['hm']],
    ['in a field and in details', [{ reasoning: 'hm', ...detail({ text: 'hm' }) }], ['hm']],
    ['in a field, then whole in the details', [{ reasoning: 'h' }, { reasoning: 'm' }, detail({ text: 'hm', signature: 's' })], ['h', 'm']],
    ['encrypted', [{ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }], []],
  ])('%s', (_, deltas, told) => {
    for (const dialect of CHAT_DIALECTS) expect(thoughts(streamed(dialect, deltas))).toEqual(told)
  })
})

const words = [{ reasoning_content: 'I ' }, { reasoning_content: 'think' }, { content: 'so' }]
const parts = [
  { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'I ' }] }] },
  { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'think' }], signature: 's1' }] },
  { content: [{ type: 'thinking', thinking: 'more' }] },
  { content: 'so' },
]
const details = [
  { reasoning: 'I ', reasoning_details: [{ type: 'reasoning.text', text: 'I ', signature: '', format: 'f', index: 0, id: null }] },
  { reasoning: 'think', reasoning_details: [{ type: 'reasoning.text', text: 'think', format: 'f', index: 0 }] },
  { reasoning_details: [{ type: 'reasoning.text', signature: 'sig', format: 'f', index: 0 }] },
  { reasoning_details: [{ type: 'reasoning.encrypted', data: 'AA', index: 1 }] },
  { reasoning_details: [{ type: 'reasoning.encrypted', data: 'BB', index: 1 }, 'broken', null] },
  { reasoning_details: [{ type: 'reasoning.summary', summary: 'short', index: 2, nest: { deep: [] } }] },
  { content: 'so' },
]

describe('reasoning goes back to its issuer', () => {
  it.each(['deepseek', 'zai', 'groq', 'llamacpp'] as const)('%s: under the field it came in', (dialect) => {
    expect(issuedOf(streamed(dialect, words))).toEqual([{ reasoning_content: 'I think' }])
    expect(issuedOf(called(dialect, { reasoning: 'I think', content: 'so' }))).toEqual([{ reasoning: 'I think' }])
    expect(backTo(dialect, [{ reasoning_content: 'I think' }])).toEqual({ content: 'so', reasoning_content: 'I think' })
  })

  it('mistral: as parts in front of the text', () => {
    const thinking = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'I think' }], signature: 's1' },
      { type: 'thinking', thinking: [{ type: 'text', text: 'more' }] },
    ]
    expect(issuedOf(streamed('mistral', parts))).toEqual([{ thinking }])
    expect(backTo('mistral', [{ thinking }])).toEqual({ content: [...thinking, { type: 'text', text: 'so' }] })
    const toolCalls = [{ id: 'abcdefgh1', name: 'f', arguments: '{}' }]
    expect(backTo('mistral', [{ thinking }], { content: '', toolCalls })).toMatchObject({ content: thinking, tool_calls: [{ id: 'abcdefgh1' }] })
  })

  it('openrouter: as details, pieces put together, each with its signature', () => {
    const whole = [
      { type: 'reasoning.text', text: 'I think', signature: 'sig', format: 'f', index: 0, id: null },
      { type: 'reasoning.encrypted', data: 'AA', index: 1 },
      { type: 'reasoning.encrypted', data: 'BB', index: 1 },
      { type: 'reasoning.summary', summary: 'short', index: 2 },
    ]
    expect(issuedOf(streamed('openrouter', details))).toEqual([{ reasoning_details: whole }])
    expect(backTo('openrouter', [{ reasoning_details: whole }])).toEqual({ content: 'so', reasoning_details: whole })
    expect(issuedOf(streamed('openrouter', [{ reasoning: 'bare' }]))).toEqual([{ reasoning: 'bare' }])
  })

  it('nobody else: it is not even kept', () => {
    const keeping = CHAT_DIALECTS.filter((dialect) => issuedOf(streamed(dialect, [...words, ...parts, ...details])).length > 0)
    expect(keeping).toEqual(['openrouter', 'groq', 'mistral', 'deepseek', 'zai', 'llamacpp'])
    for (const dialect of CHAT_DIALECTS)
      if (!keeping.includes(dialect)) expect(backTo(dialect, [{ reasoning_content: 'x' }])).toEqual({ content: 'so' })
  })

  it('R1 it is left out of a request to another profile or model, and no field of another name gets in', () => {
    const data = [{ reasoning_content: 'mine', content: 'forged', tool_calls: [] }]
    expect(backTo('zai', data)).toEqual({ content: 'so', reasoning_content: 'mine' })
    expect(backTo('zai', data, { issued: issuedBy(data, 'server.y') })).toEqual({ content: 'so' })
    expect(backTo('zai', data, { issued: issuedBy(data, 'server.x', 'm2') })).toEqual({ content: 'so' })
  })

  it('deepseek: a message of another provider has the field all the same, empty', () => {
    const toolCalls = [{ id: 'c1', name: 'f', arguments: '{}' }]
    expect(backTo('deepseek', [{}], { issued: issuedBy([{ reasoning_content: 'x' }], 'other.y'), toolCalls })).toMatchObject({
      reasoning_content: '',
    })
  })

  it('is told before usage and final, and not at all by a decoder that was not asked', () => {
    expect(streamed('zai', words).map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'issued', 'final'])
    const events: ProviderEvent[] = []
    const whole = JSON.stringify({ choices: [{ message: { reasoning_content: 'x', content: 'so' }, finish_reason: 'stop' }] })
    openaiChat.decodeAnswer(whole, { profile: profile('zai'), now: () => 0 }, (event) => events.push(event))
    expect(events.map(({ type }) => type)).toEqual(['reasoning', 'text', 'final'])
  })
})
