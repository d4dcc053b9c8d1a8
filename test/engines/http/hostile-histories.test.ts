import { describe, expect, it } from 'vitest'
import { callParts } from '../../../src/engines/http/gemini/model-parts.ts'
import { HTTP_APIS, httpProtocol } from '../../../src/engines/http/registry.ts'
import { portableMessages } from '../../../src/engines/http/transcript.ts'
import type { AssistantMessage, Message } from '../../../src/model/message.ts'
import { growth, STEEPEST } from './growth.ts'
import { profileOf, requestOf } from './request.ts'

/** Histories of a size that nobody writes by hand: a provider that runs wild makes them, and its answer must not end the conversation. */
const MANY = 130_000

const image = { type: 'image' as const, mediaType: 'image/png', data: 'AA==' }
const calls = (count: number) => Array.from({ length: count }, (_, at) => ({ id: `c${at}`, name: 'f', arguments: '{}' }))
const question: Message = { role: 'user', content: 'go' }

const answer: Message = { role: 'assistant', content: '', toolCalls: calls(1) }

const HISTORIES: readonly (readonly [string, readonly string[], readonly Message[]])[] = [
  ['images in one answer', HTTP_APIS, [question, { role: 'assistant', content: Array(MANY).fill(image) }]],
  ['images behind a user', HTTP_APIS, [question, { role: 'user', content: Array(MANY).fill(image) }]],
  ['images in one result', HTTP_APIS, [question, answer, { role: 'tool', toolCallId: 'c0', content: Array(MANY).fill(image) }]],
  ['calls in one answer', ['anthropic-messages'], [question, { role: 'assistant', content: '', toolCalls: calls(MANY) }]],
]

function encoded(api: string, messages: readonly Message[]): unknown {
  const profile = profileOf({ id: 'x.y', family: 'x', api })
  return httpProtocol(api)?.encode(requestOf({ profile, messages }))
}

describe('issue 3, bad input: a history of any length can be written', () => {
  it.each(HISTORIES.flatMap(([what, apis, messages]) => apis.map((api) => [what, api, messages] as const)))('%s: %s', (_, api, messages) => {
    expect(() => encoded(api, messages)).not.toThrow()
  })
})

describe('issue 3, bad input: results cost their number, whoever asked for them', () => {
  const results = (count: number, id: (at: number) => string | null): Message[] =>
    Array.from({ length: count }, (_, at) => ({ role: 'tool', toolCallId: id(at), content: '' }))

  it.each([
    ['without a call and without an id', (count: number) => results(count, () => null)],
    [
      'of ids that no call has',
      (count: number): Message[] => [{ role: 'assistant', content: '', toolCalls: calls(count) }, ...results(count, (at) => `other${at}`)],
    ],
  ] as const)('%s', (_, make) => {
    const histories = new Map<number, readonly Message[]>()
    const textOf = (length: number) => {
      histories.set(length, make(length / 32))
      return 'x'.repeat(length)
    }
    const write = ({ length }: string) =>
      portableMessages({ ...requestOf(), messages: histories.get(length) ?? [] }, { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 })
    expect(growth(textOf, write)).toBeLessThan(STEEPEST)
  })
})

describe('issue 3, bad input: arguments that nest too deep to be written again', () => {
  it.each(HTTP_APIS)('do not end the conversation at %s', (api) => {
    const nest = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const body = encoded(api, [question, { role: 'assistant', content: '', toolCalls: [{ id: 'c0', name: 'f', arguments: nest }] }])
    expect(JSON.stringify(body)).toContain('{\\"a\\":')
  })
})

describe('issue 3, bad input: an answer costs its length when it goes back', () => {
  it('gemini, with a signature on every call', () => {
    const answers = new Map<number, AssistantMessage>()
    const textOf = (length: number) => {
      const toolCalls = calls(length / 2)
      const data = toolCalls.map(({ id, name }, call) => ({ call, id, name, thoughtSignature: 's' }))
      answers.set(length, { role: 'assistant', content: '', toolCalls, issued: { profile: 'x.y', model: 'm1', data } })
      return 'x'.repeat(length)
    }
    const write = ({ length }: string) => {
      const answered = answers.get(length) ?? expect.fail()
      return callParts(answered, answered.toolCalls ?? [], { withIds: true, wantsSignature: true })
    }
    expect(growth(textOf, write)).toBeLessThan(STEEPEST)
  })
})
