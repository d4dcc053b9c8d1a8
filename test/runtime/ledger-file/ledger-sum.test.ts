import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LedgerRow, UNKNOWN_BILL } from '../../../src/model/usage.ts'
import type { LedgerEntry } from '../../../src/runtime/ledger-line.ts'
import { LedgerSummary } from '../../../src/runtime/ledger-sum.ts'
import { AT, close, row } from './rig.ts'

let made = 0
function entry(event: LedgerEntry['event'], more: Partial<LedgerRow> = {}, costPicoUsd: bigint | null = null, attempt = `p-${++made}`): LedgerEntry {
  return { event, attempt, costPicoUsd, row: row(event === 'attempt.ended' ? { ...close, ...more } : more) }
}

function sumOf(entries: readonly LedgerEntry[], ...options: ConstructorParameters<typeof LedgerSummary>) {
  const summary = new LedgerSummary(...options)
  for (const each of entries) summary.add(each)
  return summary.end()
}

describe('R34 what a ledger comes to', () => {
  it('an attempt counts once, one that never ended as open, one whose start is missing as any other', () => {
    const both = [entry('attempt.started', {}, null, 'both'), entry('attempt.ended', {}, 5n, 'both')]
    const { total } = sumOf([...both, entry('attempt.started'), entry('attempt.ended', {}, 7n)], { by: 'profile' })
    expect(total).toMatchObject({ attempts: 3, accepted: 2, open: 1, costPicoUsd: 12n, unknownCost: 1 })
  })

  it('what nobody told is null and not 0, and a cost that may be is counted as unknown', () => {
    const failed = entry('attempt.ended', { outcome: 'rate_limited', accepted: false, usage: null })
    expect(sumOf([failed], { by: 'profile' }).total).toMatchObject({ input: null, output: null, costPicoUsd: null, unknownCost: 0 })
    const cut = entry('attempt.ended', { outcome: 'cancelled', accepted: false, usage: null })
    expect(sumOf([cut], { by: 'profile' }).total).toMatchObject({ costPicoUsd: null, unknownCost: 1 })
    const untold = entry('attempt.ended', { usage: null })
    const unpriced = entry('attempt.ended', { usage: { input: 0 }, accepted: false, outcome: 'empty' })
    expect(sumOf([untold, unpriced], { by: 'profile' }).total).toMatchObject({ input: 0, output: null, costPicoUsd: null, unknownCost: 2 })
    expect(sumOf([entry('attempt.ended', {}, 0n)], { by: 'profile' }).total).toMatchObject({ costPicoUsd: 0n, unknownCost: 0 })
  })

  it('groups by what is asked: by cost, turns as the file has them, no participant under null', () => {
    const rows = [
      entry('attempt.ended', { turn: 't1', model: 'm1' }, 1n),
      entry('attempt.ended', { turn: 't2', model: 'm2', participant: 'ana' }, 3n),
      entry('attempt.ended', { turn: 't1', model: 'm3' }),
    ]
    const keys = (by: 'model' | 'turn' | 'participant') => sumOf(rows, { by }).groups.map(({ key, attempts }) => [key, attempts])
    expect(keys('model')).toEqual([
      ['m2', 1],
      ['m1', 1],
      ['m3', 1],
    ])
    expect(keys('turn')).toEqual([
      ['t1', 2],
      ['t2', 1],
    ])
    expect(keys('participant')).toEqual([
      ['ana', 1],
      [null, 2],
    ])
  })

  it('an attempt on a plan has neither a cost nor one that is unknown, also while it runs; what its program reports is summed apart', () => {
    const plan = { ...UNKNOWN_BILL, costBasis: 'subscription', usage: { input: 3, output: 1 } } as const
    const entries = [
      entry('attempt.ended', { ...plan, reportedPicoUsd: 2 ** 60 }),
      entry('attempt.ended', { ...plan, reportedPicoUsd: 1 }),
      entry('attempt.ended', { ...plan, outcome: 'timeout', accepted: false, usage: null }),
      entry('attempt.started', { costBasis: 'subscription' }),
    ]
    const own = { subscription: 4, reportedPicoUsd: 2n ** 60n + 1n }
    expect(sumOf(entries, { by: 'profile' }).total).toMatchObject({ attempts: 4, open: 1, costPicoUsd: null, unknownCost: 0, ...own })
    const metered = entry('attempt.ended', {}, 5n)
    expect(sumOf([...entries, metered], { by: 'profile' }).total).toMatchObject({ costPicoUsd: 5n, unknownCost: 0, ...own })
    expect(sumOf([metered], { by: 'profile' }).total).toMatchObject({ subscription: 0, reportedPicoUsd: null })
  })

  it('R34 each of several models inside one attempt counts as one, as each was billed', () => {
    const entries = [1, 2].map((iteration) => entry('attempt.ended', { iteration, accepted: iteration === 2 }, 5n))
    expect(sumOf(entries, { by: 'turn' }).groups).toMatchObject([{ key: 't1', attempts: 2, accepted: 1, costPicoUsd: 10n }])
  })

  it('by day: in order of time, the day on which an attempt ended, or began while it runs, in UTC or the zone that is asked for', () => {
    const at = (iso: string) => entry('attempt.ended', { startedAt: Date.parse(iso) - 86_400_000, endedAt: Date.parse(iso) }, 1n)
    // The second is of the day after in Madrid; its clocks go forward on the 29th.
    const running = entry('attempt.started', { startedAt: Date.parse('2026-03-29T22:30Z') })
    const entries = [...['2026-03-29T10:00Z', '2026-03-28T23:30Z', '2026-03-28T22:30Z'].map(at), running]
    const days = (zone?: string) => sumOf(entries, { by: 'day', zone }).groups.map(({ key, attempts }) => [key, attempts])
    expect(days()).toEqual([
      ['2026-03-28', 2],
      ['2026-03-29', 2],
    ])
    expect(days('Europe/Madrid')).toEqual([
      ['2026-03-28', 1],
      ['2026-03-29', 2],
      ['2026-03-30', 1],
    ])
    expect(() => sumOf([], { by: 'day', zone: 'Europe/Nowhere' })).toThrow(RangeError)
  })

  it('since: the instant itself counts, what started before it does not, nor does its end', () => {
    const early = [entry('attempt.started', { startedAt: AT - 1 }, null, 'early'), entry('attempt.ended', { startedAt: AT - 1 }, 1n, 'early')]
    expect(sumOf([...early, entry('attempt.ended', {}, 2n)], { by: 'turn', since: AT }).total).toMatchObject({ attempts: 1, costPicoUsd: 2n })
  })

  it('an open attempt of a turn that was left out is only in the total, too: it neither shows a part of its turn nor takes the place of a newer one', () => {
    const older = [entry('attempt.ended', { turn: 'a' }, 5n), entry('attempt.started', { turn: 'a' })]
    const newer = ['b', 'c', 'd'].map((turn) => entry('attempt.ended', { turn }, 1n))
    const { groups, total, leftOut } = sumOf([...older, ...newer], { by: 'turn' }, { groups: 3 })
    expect(groups.map(({ key, attempts }) => [key, attempts])).toEqual([
      ['b', 1],
      ['c', 1],
      ['d', 1],
    ])
    expect([total.attempts, total.open, leftOut]).toEqual([5, 1, 1])
  })

  it('holds a bounded number of groups and of open attempts, and loses none of either from the total', () => {
    const step = fc.record({ event: fc.constantFrom('attempt.started' as const, 'attempt.ended' as const), turn: fc.constantFrom(...'abcdefgh') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const entries = steps.map(({ event, turn }) => entry(event, { turn }, event === 'attempt.ended' ? 2n ** 60n : null))
        const { groups, total, leftOut } = sumOf(entries, { by: 'turn' }, { groups: 3, open: 2 })
        const ended = steps.filter(({ event }) => event === 'attempt.ended').length
        expect(groups.length).toBeLessThanOrEqual(3)
        expect(total).toMatchObject({ attempts: steps.length, open: steps.length - ended })
        expect(total.costPicoUsd ?? 0n).toBe(BigInt(ended) * 2n ** 60n)
        const shown = groups.reduce((sum, { attempts }) => sum + attempts, 0)
        expect(leftOut > 0).toBe(shown < steps.length)
      }),
    )
  })
})
