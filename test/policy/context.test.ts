import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import { shortenHistory } from '../../src/policy/context.ts'

const system = (content: string): Message => ({ role: 'system', content })
const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })
const call = (id: string | null): Message => ({ role: 'assistant', content: '', toolCalls: [{ id, name: 'tool', arguments: '{}' }] })
const result = (id: string | null): Message => ({ role: 'tool', content: 'found', toolCallId: id })

describe('R20 a shortened history', () => {
  test.each<[string, Message[], Message[] | null]>([
    ['a single prompt has nothing to drop', [user('a')], null],
    ['system messages count for nothing', [system('s'), user('a')], null],
    ['an exchange without a second user turn has nothing to drop', [user('a'), assistant('b')], null],
    [
      'it is cut before the user turn near the half',
      [user('a'), assistant('b'), user('c'), assistant('d'), user('e')],
      [user('c'), assistant('d'), user('e')],
    ],
    ['of two cuts as near, the one that keeps more', [user('a'), user('b'), assistant('c'), user('d')], [user('b'), assistant('c'), user('d')]],
    ['system messages are kept, wherever they stand', [system('s'), user('a'), system('t'), user('b')], [system('s'), system('t'), user('b')]],
    ['a call stays with its results', [user('a'), call('1'), result('1'), user('b')], [user('b')]],
    ['no cut between a call and its result, even where a user speaks in between', [user('a'), call('1'), user('b'), result('1')], null],
    ['nor where the result has no id', [user('a'), call(null), user('b'), result(null), user('c')], [user('c')]],
  ])('%s', (_, messages, expected) => {
    expect(shortenHistory(messages)).toEqual(expected)
  })
})

const id = fc.constantFrom('1', '2', '3', null)
const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(system('s')) },
  { weight: 4, arbitrary: fc.constant(user('u')) },
  { weight: 2, arbitrary: fc.constant(assistant('a')) },
  { weight: 2, arbitrary: id.map(call) },
  { weight: 2, arbitrary: id.map(result) },
)

/** Index of the call that each result answers: the latest one of its id before it; without an id, the latest call at all. */
function answered(messages: readonly Message[]): [call: number, result: number][] {
  const pairs: [number, number][] = []
  for (const [at, each] of messages.entries()) {
    if (each.role !== 'tool') continue
    const from = messages.slice(0, at).findLastIndex((other) => {
      if (other.role !== 'assistant' || other.toolCalls === undefined) return false
      return each.toolCallId === null || other.toolCalls.some((made) => made.id === each.toolCallId)
    })
    if (from !== -1) pairs.push([from, at])
  }
  return pairs
}

describe('R20 any history', () => {
  // Messages are made anew, so that identity tells which were kept.
  const history = fc.array(message, { maxLength: 16 }).map((messages) => messages.map((each) => ({ ...each })))

  test('keeps every system message and a whole end of the rest, which begins with a user', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const kept = shortenHistory(messages)
        if (kept === null) return
        expect(kept.filter((each) => each.role === 'system')).toEqual(messages.filter((each) => each.role === 'system'))
        const spoken = messages.filter((each) => each.role !== 'system')
        const left = kept.filter((each) => each.role !== 'system')
        expect(left[0]?.role).toBe('user')
        expect(left.length).toBeLessThan(spoken.length)
        expect(left.every((each, index) => each === spoken[spoken.length - left.length + index])).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test('never parts a tool call from its result', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const kept = new Set(shortenHistory(messages) ?? messages)
        for (const [from, to] of answered(messages)) {
          const [made, answer] = [messages[from], messages[to]]
          if (made !== undefined && answer !== undefined) expect(kept.has(made)).toBe(kept.has(answer))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('takes the whole cut that is nearest to the half', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const spoken = messages.filter((each) => each.role !== 'system')
        const pairs = answered(spoken)
        const whole = (at: number): boolean => spoken[at]?.role === 'user' && !pairs.some(([from, to]) => from < at && at <= to)
        const cuts = spoken.map((_, at) => at).filter((at) => at > 0 && whole(at))
        const kept = shortenHistory(messages)
        if (cuts.length === 0) {
          expect(kept).toBeNull()
          return
        }
        const best = Math.min(...cuts.map((at) => Math.abs(at - spoken.length / 2)))
        const cutAt = spoken.length - (kept ?? []).filter((each) => each.role !== 'system').length
        expect(Math.abs(cutAt - spoken.length / 2)).toBe(best)
      }),
      { numRuns: 1_000 },
    )
  })
})
