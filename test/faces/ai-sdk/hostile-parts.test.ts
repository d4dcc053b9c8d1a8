import { describe, expect, it } from 'vitest'
import { UnsupportedPartError } from '../../../src/faces/ai-sdk/call-error.ts'
import { PartWriter } from '../../../src/faces/ai-sdk/part-writer.ts'
import { messagesOf } from '../../../src/faces/ai-sdk/prompt.ts'
import type { PromptMessage } from '../../../src/faces/ai-sdk/specification.ts'
import type { Turn, TurnEvent } from '../../../src/index.ts'
import { growth, STEEPEST } from '../../engines/http/growth.ts'

/** Hosts take prompts from their users, and answers come from whatever a provider is. */
describe('issue 3, bad input: a prompt that was made to hurt', () => {
  const issued = { profile: 'a.x', model: 'm1', data: [{ signature: 's' }] }
  const answer = (relevo: object): PromptMessage[] => [
    { role: 'assistant', content: [{ type: 'text', text: 'a', providerOptions: { relevo: { ...relevo } } }] },
  ]

  it('R12 of what was issued nothing else goes on, so that no word beside it ends the turn', () => {
    expect(messagesOf(answer({ issued: { ...issued, role: 'system', extra: 1 } }))).toEqual([{ role: 'assistant', content: 'a', issued }])
  })

  it('a text file that is no base64 is named as what cannot be sent', () => {
    const prompt: PromptMessage[] = [{ role: 'user', content: [{ type: 'file', mediaType: 'text/plain', data: '%%%' }] }]
    expect(() => messagesOf(prompt)).toThrow(UnsupportedPartError)
    expect(() => messagesOf(prompt)).toThrow(/base64/)
  })

  it('R1 options named like a prototype are options of nobody', () => {
    const providerOptions = JSON.parse('{"__proto__":{"anthropic":{"a":1}},"constructor":{"b":1}}') as Record<string, Record<string, unknown>>
    const [message] = messagesOf([{ role: 'user', content: [{ type: 'text', text: 'a', providerOptions }] }])
    const kept = message?.providerOptions ?? {}
    expect(Object.keys(kept)).toEqual(['__proto__', 'constructor'])
    expect(kept['anthropic']).toBeUndefined()
  })
})

describe('issue 3, bad input: tools that ran at a provider cost their number, in whatever order they are answered', () => {
  const call = (id: string | null): TurnEvent => ({ type: 'providerToolCall', id, name: 'n', arguments: '{}' })
  const result = (id: string | null): TurnEvent => ({ type: 'providerToolResult', id, name: 'n', output: '1' })
  const NAMES: readonly (readonly [string, (at: number, count: number) => string | null, (at: number, count: number) => string | null])[] = [
    ['the last first', (at) => `i${at}`, (at, count) => `i${count - 1 - at}`],
    ['by ids that nobody has', (at) => `i${at}`, () => 'other'],
    ['all of one id', () => 'i', () => 'i'],
    ['without ids', () => null, () => null],
  ]

  it.each(NAMES)('%s', (_, given, answered) => {
    const write = ({ length }: string) => {
      const writer = new PartWriter({ id: 't1' } as Turn)
      const count = length / 4
      for (let at = 0; at < count; at += 1) writer.partsOf(call(given(at, count)))
      for (let at = 0; at < count; at += 1) writer.partsOf(result(answered(at, count)))
    }
    expect(growth((length) => 'x'.repeat(length), write)).toBeLessThan(STEEPEST)
  })

  it('each result is that of its own call, the oldest of its id first', () => {
    const writer = new PartWriter({ id: 't1' } as Turn)
    for (const id of ['a', null, 'b', 'a']) writer.partsOf(call(id))
    const toldFor = (id: string | null) => writer.partsOf(result(id)).map((part) => ('toolCallId' in part ? part.toolCallId : null))
    expect([toldFor('b'), toldFor(null), toldFor('a'), toldFor(null), toldFor('b'), toldFor(null)]).toEqual([
      ['b'],
      ['a'],
      ['a'],
      ['t1-provider-1'],
      [],
      [],
    ])
  })
})
