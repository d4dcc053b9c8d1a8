import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type IdRule, ownOptions, portableMessages, resultsBehindCalls } from '../../../src/engines/http/transcript.ts'
import type { Message } from '../../../src/model/message.ts'
import { shortenHistory } from '../../../src/policy/context.ts'
import { profileOf } from './request.ts'

const RULES: Readonly<Record<string, IdRule>> = {
  chat: { fits: /^[\x21-\x7e]{1,40}$/, length: 24 },
  mistral: { fits: /^[A-Za-z0-9]{9}$/, length: 9 },
  messages: { fits: /^[A-Za-z0-9_-]{1,64}$/, length: 24 },
  anything: { fits: /[\s\S]*/, length: 24 },
  'two letters': { fits: /^[A-Za-z0-9]{2}$/, length: 2 },
}
const { chat, mistral, messages: strict } = RULES as { chat: IdRule; mistral: IdRule; messages: IdRule }
const receiver = { profile: profileOf({ id: 'a.x', family: 'a' }), model: 'm1', entry: 'a.x' }
const mapped = (messages: readonly Message[], rule: IdRule) => portableMessages({ ...receiver, messages }, rule)

const user = (content: string): Message => ({ role: 'user', content })
const calls = (...ids: (string | null)[]): Message => ({
  role: 'assistant',
  content: '',
  toolCalls: ids.map((id) => ({ id, name: 'f', arguments: '{}' })),
})
const result = (toolCallId: string | null, content = 'r'): Message => ({ role: 'tool', content, toolCallId })
const idsOf = (messages: readonly Message[]) =>
  messages.map((message) =>
    message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id) : message.role === 'tool' ? message.toolCallId : null,
  )

/** A call of a history that is made up, and how its result names it. */
interface Step {
  readonly ids: readonly (string | null)[]
  readonly talk: boolean
  readonly open: number
}
const anId = fc.oneof(
  fc.constantFrom('call_0', 'call_1', 'toolu_01', '', ' ', 'call_1_0', 'call_3_1', 'abcdefgh1', 'x'.repeat(400), 'é', '\u0000', '"\\'),
  fc.string({ maxLength: 60 }),
  fc.constant(null),
)
const aStep: fc.Arbitrary<Step> = fc.record({ ids: fc.array(anId, { minLength: 1, maxLength: 4 }), talk: fc.boolean(), open: fc.nat(1) })
const steps = fc.array(aStep, { maxLength: 8 })

/** Results say whose call they answer, so that the pairing can be checked; they are in the order of the calls, some of the last left out. */
function historyOf(made: readonly Step[]): Message[] {
  return made.flatMap(({ ids, talk, open }, number) => [
    ...(talk || number === 0 ? [user(`u${number}`)] : []),
    calls(...ids),
    ...ids.slice(0, number === made.length - 1 ? ids.length - open : ids.length).map((id, at) => result(id, `${number}/${at}`)),
  ])
}

/** Results that answer no call in front of them. */
function unpaired(messages: readonly Message[]): unknown[] {
  const open = new Set<string | null>()
  return messages.filter((message) => {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) open.add(call.id)
    return message.role === 'tool' && !open.delete(message.toolCallId)
  })
}

describe('R1 R12 ids of tool calls', () => {
  it.each(Object.entries(RULES).filter(([name]) => name !== 'two letters'))(
    '%s: property: fit, never shared, the same in call and result',
    (_, rule) => {
      fc.assert(
        fc.property(steps, (made) => {
          const out = mapped(historyOf(made), rule)
          const ids = out.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.id ?? '') : []))
          for (const id of ids) expect(id).toMatch(rule.fits)
          expect(new Set(ids).size).toBe(ids.length)
          const groups = out.flatMap((message) => (message.role === 'assistant' ? [message.toolCalls ?? []] : []))
          for (const message of out) {
            if (message.role !== 'tool') continue
            const [step = 0, at = 0] = String(message.content).split('/').map(Number)
            expect(message.toolCallId).toBe(groups[step]?.[at]?.id)
          }
        }),
        { numRuns: 300 },
      )
    },
  )

  it.each(Object.entries(RULES))('%s: property: a longer history maps its beginning alike, and the history itself is left alone', (_, rule) => {
    fc.assert(
      fc.property(steps, fc.nat(40), (made, cut) => {
        const history = historyOf(made)
        const before = structuredClone(history)
        const whole = mapped(history, rule)
        expect(mapped(history.slice(0, cut), rule)).toEqual(whole.slice(0, cut))
        expect(history).toEqual(before)
      }),
      { numRuns: 300 },
    )
  })

  it('property: a history that was shortened still pairs every result, and an id that fits stays as it is', () => {
    fc.assert(
      fc.property(steps, (made) => {
        const short = shortenHistory(historyOf(made)) ?? []
        expect(unpaired(mapped(short, strict))).toEqual([])
        const given = idsOf(short)
          .flat()
          .find((id) => id !== null && strict.fits.test(id))
        if (given !== undefined) expect(idsOf(mapped(short, strict)).flat()).toContain(given)
      }),
      { numRuns: 300 },
    )
  })

  it('two ids never become one, also where there is hardly room for the mapped', () => {
    const ids = Array.from({ length: 900 }, (_, number) => `call:${number}`)
    const out = idsOf(mapped([calls(...ids)], RULES['two letters'] as IdRule)).flat()
    expect(new Set(out).size).toBe(900)
  })

  it('an id that is made up keeps clear of one that is given', () => {
    const [taken] = idsOf(mapped([calls('a.b')], strict)).flat()
    const out = idsOf(mapped([calls('a.b', taken ?? '')], strict)).flat()
    expect(out[0]).toBe(taken)
    expect(out[1]).not.toBe(taken)
    expect(idsOf(mapped([calls(null), result(null), calls('call_0_0'), result('call_0_0')], chat)).flat()).toEqual([
      'call_0_0',
      'call_0_0',
      expect.stringMatching(/^[A-Za-z0-9]{24}$/),
      expect.stringMatching(/^[A-Za-z0-9]{24}$/),
    ])
  })

  it('one id for two calls of one step: each result goes to its own', () => {
    const [first, one, two] = mapped([calls('x', 'x'), result('x', 'one'), result('x', 'two')], chat)
    expect(idsOf([first as Message])).toEqual([['x', expect.stringMatching(/^[A-Za-z0-9]{24}$/)]])
    expect(idsOf([one as Message, two as Message])).toEqual(idsOf([first as Message])[0])
  })

  it('one id for the calls of two messages without a result between them', () => {
    const out = idsOf(mapped([calls('x'), calls('x'), result('x'), result('x')], chat)).flat()
    expect([out[2], out[3]]).toEqual([out[0], out[1]])
    expect(out[0]).not.toBe(out[1])
  })

  it('one id again in a later step: the result answers the later call, and a call that was never answered stays so', () => {
    const out = idsOf(mapped([calls('x'), user('go on'), calls('x'), result('x')], chat))
    expect(out[3]).toBe(out[2]?.[0])
    expect(out[3]).not.toBe(out[0]?.[0])
  })

  it('without ids results answer in order, and one with a name of the host means a call that had none', () => {
    const out = idsOf(mapped([user('u'), calls(null, 'b', null), result('b'), result('host-1'), result(null), result(null)], chat))
    expect(out.slice(1)).toEqual([['call_1_0', 'b', 'call_1_2'], 'b', 'call_1_0', 'call_1_2', 'call_unknown'])
  })

  it('a result that answers nothing keeps its name, and a second result of one call the id of that call', () => {
    expect(idsOf(mapped([result('lost'), result('lost'), calls('a.b'), result('a.b'), result('a.b')], mistral)).flat()).toSatisfy(
      (ids: string[]) => ids[0] === ids[1] && ids[2] === ids[3] && ids[3] === ids[4] && ids[0] !== ids[2],
    )
  })

  it('takes the time of its length: 60 000 calls of one id in seconds, in one step or in many', () => {
    const results = Array.from({ length: 60_000 }, () => result('x'))
    const names = results.map(() => 'x')
    for (const history of [results.flatMap((one) => [calls('x'), one]), [calls(...names), ...results]]) {
      const startedAt = performance.now()
      const ids = idsOf(mapped(history, strict))
      expect(performance.now() - startedAt).toBeLessThan(5_000)
      expect(new Set(ids.flat()).size).toBe(60_000)
    }
  })
})

describe('results behind calls', () => {
  it('move a result in front of what was said while the tool ran, and leave every other order alone', () => {
    const history = [user('u'), calls('a', 'b'), result('a'), user('hurry'), result('b'), calls('c'), result('c'), result('lost')]
    expect(resultsBehindCalls(history)).toEqual([
      user('u'),
      calls('a', 'b'),
      result('a'),
      result('b'),
      user('hurry'),
      calls('c'),
      result('c'),
      result('lost'),
    ])
  })

  it('two messages with calls, then their results', () => {
    expect(resultsBehindCalls([calls('a'), calls('b'), result('b'), result('a')])).toEqual([calls('a'), result('a'), calls('b'), result('b')])
  })
})

describe('R1 what only its issuer can read', () => {
  const issued = (profile: string, model = 'm1') => ({ profile, model, data: [{ type: 'thinking', signature: 's' }] })
  const kept = (profile: string, model: string, entry: string) =>
    portableMessages(
      { profile: profileOf({ id: 'a.x' }), model: 'm1', entry, messages: [{ role: 'assistant', content: 'x', issued: issued(profile, model) }] },
      chat,
    )
  it.each([
    ['a.x', 'm1', 'a.x/m1', true],
    ['a.x', 'm2', 'a.x/m1', false],
    ['b.y', 'm1', 'a.x/m1', false],
    ['a.x#1', 'm1', 'a.x#1/m1', true],
    ['a.x#1', 'm1', 'a.x#2/m1', false],
    ['a.x#1', 'm1', 'a.x/m1', false],
    ['a.x', 'm1', 'a.x#2/m1', true],
  ])('given by %s/%s and sent to %s: kept is %s', (profile, model, entry, is) => {
    expect(kept(profile, model, entry)).toEqual([
      is ? { role: 'assistant', content: 'x', issued: issued(profile, model) } : { role: 'assistant', content: 'x' },
    ])
  })

  it('options of the profile win over those of its family, and nothing inherited is one', () => {
    const profile = profileOf({ id: 'a.x', family: 'a' })
    expect(ownOptions({ profile }, { a: { one: 1, two: 1 }, 'a.x': { two: 2 }, b: { three: 3 } })).toEqual({ one: 1, two: 2 })
    expect(ownOptions({ profile: profileOf({ id: 'toString.x', family: 'toString' }) }, {})).toEqual({})
    expect(ownOptions({ profile }, undefined)).toEqual({})
  })
})
