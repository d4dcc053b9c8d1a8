import { COST_BASES, type LedgerRow, type PriceSource, usdOf } from '../model/usage.ts'
import { isCount, toldUsage } from './told-usage.ts'

/**
 * A row as a file can keep it. Engine, price book and clock may be a host's own, and say what is no count, no money and no instant.
 *
 * 1. What cannot be kept is unknown in the file, and the row is in it all the same.
 * 2. No other value is put in its place, but for an instant: a row without one is none.
 * 3. Of an attempt that runs only how it is billed is known.
 */
export function keptRow(row: LedgerRow): LedgerRow {
  const { endedAt } = row
  const costBasis = COST_BASES.includes(row.costBasis) ? row.costBasis : 'unknown'
  const iteration = isCount(row.iteration) ? row.iteration : null
  const begun = { ...row, iteration, costBasis, price: keptPrice(row.price), startedAt: keptInstant(row.startedAt) }
  if (endedAt === null) return { ...begun, ...NOT_YET }
  const costPicoUsd = keptMoney(row.costPicoUsd)
  return {
    ...begun,
    endedAt: keptInstant(endedAt),
    usage: typeof row.usage === 'object' && row.usage !== null ? toldUsage(row.usage) : null,
    costPicoUsd,
    cost: usdOf(costPicoUsd),
    reportedPicoUsd: keptMoney(row.reportedPicoUsd),
  }
}

const NOT_YET = { usage: null, costPicoUsd: null, cost: null, reportedPicoUsd: null } as const

/** The years that are written with four digits. */
const FIRST_INSTANT = -62_167_219_200_000
const LAST_INSTANT = 253_402_300_799_999

/** An instant as ledgers keep it: whole, and one that ISO 8601 can name, of a clock that is broken, too. */
export function keptInstant(at: number): number {
  return Number.isFinite(at) ? Math.min(Math.max(Math.trunc(at), FIRST_INSTANT), LAST_INSTANT) : 0
}

/** Past nine million dollars a whole number of 64 bits cannot say it, and another amount in its place would be wrong. */
const PAST_MONEY = 2 ** 63

function keptMoney(pico: number | null): number | null {
  return Number.isInteger(pico) && (pico as number) >= 0 && (pico as number) < PAST_MONEY ? pico : null
}

function keptPrice(price: PriceSource | null): PriceSource | null {
  if (typeof price?.source !== 'string' || typeof price.model !== 'string') return null
  return { source: price.source, version: typeof price.version === 'string' ? price.version : null, model: price.model }
}
