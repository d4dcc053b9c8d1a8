import { describe, expect, test } from 'vitest'
import { failure } from '../../src/model/failure.ts'
import type { Message } from '../../src/model/message.ts'
import type { FailureEvent } from '../../src/model/outcome.ts'
import { aggregate } from '../../src/policy/aggregate.ts'
import { shortenHistory } from '../../src/policy/context.ts'
import { sumUsage } from '../../src/policy/cost.ts'
import { judge } from '../../src/policy/judge.ts'
import { blankMemory, chosen } from '../../src/policy/turn-step.ts'
import type { AttemptEnd } from '../../src/policy/verdict.ts'
import { planOf, viewOf } from './walks.ts'

// Values at the very edge, which mutations came through (npm run mutate) and no scenario can express.

describe('R21 the aggregate error at its bound', () => {
  const event = (phase: string, hintMs: number | null = null): FailureEvent => ({
    event: 1,
    attempt: 1,
    of: 1,
    reason: 'retryable',
    kind: 'network',
    phase,
    hintMs,
  })
  /** The longest that is told: 32 of the 2 048 bytes are kept for the count of the rest. */
  const MOST = 2048 - 32
  const bare = aggregate('exhausted', [event('')]).length

  test('an event that fills it to the last byte is told', () => {
    const text = aggregate('exhausted', [event('x'.repeat(MOST - bare))])
    expect(text).toHaveLength(MOST)
    expect(text).toContain(': attempt ')
  })

  test('one byte more and it is counted instead', () => {
    expect(aggregate('exhausted', [event('x'.repeat(MOST - bare + 1))])).toBe('every allowed entry failed; and 1 more')
  })

  test('a hint is told in whole ms', () => {
    expect(aggregate('exhausted', [event('call', 1.4)])).toContain('retry after 1 ms')
  })
})

test('R34 a count that only the first of two rows tells is kept', () => {
  expect(sumUsage([{ usage: { input: 1, output: 2 } }, { usage: { input: 3 } }])).toEqual({ input: 4, output: 2 })
})

test('R14 chance moves the wait on an entry as far as jitter lets it', () => {
  const view = viewOf({ plan: planOf(['a.x']), spent: { 0: 1 }, reliability: { jitter: 0.5 } })
  const failed = failure('server_error', 'call', 'x')
  const end: AttemptEnd = { mode: 'call', failure: failed, finish: null, answered: false, committed: false, providerTools: false }
  const waitOf = (chance: number) => {
    const judgement = judge({ ...view, entry: 0, end, verdict: { result: 'failed', failure: failed }, shortenable: false, random: () => chance })
    return judgement.next === 'wait' ? judgement.waitMs : judgement.next
  }
  expect([waitOf(0), waitOf(0.5)]).toEqual([250, 500])
})

test('R20 an empty list of calls is no call that a result could belong to', () => {
  const history: Message[] = [
    { role: 'user', content: 'q' },
    { role: 'assistant', content: '', toolCalls: [{ id: null, name: 't', arguments: '{}' }] },
    { role: 'user', content: 'wait' },
    { role: 'assistant', content: '', toolCalls: [] },
    { role: 'tool', content: 'r', toolCallId: null },
    { role: 'user', content: 'go on' },
  ]
  expect(shortenHistory(history)).toEqual(history.slice(5))
})

test('a wait has a number of its own, so that a late wake of an earlier one is told apart', () => {
  const { plan, needs, reliability, board, now } = viewOf({ plan: planOf(['a.x']), held: { 'a.x': 1_000 } })
  const fixed = { plan, needs, reliability, shortenable: false, random: () => 0.5 }
  const first = { ...blankMemory(fixed, { now, board }), ...chosen(fixed, blankMemory(fixed, { now, board })) }
  const second = { ...first, ...chosen(fixed, first) }
  const third = { ...second, ...chosen(fixed, second) }
  const numbers = [first, second, third].map((memory) => memory.wait?.number)
  expect(new Set(numbers).size).toBe(3)
  expect(numbers).not.toContain(undefined)
})
