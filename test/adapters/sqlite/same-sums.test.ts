import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openSqliteLedger } from '../../../src/adapters/sqlite/read-sqlite-ledger.ts'
import { spentByCallerOnDay, spentOnDay } from '../../../src/runtime/earlier-spending.ts'
import type { Ledger } from '../../../src/runtime/ledger.ts'
import { jsonlLedger } from '../../../src/runtime/ledger-file.ts'
import { LEDGER_GROUPS, type LedgerQuery, type LedgerSum, LedgerSummary } from '../../../src/runtime/ledger-sum.ts'
import { type OpenedLedger, openLedger } from '../../../src/runtime/read-ledger.ts'
import { AT, anyBill, anyEnds, close, ledgerFile, row, ZONES } from '../../runtime/ledger-file/rig.ts'
import { billOf } from '../../tools/bills.ts'
import { absent, databaseFile, kept, raw } from './rig.ts'

const OUTCOMES = ['ok', 'incomplete', 'cancelled', 'empty', 'truncated', 'refusal', 'rate_limited', 'auth', 'network', 'unknown'] as const
const attempt = fc.record({
  turn: fc.constantFrom('t1', 't2', 't3', ' t"\'4\u0000\n'),
  profile: fc.constantFrom('a.x', 'b.y#2'),
  model: fc.constantFrom('m1', 'm2'),
  participant: fc.constantFrom('ana', 'bo', undefined),
  caller: fc.constantFrom('web', 'cron', undefined),
  startedAt: fc.integer({ min: AT - 3, max: AT + 3 }),
  end: fc.option(fc.record({ outcome: fc.constantFrom(...OUTCOMES), accepted: fc.boolean(), bill: anyBill, iterations: fc.nat({ max: 3 }) }), {
    nil: null,
  }),
})
type Attempt = typeof attempt extends fc.Arbitrary<infer Each> ? Each : never

function enter(ledger: Ledger, attempts: readonly Attempt[]): void {
  for (const [index, { end, participant, caller, ...known }] of attempts.entries()) {
    const basis = end === null ? 'unknown' : end.bill.costBasis
    const whose = { ...(participant === undefined ? {} : { participant }), ...(caller === undefined ? {} : { caller }) }
    const started = row({ ...known, ...whose, n: index + 1, costBasis: basis })
    ledger.append(started)
    if (end === null) continue
    const { bill, iterations, ...ending } = end
    const whole = { ...ending, ...bill, endedAt: started.startedAt + 5 }
    ledger.close(started.turn, started.n, { ...whole, iteration: iterations === 0 ? null : 1 })
    for (let iteration = 2; iteration <= iterations; iteration++) ledger.append({ ...started, ...whole, iteration })
  }
}

function sumOf({ lines }: OpenedLedger, query: LedgerQuery): LedgerSum {
  const summary = new LedgerSummary(query)
  for (const line of lines()) {
    if (line.kind !== 'attempt') throw new Error(line.problem)
    summary.add(line)
  }
  const { groups, ...rest } = summary.end()
  // Of groups of one cost either may stand first; an open attempt is in its place in the one and behind the others in the other.
  return { ...rest, groups: [...groups].sort((one, other) => String(one.key).localeCompare(String(other.key))) }
}

describe.skipIf(absent !== null)('R34 the same attempts, in lines and in a database', () => {
  it('come to the same figures, however they are grouped and since when; the view says the same of each turn', () => {
    const [lines, path] = [ledgerFile(), databaseFile()]
    const database = kept(path)
    fc.assert(
      fc.property(fc.array(attempt, { minLength: 1, maxLength: 25 }), (attempts) => {
        for (const file of [lines, path, `${path}-wal`, `${path}-shm`]) rmSync(file, { force: true })
        for (const ledger of [jsonlLedger(lines), database]) enter(ledger, attempts)
        for (const by of LEDGER_GROUPS) {
          for (const query of [{ by }, by === 'turn' ? { by, caller: 'web' } : { by, since: AT }]) {
            expect(sumOf(openSqliteLedger(path), query)).toEqual(sumOf(openLedger(lines), query))
          }
        }
        expect(viewOf(path)).toEqual(sumOf(openLedger(lines), { by: 'turn' }).groups)
      }),
      { numRuns: 30 },
    )
  })

  it('come to the same that was spent on a day', () => {
    fc.assert(
      fc.property(anyEnds, fc.constantFrom(...ZONES), fc.nat({ max: 50 * 3_600_000 }), (ends, zone, later) => {
        const [lines, path] = [ledgerFile(), databaseFile()]
        for (const ledger of [jsonlLedger(lines), kept(path)]) {
          ledger.append(row({ n: 99 }))
          for (const [index, { endedAt, cost }] of ends.entries())
            ledger.append(row({ ...close, n: index + 1, endedAt, caller: `c${index % 2}`, ...billOf(null, cost) }))
        }
        expect(spentOnDay(openSqliteLedger(path), AT + later, zone)).toEqual(spentOnDay(openLedger(lines), AT + later, zone))
        const ofCallers = spentByCallerOnDay(openSqliteLedger(path), AT + later, zone)
        expect(ofCallers).toEqual(spentByCallerOnDay(openLedger(lines), AT + later, zone))
      }),
      { numRuns: 20 },
    )
  })
})

/** The view by names of turns: it has a row for each participant and caller that asked in that name. */
function viewOf(path: string): object[] {
  const counts = ['attempts', 'accepted', 'open', 'input', 'cached_input', 'output', 'unknown_cost', 'subscription']
  const sums = [...counts, 'cost_pico_usd', 'reported_pico_usd'].map((name) => `sum(${name})`)
  const rows = raw(path)
    .prepare<[], [string, ...(bigint | null)[]]>(`SELECT turn, ${sums.join(', ')} FROM turn_cost GROUP BY turn`)
    .raw()
    .safeIntegers()
    .all()
  const groups = rows.map(([key, ...figures]) => {
    const [attempts, accepted, open, input, cachedInput, output, unknownCost, subscription] = figures.map((figure) =>
      figure == null ? null : Number(figure),
    )
    const [costPicoUsd, reportedPicoUsd] = figures.slice(counts.length)
    return { key, attempts, accepted, open, input, cachedInput, output, unknownCost, subscription, costPicoUsd, reportedPicoUsd }
  })
  return groups.sort((one, other) => one.key.localeCompare(other.key))
}
