import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAILURE_KINDS, failure } from '../../src/model/failure.ts'
import type { FailureEvent, OutcomeKind } from '../../src/model/outcome.ts'
import type { CostBasis, Price, Usage } from '../../src/model/usage.ts'
import { aggregate } from '../../src/policy/aggregate.ts'
import { attribute, servedBy } from '../../src/policy/attribute.ts'
import { costOf, sumCosts, sumUsage } from '../../src/policy/cost.ts'
import { notice } from '../../src/policy/notice.ts'
import { commits, isReplayable, partialText } from '../../src/policy/replay.ts'
import { type AttemptEnd, verdict } from '../../src/policy/verdict.ts'
import { entryOf } from '../../src/policy/walk.ts'
import { planOf } from './walks.ts'

const end = (more: Partial<AttemptEnd> = {}): AttemptEnd => ({
  mode: 'call',
  failure: null,
  finish: 'stop',
  answered: true,
  committed: false,
  providerTools: false,
  ...more,
})

describe('what an attempt came to', () => {
  test.each<[string, Partial<AttemptEnd>, string]>([
    ['an answer', {}, 'ok'],
    ['R25 an end without a finish reason is an answer all the same', { finish: null }, 'ok'],
    ['R22 length with text is incomplete', { finish: 'length' }, 'incomplete'],
    ['C41 length without text is empty', { finish: 'length', answered: false }, 'empty'],
    ['R19 nothing visible and no tool call is empty', { answered: false }, 'empty'],
    ['R22 a content filter is a refusal', { finish: 'content_filter' }, 'refusal'],
    ['R22 also with text before it', { finish: 'content_filter', answered: true }, 'refusal'],
    ['R25 a failure is a failure, whatever was said before', { failure: failure('truncated', 'stream', 'x') }, 'truncated'],
  ])('%s', (_, more, expected) => {
    const read = verdict(end(more))
    expect(read.result === 'failed' ? read.failure.kind : read.result).toBe(expected)
  })

  test('its phase is that of its mode', () => {
    for (const mode of ['stream', 'call'] as const) {
      const read = verdict(end({ mode, answered: false }))
      expect(read.result === 'failed' && read.failure.phase).toBe(mode)
    }
  })
})

describe('R27 R28 the replay boundary', () => {
  test.each([
    ['text', true],
    ['reasoning', true],
    ['providerToolCall', true],
    ['providerToolResult', true],
    ['toolCall', false],
    ['usage', false],
    ['opened', false],
    ['final', false],
    ['failed', false],
  ] as const)('%s handed to an event sink commits: %s; handed to a draft it never does', (type, expected) => {
    expect(commits(type, true)).toBe(expected)
    expect(commits(type, false)).toBe(false)
  })

  test.each<[string, Partial<AttemptEnd>, boolean]>([
    ['nothing shown, failed', { failure: failure('network', 'stream', 'x') }, true],
    ['shown, failed', { committed: true, failure: failure('network', 'stream', 'x') }, false],
    ['shown, ended in order', { committed: true }, true],
    ['tools ran, whatever else', { providerTools: true }, false],
  ])('%s: replayable %s', (_, more, expected) => {
    expect(isReplayable(end(more))).toBe(expected)
  })

  test('R28 only forwarded text is kept', () => {
    expect(partialText('par')).toBe('par')
    expect(partialText('')).toBeNull()
  })
})

describe('R33 attribution', () => {
  const plan = planOf(['a.x', 'b.y', { label: 'a.x', model: 'm2' }])
  const requested = { profile: 'a.x', model: 'm1' }

  test.each([
    ['the first entry under the name asked for: none', 0, null],
    ['a later entry', 1, { profile: 'b.y', model: 'm1' }],
    ['another model of the same profile', 2, { profile: 'a.x', model: 'm2' }],
  ] as const)('%s', (_, index, served) => {
    expect(attribute(plan, entryOf(plan, index))).toEqual(served === null ? null : { requested, served })
  })

  test('C17 a pin that differs from what was asked makes one, even at the first entry', () => {
    const asked = { ...plan, requested: { profile: 'a.x', model: 'hint:x' } }
    expect(attribute(asked, entryOf(asked, 0))).toEqual({ requested: asked.requested, served: requested })
  })

  test('C18 it carries the number of a pooled credential', () => {
    const pool = planOf(['a.x#1', 'a.x#2'])
    expect(servedBy(entryOf(pool, 1))).toEqual({ profile: 'a.x#2', model: 'm1' })
  })
})

describe('R35 notices', () => {
  const record = (profile: string) => ({ requested: { profile: 'a.x', model: 'm1' }, served: { profile, model: 'm2' } })
  const redacted = 'Another model or provider answered.'
  const detailed = (profile: string): string => `Requested a.x/m1; answered by ${profile}/m2.`

  test.each([
    ['off', 'a.w', null],
    ['off', 'b.y', redacted],
    ['redacted', 'a.w', redacted],
    ['redacted', 'b.y', redacted],
    ['detailed', 'a.w', detailed('a.w')],
    ['detailed', 'b.y', detailed('b.y')],
    ['off', 'a.x#2', null],
  ] as const)('%s, served by %s: %s', (mode, profile, expected) => {
    expect(notice(record(profile), mode)).toBe(expected)
  })

  test('without a record there is none', () => {
    for (const mode of ['off', 'redacted', 'detailed'] as const) expect(notice(null, mode)).toBeNull()
  })
})

describe('R34 costs', () => {
  const price = { input: 1, output: 2, cachedInput: 0.5 }

  test.each<[string, Usage | null, Price, number | null]>([
    ['input and output', { input: 1_000_000, output: 1_000_000 }, price, 3e12],
    ['cached input costs its own rate', { input: 1_000_000, output: 0, cachedInput: 400_000 }, price, 0.8e12],
    ['more cached input than input is billed as the input', { input: 1_000_000, output: 0, cachedInput: 3_000_000 }, price, 0.5e12],
    ['a part of a pico-USD is rounded', { input: 1, output: 0 }, { input: 0.000_000_4, output: 2 }, 0],
    ['absent input is not zero', { output: 1 }, price, null],
    ['nor is absent output', { input: 1 }, price, null],
    ['no usage, no cost', null, price, null],
    ['a free model costs 0', { input: 5, output: 5 }, { input: 0, output: 0, cachedInput: 0 }, 0],
  ])('%s', (_, usage, rate, expected) => {
    expect(costOf(usage, rate)).toBe(expected)
  })

  test('without a rate of its own cached input costs the input rate', () => {
    expect(costOf({ input: 1_000_000, output: 0, cachedInput: 400_000 }, { input: 1, output: 2 })).toBe(1e12)
  })

  test('the cost of a turn is the sum of its rows, and unknown when one with usage is', () => {
    const row = (costPicoUsd: number | null, usage: Usage | null = { input: 1 }, costBasis: CostBasis = 'metered') => ({
      costPicoUsd,
      usage,
      costBasis,
    })
    expect(sumCosts([row(1), row(2)])).toBe(3)
    expect(sumCosts([row(1), row(null)])).toBeNull()
    expect(sumCosts([row(1), row(null, null)])).toBe(1)
    expect(sumCosts([row(null, null)])).toBeNull()
    expect(sumCosts([])).toBeNull()
    expect(sumCosts([row(1), row(null, { input: 1 }, 'subscription')])).toBe(1)
    expect(sumCosts([row(null, { input: 1 }, 'subscription')])).toBeNull()
  })

  test('tokens are summed over the rows that tell them, and absent stays absent', () => {
    expect(sumUsage([{ usage: { input: 1 } }, { usage: null }, { usage: { input: 2, output: 3 } }])).toEqual({ input: 3, output: 3 })
    expect(sumUsage([{ usage: null }])).toBeNull()
  })
})

const event: fc.Arbitrary<FailureEvent> = fc.record({
  event: fc.nat(10_000),
  attempt: fc.nat(1_000_000),
  of: fc.nat(1_000_000),
  reason: fc.constantFrom('retryable', 'rate_limited_non_retryable', 'held', 'context_window'),
  kind: fc.constantFrom(...FAILURE_KINDS),
  phase: fc.constantFrom('connect', 'opening', 'stream', 'call', 'selection'),
  hintMs: fc.option(fc.double({ noNaN: true }), { nil: null }),
})

describe('R21 the aggregate error', () => {
  const KINDS: readonly OutcomeKind[] = [
    'exhausted',
    'all_held',
    'context_window',
    'interrupted',
    'refused',
    'cancelled',
    'provider_tools_without_final',
    'defect',
  ]

  test('says why the walk stopped, then each event with number, retry k/N, reason, kind, phase and hint', () => {
    const failures: FailureEvent[] = [
      { event: 1, attempt: 0, of: 3, reason: 'held', kind: 'rate_limited', phase: 'selection', hintMs: null },
      { event: 2, attempt: 1, of: 3, reason: 'rate_limited', kind: 'rate_limited', phase: 'call', hintMs: 1_500 },
    ]
    expect(aggregate('exhausted', failures)).toBe(
      'every allowed entry failed; 1: attempt 0/3 held (rate_limited, selection); 2: attempt 1/3 rate_limited (rate_limited, call, retry after 1500 ms)',
    )
  })

  test('at most 8 events, the rest counted', () => {
    const failures = Array.from(
      { length: 11 },
      (_, index): FailureEvent => ({
        event: index + 1,
        attempt: 1,
        of: 1,
        reason: 'retryable',
        kind: 'network',
        phase: 'call',
        hintMs: null,
      }),
    )
    const text = aggregate('exhausted', failures)
    expect(text.match(/attempt/g)).toHaveLength(8)
    expect(text.endsWith('; and 3 more')).toBe(true)
  })

  test('never more than 8 events or 2 048 bytes, and every event told or counted', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.array(event, { maxLength: 40 }), (kind, failures) => {
        const text = aggregate(kind, failures)
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2_048)
        expect(Buffer.byteLength(text)).toBe(text.length)
        const told = text.match(/: attempt /g)?.length ?? 0
        expect(told).toBeLessThanOrEqual(8)
        const rest = Number(/; and (\d+) more$/.exec(text)?.[1] ?? 0)
        expect(told + rest).toBe(failures.length)
      }),
    )
  })

  test('an event of any length keeps the bound, and is counted where it does not fit', () => {
    const long: FailureEvent = { event: 1, attempt: 1, of: 1, reason: 'retryable', kind: 'network', phase: 'x'.repeat(900), hintMs: null }
    const text = aggregate('exhausted', [long, long, long])
    expect(text.length).toBeLessThanOrEqual(2_048)
    expect(text.endsWith('; and 1 more')).toBe(true)
  })

  test('every kind of outcome has words of its own', () => {
    const texts = KINDS.map((kind) => aggregate(kind, []))
    expect(new Set(texts).size).toBe(KINDS.length)
  })
})
