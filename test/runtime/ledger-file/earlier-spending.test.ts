import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LedgerRow } from '../../../src/model/usage.ts'
import { dayOf } from '../../../src/policy/budget.ts'
import { spentByCallerOnDay, spentOnDay } from '../../../src/runtime/earlier-spending.ts'
import { jsonlLedger } from '../../../src/runtime/ledger-file.ts'
import { openLedger } from '../../../src/runtime/read-ledger.ts'
import { KernelSpending } from '../../../src/runtime/spending.ts'
import { billOf } from '../../tools/bills.ts'
import { AT, anyEnds, close, ledgerFile, linesIn, row, ZONES } from './rig.ts'

const refuse = (error: Error): never => {
  throw error
}

function fileOf(rows: readonly Partial<LedgerRow>[]): string {
  const path = ledgerFile()
  writeFileSync(path, '', { mode: 0o600 })
  const ledger = jsonlLedger(path, { onError: refuse })
  for (const [index, more] of rows.entries()) ledger.append(row({ ...close, n: index + 1, ...more }))
  return path
}

const spent = (path: string, now: number, zone?: string) => spentOnDay(openLedger(path), now, zone)

describe('R34 what earlier processes spent on a day', () => {
  it('is the sum of what ended on it, by profile, whichever of its credentials was used', () => {
    const path = fileOf([
      { profile: 'a.x#1', ...billOf(null, 1) },
      { profile: 'a.x#12', ...billOf(null, 2) },
      { profile: 'b.y', ...billOf(null, 4) },
      { profile: 'c.z', ...billOf({ input: 1 }, null) },
      { profile: 'c.z', costBasis: 'subscription', costPicoUsd: null, reportedPicoUsd: 5 },
      { profile: 'c.z', ...billOf(null, 8), endedAt: null },
    ])
    const costs = spent(path, AT).map(({ profile, costPicoUsd }) => [profile, costPicoUsd])
    expect(costs).toEqual([
      ['a.x', 3e12],
      ['b.y', 4e12],
    ])
  })

  it('GW-06 is known by caller, of whatever profile, and what nobody was named for is in none', () => {
    const path = fileOf([
      { caller: 'web', profile: 'a.x#1', ...billOf(null, 1) },
      { caller: 'cron', ...billOf(null, 2) },
      { caller: 'web', turn: 't2', ...billOf(null, 4) },
      { caller: 'web', ...billOf({ input: 1 }, null) },
      { caller: 'web', ...billOf(null, 8), endedAt: AT - 48 * 3_600_000 },
      { caller: 'late', ...billOf(null, 8), endedAt: null },
      { ...billOf(null, 16) },
    ])
    expect(spentByCallerOnDay(openLedger(path), AT)).toEqual(
      new Map([
        ['web', 5e12],
        ['cron', 2e12],
      ]),
    )
  })

  it('counts an attempt that went over midnight to the day of its end, as the process did that made it', () => {
    const [start, end] = [Date.parse('2026-03-01T23:59:59.000Z'), Date.parse('2026-03-02T00:00:01.000Z')]
    const path = fileOf([{ startedAt: start, endedAt: end, ...billOf(null, 1) }])
    expect([spent(path, start), spent(path, end)]).toEqual([[], [{ profile: 'b.y', at: end, costPicoUsd: 1e12 }]])
  })

  it('is of the day in the zone of the budgets, however far that is from UTC, and of no other line of the file', () => {
    fc.assert(
      fc.property(anyEnds, fc.constantFrom(...ZONES), fc.nat({ max: 50 * 3_600_000 }), (ends, zone, later) => {
        const path = fileOf(ends.map(({ endedAt, cost }) => ({ endedAt, ...billOf(null, cost) })))
        const now = AT + later
        let sum = 0
        for (const line of linesIn(path)) {
          if (line.kind === 'attempt' && dayOf(line.row.endedAt ?? 0, zone) === dayOf(now, zone)) sum += line.row.costPicoUsd ?? 0
        }
        expect(spent(path, now, zone).reduce((total, { costPicoUsd }) => total + costPicoUsd, 0)).toBe(sum)
      }),
      { numRuns: 60 },
    )
  })

  it('is of all of a day on which clocks go back', () => {
    const path = fileOf(
      ['2026-10-24T21:59:59Z', '2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z', '2026-10-25T23:00:00Z'].map((at) => ({
        endedAt: Date.parse(at),
        ...billOf(null, 1),
      })),
    )
    for (const now of ['2026-10-24T22:00:00Z', '2026-10-25T22:59:59Z']) {
      expect(spent(path, Date.parse(now), 'Europe/Madrid')).toMatchObject([{ costPicoUsd: 2e12 }])
    }
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1e20, 1e20])('a clock that says %d is asked as well, and comes to an end', (now) => {
    expect(spent(fileOf([{}]), now)).toEqual([])
  })

  it('lines that are no attempts count nothing; a ledger that cannot be read is told', () => {
    const path = fileOf([billOf(null, 1)])
    writeFileSync(path, '{"v":1,"endedAt":"2026-03-01T12:00:00.000Z"}\n2026-03-01\n', { flag: 'a' })
    expect(spent(path, AT)).toMatchObject([{ costPicoUsd: 1e12 }])
    expect(() => spent(`${path}.gone`, AT)).toThrow(expect.objectContaining({ code: 'ledger_no_file' }))
  })

  it('a kernel begins its day with it, and its run with nothing', () => {
    const path = fileOf([{ profile: 'b.y#2', ...billOf(null, 1) }])
    const { day, run, profiles } = new KernelSpending(() => 'UTC', spent(path, AT)).spent(0, AT)
    expect([day, run, [...profiles]]).toEqual([1e12, 0, [['b.y', 1e12]]])
  })
})
