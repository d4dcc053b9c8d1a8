import type { LedgerRow } from '../model/usage.ts'
import { dayOf } from '../policy/budget.ts'
import type { OpenedLedger } from './read-ledger.ts'
import type { EarlierSpending } from './spending.ts'

/**
 * What a ledger says was spent on the day of `now`, for the port `earlier` of a kernel: budgets of a day and of a profile then hold across
 * processes. One entry a profile. `zone` is that of the budgets; UTC when left out.
 *
 * 1. An attempt is of the day on which it ended, as in the process that made it: it is paid for when it ends.
 * 2. A cost that is not known is in no sum, and neither is what runs on a plan.
 * 3. Throws a LedgerError where the ledger cannot be read, and then nothing of it counts.
 */
export function spentOnDay(ledger: OpenedLedger, now: number, zone = 'UTC'): EarlierSpending[] {
  const sums = sumsOnDay(ledger, now, zone, ({ profile }) => profile.replace(CREDENTIAL, ''))
  return [...sums].map(([profile, cost]) => ({ profile, at: now, costPicoUsd: Number(cost) }))
}

/** The same by caller, in whole pico-USD; what nobody was named for is in none. */
export function spentByCallerOnDay(ledger: OpenedLedger, now: number, zone = 'UTC'): Map<string, number> {
  return new Map([...sumsOnDay(ledger, now, zone, ({ caller }) => caller)].map(([caller, cost]) => [caller, Number(cost)]))
}

function sumsOnDay(ledger: OpenedLedger, now: number, zone: string, keyOf: (row: LedgerRow) => string | undefined): Map<string, bigint> {
  const day = dayOf(now, zone)
  const sums = new Map<string, bigint>()
  for (const line of ledger.lines({ from: now - LONGEST_DAY_MS, to: now + LONGEST_DAY_MS })) {
    if (line.kind !== 'attempt' || line.costPicoUsd === null) continue
    const { endedAt } = line.row
    const key = keyOf(line.row)
    if (key === undefined || endedAt === null || dayOf(endedAt, zone) !== day) continue
    sums.set(key, (sums.get(key) ?? 0n) + line.costPicoUsd)
  }
  return sums
}

/** Of a day on which clocks go back, with some to spare. */
const LONGEST_DAY_MS = 26 * 3_600_000

/** A budget is of a profile, whichever of its credentials was used. */
const CREDENTIAL = /#\d+$/
