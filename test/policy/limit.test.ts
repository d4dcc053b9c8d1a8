import { describe, expect, it, test } from 'vitest'
import { type Failure, failure } from '../../src/model/failure.ts'
import type { QuotaLimit } from '../../src/model/notice.ts'
import type { Plan } from '../../src/model/plan.ts'
import { type JudgeView, judge } from '../../src/policy/judge.ts'
import { LIMIT_WAITS, limitUntil } from '../../src/policy/limit.ts'
import { select as chosen } from '../../src/policy/select.ts'
import { planOf, type ViewShape, viewOf } from './walks.ts'

const NOW = 1_000_000
const HOUR = 3_600_000
const usage: QuotaLimit = { kind: 'usage', scope: null, binds: 'account' }
const spend: QuotaLimit = { kind: 'spend', scope: null, binds: 'account' }

const UNTIL: readonly (readonly [string, string, QuotaLimit, number | null, number])[] = [
  ['T5 a readable reset is the end of the hold', 'codex', usage, NOW + 5, NOW + 5],
  ['T5 without one claude waits one hour', 'claude', usage, null, NOW + HOUR],
  ['T5 codex is probed every 30 minutes', 'codex', usage, null, NOW + HOUR / 2],
  ['T5 agy is probed every 30 minutes', 'agy', usage, null, NOW + HOUR / 2],
  ['G15 whoever else says so, too', 'gemini-cli', usage, null, NOW + HOUR / 2],
  ['G16 a model of claude waits the hour of its provider', 'claude', { ...usage, binds: 'model' }, null, NOW + HOUR],
  ['G14 a reset already past is held one minute', 'claude', usage, NOW - HOUR, NOW + 60_000],
  ['G14 reset == now counts as past', 'codex', usage, NOW, NOW + 60_000],
  ['G14 now + 1 ms is taken as it is', 'codex', usage, NOW + 1, NOW + 1],
  ['T16 forty days are waited for', 'claude', usage, NOW + 40 * 24 * HOUR, NOW + 40 * 24 * HOUR],
  ['a reset in another century is looked at again before', 'claude', usage, Number.MAX_SAFE_INTEGER, NOW + 41 * 24 * HOUR],
  ['a stop of money has a long re-probe', 'codex', spend, null, NOW + LIMIT_WAITS.spendMs],
  ['a stop of money is not over at the reset it states', 'claude', spend, NOW + 1, NOW + LIMIT_WAITS.spendMs],
]

test.each(UNTIL)('%s', (_, family, limit, resetAt, expected) => {
  expect(limitUntil({ limit, resetAt }, family, NOW)).toBe(expected)
})

/** Two models of one CLI, then somebody else. */
function cliPlan(): Plan {
  const plan = planOf([{ label: 'claude.x', model: 'opus' }, { label: 'claude.x', model: 'haiku' }, 'b.y'])
  return {
    ...plan,
    entries: plan.entries.map((entry) => ({ ...entry, modelHoldKey: entry.label === 'b.y' ? null : `${entry.label}/${entry.model}` })),
  }
}

function judged(plan: Plan, told: Failure, shape: Omit<ViewShape, 'plan'> = {}, end: Partial<JudgeView['end']> = {}) {
  const view = viewOf({ plan, now: NOW, spent: { 0: 1 }, ...shape })
  return judge({
    ...view,
    entry: 0,
    end: { mode: 'call', failure: told, finish: null, answered: false, committed: false, providerTools: false, ...end },
    verdict: { result: 'failed', failure: told },
    shortenable: false,
    random: () => 0,
  })
}

const limitFailure = (limit: QuotaLimit, more: Partial<Failure> = {}) => failure('rate_limited', 'call', 'limit', { limit, ...more })

describe('T6 a limit belongs to the engine that reported it', () => {
  it('T6 one of the account holds every model of it and goes past them', () => {
    const { next, walk, hold } = judged(cliPlan(), limitFailure(usage, { resetAt: NOW + HOUR }))
    expect({ next, hold }).toEqual({ next: 'select', hold: { key: 'claude.x', untilAt: NOW + HOUR, reason: 'limit' } })
    expect(walk.at).toBe(1)
  })

  it('T6 one of a model holds that model alone: the other one is a way out', () => {
    const alone = { ...cliPlan(), entries: cliPlan().entries.slice(0, 2) }
    const { next, hold } = judged(alone, limitFailure({ ...usage, binds: 'model' }, { resetAt: NOW + 1_000 }))
    expect({ next, hold }).toEqual({ next: 'select', hold: { key: 'claude.x/opus', untilAt: NOW + 1_000, reason: 'limit' } })
  })

  it('T6 an entry is passed while its model is held, and only it', () => {
    const select = (held: Record<string, number>) => chosen(viewOf({ plan: cliPlan(), now: NOW, held }), false)
    expect(select({ 'claude.x/opus': NOW + HOUR })).toMatchObject({ to: 'attempt', entry: 1 })
    expect(select({ 'claude.x': NOW + HOUR })).toMatchObject({ to: 'attempt', entry: 2 })
    expect(select({ 'claude.x': NOW + 1, 'claude.x/opus': NOW + 9, 'b.y': NOW + 5 })).toMatchObject({ to: 'wait', untilAt: NOW + 1 })
  })
})

describe('a used-up quota is not asked again before its reset', () => {
  const lone = { ...cliPlan(), entries: cliPlan().entries.slice(0, 1) }

  it('T5 without a reset the lone engine is held, not asked again after a backoff', () => {
    expect(judged(lone, limitFailure(usage))).toMatchObject({ next: 'select', hold: { untilAt: NOW + HOUR, reason: 'limit' } })
  })

  it('R16 a reset within maxInTurnWaitMs is waited for inside the turn', () => {
    expect(judged(lone, limitFailure(usage, { resetAt: NOW + 20_000 }))).toMatchObject({
      next: 'wait',
      waitMs: 20_000,
      why: 'retry_after',
      hold: null,
    })
  })

  it('a throttle is no limit: it cools down as any rate limit (R15)', () => {
    expect(judged(planOf(['claude.x', 'b.y']), failure('rate_limited', 'call', 'throttle'))).toMatchObject({
      hold: { untilAt: NOW + 10_000, reason: 'cooldown' },
    })
  })

  it('a stop of money advances for good and holds', () => {
    const told = failure('quota_exhausted', 'call', 'spend', { limit: spend })
    expect(judged(cliPlan(), told)).toMatchObject({ next: 'select', hold: { key: 'claude.x', untilAt: NOW + LIMIT_WAITS.spendMs } })
  })

  it('R17 a quota of an HTTP provider advances without a hold', () => {
    expect(judged(planOf(['a.x', 'b.y']), failure('quota_exhausted', 'call', 'quota'))).toMatchObject({ next: 'select', hold: null })
  })

  it('R28 a limit after a tool ran is recorded, and nothing is asked again', () => {
    const told = limitFailure(usage, { resetAt: NOW + HOUR })
    expect(judged(cliPlan(), told, {}, { providerTools: true })).toMatchObject({
      next: 'end',
      kind: 'provider_tools_without_final',
      hold: { key: 'claude.x', untilAt: NOW + HOUR },
    })
  })
})
