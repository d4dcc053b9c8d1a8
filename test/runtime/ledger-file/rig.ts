import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { onTestFinished } from 'vitest'
import { type Bill, COST_BASES, type LedgerRow, UNKNOWN_BILL, usdOf } from '../../../src/model/usage.ts'
import type { RowClose } from '../../../src/runtime/ledger.ts'
import { type LedgerLine, openLedger, readLedger } from '../../../src/runtime/read-ledger.ts'
import { billOf } from '../../tools/bills.ts'

export const AT = Date.UTC(2026, 2, 1, 12)

export const row = (more: Partial<LedgerRow> = {}): LedgerRow => ({
  turn: 't1',
  n: 1,
  iteration: null,
  requested: { profile: 'a.x', model: 'm1' },
  profile: 'b.y',
  model: 'm2',
  mode: 'call',
  startedAt: AT,
  endedAt: null,
  outcome: null,
  accepted: false,
  ...UNKNOWN_BILL,
  ...more,
})

export const close: RowClose = { endedAt: AT + 9, outcome: 'ok', accepted: true, iteration: null, ...billOf({ input: 3, output: 2 }, 0.000_012_5) }

const count = fc.option(fc.nat(), { nil: undefined })
const pico = fc.option(fc.maxSafeNat(), { nil: null })
const text = fc.string({ unit: 'binary' })

/** Whatever an attempt may be billed. */
export const anyBill: fc.Arbitrary<Bill> = fc
  .record({
    usage: fc.option(
      fc.record({ input: count, output: count, cachedInput: count }).map((counts) => JSON.parse(JSON.stringify(counts))),
      { nil: null },
    ),
    costPicoUsd: pico,
    costBasis: fc.constantFrom(...COST_BASES),
    price: fc.option(fc.record({ source: text, version: fc.option(text, { nil: null }), model: text }), { nil: null }),
    reportedPicoUsd: pico,
  })
  .map((bill) => ({ ...bill, cost: usdOf(bill.costPicoUsd) }))

/** From eleven hours behind UTC to fourteen before it. */
export const ZONES = ['UTC', 'Europe/Madrid', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Kathmandu', 'Africa/Casablanca'] as const

/** Attempts that ended within some days. */
export const anyEnds = fc.array(
  fc.record({
    endedAt: fc.integer({ min: AT - 60 * 3_600_000, max: AT + 110 * 3_600_000 }),
    cost: fc.option(
      fc.nat().map((pico) => pico / 1e12),
      { nil: null },
    ),
  }),
  { maxLength: 12 },
)

/** What no engine, price book or clock should say and each may. */
export const HOSTILE: readonly (readonly [string, unknown])[] = [
  ...[Number.NaN, Number.POSITIVE_INFINITY, -1, 0.5, 1e300, 2 ** 63],
  ...['5', undefined, true, {}, [], 5n, Symbol('five'), () => 5, new Date(Number.NaN)],
].map((value) => [inspect(value), value])

/** A bill in which nothing is what it should be, nor the number of its model. */
export const hostileBill = (value: unknown, usage: unknown): Bill & Pick<LedgerRow, 'iteration'> => {
  const price = { source: [value], version: value, model: 'm1' }
  const money = { costPicoUsd: value, cost: value, reportedPicoUsd: value }
  return { usage, iteration: value, costBasis: value, price, ...money } as unknown as ReturnType<typeof hostileBill>
}

/** A folder of the test's own, gone with it. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'relevo-ledger-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const ledgerFile = () => join(folder(), 'ledger.jsonl')

export const linesIn = (path: string): LedgerLine[] => [...openLedger(path).lines()]

export function linesOf(bytes: Buffer): LedgerLine[] {
  return [...readLedger((into, from) => bytes.copy(into, 0, from))]
}

/** Rows that are told in this file, by their end where they have one. */
export function rowsIn(path: string): LedgerRow[] {
  const rows = new Map<string, LedgerRow>()
  for (const line of linesIn(path)) {
    if (line.kind !== 'attempt') throw new Error(`line ${line.line}: ${line.problem}`)
    rows.set(line.attempt, line.row)
  }
  return [...rows.values()]
}
