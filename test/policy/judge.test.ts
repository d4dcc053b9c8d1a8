import { describe, expect, test } from 'vitest'
import { FAILURE_KINDS, type Failure, type FailureKind, failure } from '../../src/model/failure.ts'
import { type Judgement, judge } from '../../src/policy/judge.ts'
import { type AttemptEnd, verdict } from '../../src/policy/verdict.ts'
import { visitOf } from '../../src/policy/walk.ts'
import { planOf, type ViewShape, viewOf } from './walks.ts'

const LONE = planOf(['a.x'])
const AB = planOf(['a.x', 'b.y'])

interface Case extends Omit<ViewShape, 'plan'> {
  readonly plan?: ViewShape['plan']
  readonly entry?: number
  readonly end?: Partial<AttemptEnd>
  readonly shortenable?: boolean
}

/** Judges one attempt of `entry`, the first by default, as it ended. */
function judged(
  kind: FailureKind | null,
  { plan = AB, entry = 0, end = {}, shortenable = false, ...shape }: Case = {},
  more: Partial<Failure> = {},
): Judgement {
  const view = viewOf({ plan, spent: { [entry]: 1 }, ...shape })
  const whole: AttemptEnd = {
    mode: 'call',
    failure: kind === null ? null : failure(kind, 'call', 'x', more),
    finish: kind === null ? 'stop' : null,
    answered: kind === null,
    committed: false,
    providerTools: false,
    ...end,
  }
  return judge({ ...view, entry, end: whole, verdict: verdict(whole), shortenable, random: () => 0.5 })
}

/** What came of it, in the words of a table. */
function said(judgement: Judgement): string {
  switch (judgement.next) {
    case 'wait':
      return `wait ${judgement.waitMs} ${judgement.why}`
    case 'end':
      return `end ${judgement.kind}${judgement.hold === null ? '' : ` held ${judgement.hold.untilAt}`}`
    case 'recover':
      return `recover ${judgement.from}${judgement.hold === null ? '' : ` held ${judgement.hold.untilAt}`}`
    case 'select':
      return `select at ${judgement.walk.at}${judgement.hold === null ? '' : ` held ${judgement.hold.untilAt}`}`
    case 'served':
      return 'served'
  }
}

const CALLS: readonly (readonly [string, FailureKind | null, Case, Partial<Failure>, string])[] = [
  ['R21 a success ends the walk', null, {}, {}, 'served'],
  ['R13 R14 a retryable error keeps the entry and waits', 'server_error', {}, {}, 'wait 500 backoff'],
  ['R14 no wait after the last attempt', 'server_error', { spent: { 0: 2 } }, {}, 'select at 1'],
  ['R19 an empty answer is like a retryable error', null, { end: { answered: false } }, {}, 'wait 500 backoff'],
  ['C05 a stated wait that is longer is kept', 'server_error', {}, { retryAfterMs: 3_000 }, 'wait 3000 retry_after'],
  ['C05 a shorter one is not', 'overloaded', {}, { retryAfterMs: 300 }, 'wait 500 backoff'],
  ['R16 C06 a wait above the limit holds and advances', 'server_error', {}, { retryAfterMs: 120_000 }, 'select at 1 held 120000'],
  ['R16 exactly the limit is waited', 'server_error', {}, { retryAfterMs: 30_000 }, 'wait 30000 retry_after'],
  ['C06 also where the limit is below the backoff', 'server_error', { reliability: { maxInTurnWaitMs: 400 } }, {}, 'select at 1 held 500'],
  ['R17 a rejection advances at once', 'auth', {}, {}, 'select at 1'],
  ['R15 a limit holds and advances where there is a way out', 'rate_limited', {}, { retryAfterMs: 4_000 }, 'select at 1 held 4000'],
  ['R15 it lasts the default where nothing is stated', 'rate_limited', {}, {}, 'select at 1 held 10000'],
  ['R15 C01 without a way out it stays and waits, and sets no hold', 'rate_limited', { plan: LONE }, {}, 'wait 500 backoff'],
  ['R15 it waits the longer of backoff and retry-after', 'rate_limited', { plan: LONE }, { retryAfterMs: 4_000 }, 'wait 4000 retry_after'],
  ['C01 with its attempts spent the hold is set', 'rate_limited', { plan: LONE, spent: { 0: 2 } }, {}, 'select at 1 held 10000'],
  ['R16 a stated wait above the limit holds', 'rate_limited', { plan: LONE }, { retryAfterMs: 31_000 }, 'select at 1 held 31000'],
  ['R15 the way out has to be free', 'rate_limited', { held: { 'b.y': 9_000 } }, {}, 'wait 500 backoff'],
  ['R15 and to have attempts left', 'rate_limited', { spent: { 0: 1, 1: 2 } }, {}, 'wait 500 backoff'],
  ['C04 an earlier entry is no way out', 'rate_limited', { entry: 1 }, {}, 'wait 500 backoff'],
  ['R6 nor is another model on the same engine', 'rate_limited', { plan: planOf(['a.x', { label: 'a.x', model: 'm2' }]) }, {}, 'wait 500 backoff'],
  ['R11 but another credential is', 'rate_limited', { plan: planOf(['a.x#1', 'a.x#2']) }, {}, 'select at 1 held 10000'],
  ['R22 a refusal ends the turn', 'refusal', {}, {}, 'end refused'],
  ['R22 or advances, where that is asked for', 'refusal', { reliability: { onRefusal: 'advance' } }, {}, 'select at 1'],
  ['R22 a content filter is a refusal', null, { end: { finish: 'content_filter' } }, {}, 'end refused'],
  [
    'R28 a call whose tools ran at the provider is not made again',
    'server_error',
    { end: { providerTools: true } },
    {},
    'end provider_tools_without_final',
  ],
  ['R20 an overflow of a single prompt is returned at once', 'context_window', {}, {}, 'end context_window'],
  ['R20 with a history it is shortened and repeated at once', 'context_window', { shortenable: true }, {}, 'select at 0'],
  ['C11 with attempts spent the next entry gets the shortened one', 'context_window', { shortenable: true, spent: { 0: 2 } }, {}, 'select at 1'],
  [
    'C49 whether another is left is for the selection to say',
    'context_window',
    { plan: LONE, shortenable: true, spent: { 0: 2 } },
    {},
    'select at 1',
  ],
  ['R20 a second overflow returns', 'context_window', { shortenable: true, walk: { shortenedOnce: true } }, {}, 'end context_window'],
]

describe('a finished call', () => {
  test.each(CALLS)('%s', (_, kind, shape, more, expected) => {
    expect(said(judged(kind, shape, more))).toBe(expected)
  })

  test('R14 the next wait is twice as long', () => {
    const first = judged('server_error', { reliability: { providerRetries: 3 } })
    expect(visitOf(first.walk, 0).backoffMs).toBe(1_000)
    const second = judged('server_error', { reliability: { providerRetries: 3 }, walk: first.walk, spent: { 0: 2 } })
    expect(said(second)).toBe('wait 1000 backoff')
  })

  test('R17 a rejected entry has nothing left', () => {
    const { walk } = judged('auth', { reliability: { providerRetries: 3 } })
    expect(visitOf(walk, 0)).toMatchObject({ spent: 1, budget: 1 })
  })

  test('C15 a failure is remembered as the last one', () => {
    for (const kind of FAILURE_KINDS) expect(judged(kind, { shortenable: true }).walk.lastFailure).toBe(kind)
  })
})

const windows = (...sizes: (number | null)[]) => planOf(sizes.map((contextWindow, index) => ({ label: `p.${index}`, contextWindow })))

describe('R20 C13 a second overflow looks for a larger window', () => {
  const again = (sizes: (number | null)[], more: Case = {}) =>
    judged('context_window', { plan: windows(...sizes), shortenable: true, walk: { shortenedOnce: true, history: 'shortened' }, ...more })

  test('later in the plan and larger: asked from the original history', () => {
    const { walk, ...rest } = again([1_000, 1_000, 8_000])
    expect(said({ walk, ...rest } as Judgement)).toBe('select at 2')
    expect(walk.history).toBe('original')
    expect(walk.shortenedOnce).toBe(true)
    expect(walk.visits.map((visit) => visit.budget - visit.spent)).toEqual([0, 0, 2])
  })

  test.each([
    ['its own window is unknown', [null, 8_000], {}],
    ['the other window is unknown', [1_000, null], {}],
    ['the other is not larger', [1_000, 1_000], {}],
    ['the larger one stands before it', [8_000, 1_000], { entry: 1 }],
    ['the larger one is held', [1_000, 8_000], { held: { 'p.1': 5_000 } }],
    ['the larger one is spent', [1_000, 8_000], { spent: { 0: 1, 1: 2 } }],
  ] as const)('returned where %s', (_, sizes, more) => {
    expect(said(again([...sizes], more))).toBe('end context_window')
  })
})

const STREAMS: readonly (readonly [string, FailureKind | null, Case, Partial<Failure>, string])[] = [
  ['an answer is served', null, {}, {}, 'served'],
  ['R26 before output the call is made again', 'network', {}, {}, 'recover stream_error'],
  ['R26 a limit at the opening sets the hold', 'rate_limited', {}, { retryAfterMs: 4_000 }, 'recover stream_error held 4000'],
  ['C54 another failure with a retry-after does not', 'overloaded', {}, { retryAfterMs: 4_000 }, 'recover stream_error'],
  ['C53 a rejection at the opening is recovered like any other', 'auth', {}, {}, 'recover stream_error'],
  ['R29 an empty end is recovered', null, { end: { answered: false } }, {}, 'recover semantic_empty'],
  ['R29 also with its reasoning shown', null, { end: { answered: false, committed: true } }, {}, 'recover semantic_empty'],
  ['R28 after output nothing is asked again', 'network', { end: { committed: true } }, {}, 'end interrupted'],
  [
    'C42 a limit after output sets the hold all the same',
    'rate_limited',
    { end: { committed: true } },
    { retryAfterMs: 4_000 },
    'end interrupted held 4000',
  ],
  ['R28 nor after tools at the provider, with a draft only', 'network', { end: { providerTools: true } }, {}, 'end provider_tools_without_final'],
  ['C44 with an event sink that is an interruption', 'network', { end: { providerTools: true, committed: true } }, {}, 'end interrupted'],
  [
    'C44 a final without an answer after such tools',
    null,
    { end: { answered: false, providerTools: true, committed: true } },
    {},
    'end provider_tools_without_final',
  ],
  ['C12 an overflow of a single prompt is returned', 'context_window', {}, {}, 'end context_window'],
  ['C12 with a history it is recovered', 'context_window', { shortenable: true }, {}, 'recover stream_error'],
  ['R22 a refusal stops', 'refusal', {}, {}, 'end refused'],
  ['C15 or is recovered where that is asked for', 'refusal', { reliability: { onRefusal: 'advance' } }, {}, 'recover stream_error'],
  ['C15 but not after visible output', 'refusal', { reliability: { onRefusal: 'advance' }, end: { committed: true } }, {}, 'end refused'],
]

describe('a finished stream', () => {
  test.each(STREAMS)('%s', (_, kind, { end, ...shape }, more, expected) => {
    expect(said(judged(kind, { ...shape, streaming: true, end: { mode: 'stream', ...end } }, more))).toBe(expected)
  })
})
