import type { AttemptResult, LedgerRow, Usage } from '../model/usage.ts'
import { isZone } from '../model/zone.ts'
import { dayOf } from '../policy/budget.ts'
import type { LedgerEntry } from './ledger-line.ts'

/**
 * What the attempts of a ledger come to, by group and in all.
 *
 * 1. An attempt counts once, by what its end says; one that never ended counts as open.
 * 2. A count that nobody told is null, and so is a cost; neither is ever 0 for that (R34).
 * 3. An attempt on the plan of a coding-agent CLI has no cost, which is not a cost that is unknown. What such a program says that it would have
 *    cost is summed apart, as nobody pays it.
 * 4. Memory is bounded, however long the ledger: of too many groups the oldest are only in the total, and of too many open attempts the
 *    oldest are counted as such at once.
 */
export const LEDGER_GROUPS = ['profile', 'model', 'turn', 'participant', 'caller', 'day'] as const
export type LedgerGroup = (typeof LEDGER_GROUPS)[number]

export interface LedgerTotals {
  readonly attempts: number
  /** Attempts whose answer was taken. */
  readonly accepted: number
  /** Attempts that started and have not ended: they run, or were lost with their process. */
  readonly open: number
  readonly input: number | null
  readonly cachedInput: number | null
  readonly output: number | null
  /** The sum of the costs that are known; null when none is. */
  readonly costPicoUsd: bigint | null
  /** Attempts that may have cost something which is not known. */
  readonly unknownCost: number
  /** Attempts on the plan of a coding-agent CLI, which owe nothing each. */
  readonly subscription: number
  /** What these programs say that they would have cost; null when none said it. In no cost. */
  readonly reportedPicoUsd: bigint | null
}

export interface LedgerSum {
  /** By cost, the highest first; turns and days in order of time. The key is null where the rows have none. */
  readonly groups: readonly (LedgerTotals & { readonly key: string | null })[]
  readonly total: LedgerTotals
  /** Groups that are only in the total. */
  readonly leftOut: number
}

export interface LedgerQuery {
  readonly by: LedgerGroup
  /** Instant; attempts that started before it do not count. */
  readonly since?: number | undefined
  /** Only what was asked for by this caller counts. */
  readonly caller?: string | undefined
  /** Time zone of the days, such as `Europe/Madrid`; UTC when left out. An attempt is of the day on which it ended, as for budgets, or began while it runs. */
  readonly zone?: string | undefined
}

const MOST_GROUPS = 10_000
const MOST_OPEN = 100_000
const NONE: LedgerTotals = {
  attempts: 0,
  accepted: 0,
  open: 0,
  input: null,
  cachedInput: null,
  output: null,
  costPicoUsd: null,
  unknownCost: 0,
  subscription: 0,
  reportedPicoUsd: null,
}

/** Sums the entries of a ledger, as `relevo ledger` prints them: hand it each entry with `add`. What it keeps is bounded. */
export class LedgerSummary {
  readonly #by: LedgerGroup
  readonly #since: number
  readonly #caller: string | undefined
  readonly #zone: string
  readonly #mostGroups: number
  readonly #mostOpen: number
  readonly #groups = new Map<string | null, LedgerTotals>()
  readonly #open = new Map<string, LedgerEntry>()
  #total = NONE
  #leftOut = 0

  /** Throws a RangeError for a time zone that is not known here. */
  constructor({ by, since = Number.NEGATIVE_INFINITY, caller, zone = 'UTC' }: LedgerQuery, { groups = MOST_GROUPS, open = MOST_OPEN } = {}) {
    if (!isZone(zone)) throw new RangeError(`\`${zone}\` is no time zone that is known here`)
    this.#by = by
    this.#since = since
    this.#caller = caller
    this.#zone = zone
    this.#mostGroups = groups
    this.#mostOpen = open
  }

  add(entry: LedgerEntry): void {
    if (entry.row.startedAt < this.#since || (this.#caller !== undefined && entry.row.caller !== this.#caller)) return
    if (entry.event === 'attempt.ended') {
      this.#open.delete(entry.attempt)
      return this.#count(entry)
    }
    this.#open.set(entry.attempt, entry)
    if (this.#open.size <= this.#mostOpen) return
    const [oldest, its] = this.#open.entries().next().value as [string, LedgerEntry]
    this.#open.delete(oldest)
    this.#count(its)
  }

  /** Once, when every entry was added. */
  end(): LedgerSum {
    for (const entry of this.#open.values()) this.#count(entry)
    this.#open.clear()
    const groups = [...this.#groups].map(([key, totals]) => ({ key, ...totals }))
    if (this.#by === 'day') groups.sort(byDay)
    else if (this.#by !== 'turn') groups.sort((left, right) => compared(right.costPicoUsd, left.costPicoUsd) || right.attempts - left.attempts)
    return { groups, total: this.#total, leftOut: this.#leftOut }
  }

  #count(entry: LedgerEntry): void {
    const { row } = entry
    const key = this.#by === 'day' ? dayOf(row.endedAt ?? row.startedAt, this.#zone) : (row[this.#by] ?? null)
    this.#total = added(this.#total, entry)
    // It is counted later than it began: nobody knows any more whether its group is one that was left out.
    if (this.#leftOut > 0 && entry.event === 'attempt.started' && !this.#groups.has(key)) return
    this.#groups.set(key, added(this.#groups.get(key) ?? NONE, entry))
    if (this.#groups.size <= this.#mostGroups) return
    this.#groups.delete(this.#groups.keys().next().value as string | null)
    this.#leftOut++
  }
}

function added(totals: LedgerTotals, { row, costPicoUsd }: LedgerEntry): LedgerTotals {
  return {
    attempts: totals.attempts + 1,
    accepted: totals.accepted + (row.accepted ? 1 : 0),
    open: totals.open + (row.endedAt === null ? 1 : 0),
    input: sum(totals.input, row.usage, 'input'),
    cachedInput: sum(totals.cachedInput, row.usage, 'cachedInput'),
    output: sum(totals.output, row.usage, 'output'),
    costPicoUsd: sumMoney(totals.costPicoUsd, costPicoUsd),
    unknownCost: totals.unknownCost + (costPicoUsd === null && mayHaveCost(row) ? 1 : 0),
    subscription: totals.subscription + (row.costBasis === 'subscription' ? 1 : 0),
    reportedPicoUsd: sumMoney(totals.reportedPicoUsd, row.reportedPicoUsd === null ? null : BigInt(row.reportedPicoUsd)),
  }
}

function sum(before: number | null, usage: Usage | null, count: keyof Usage): number | null {
  const more = usage?.[count]
  return more === undefined ? before : (before ?? 0) + more
}

function sumMoney(before: bigint | null, more: bigint | null): bigint | null {
  return more === null ? before : (before ?? 0n) + more
}

/** Ends of attempts that had an answer, if a broken one: providers bill those, whether they told the tokens or not. */
export const ANSWERED: ReadonlySet<string> = new Set<AttemptResult>(['ok', 'incomplete', 'cancelled', 'empty', 'truncated', 'refusal'])

/** A call that failed without tokens is taken to be billed by nobody; one that never came back may be. */
function mayHaveCost({ costBasis, usage, outcome }: LedgerRow): boolean {
  return costBasis !== 'subscription' && (usage !== null || outcome === null || ANSWERED.has(outcome))
}

function byDay(left: { readonly key: string | null }, right: { readonly key: string | null }): number {
  return String(left.key) < String(right.key) ? -1 : 1
}

function compared(left: bigint | null, right: bigint | null): number {
  const [one, other] = [left ?? -1n, right ?? -1n]
  return one < other ? -1 : one > other ? 1 : 0
}
