import type { Budgets } from '../model/settings.ts'
import { PICO_PER_USD } from '../model/usage.ts'

/**
 * Which entries may be asked while money is bounded.
 *
 * 1. Asked before every attempt and not once: each may have used a budget up.
 * 2. What was spent is compared with what may be: an attempt that begins below a bound may end above it, and is the last.
 * 3. A budget bars what is paid by the call. A program on its plan and a model on this machine owe nothing, and stay.
 */

/** How an entry is paid for. `unpriced`: by the call, at a price that nobody knows. */
export type Billing = 'free' | 'priced' | 'unpriced'

/** Fixed when the turn starts (R12). */
export interface MoneyRules {
  readonly budgets: Budgets
  /** By position in the plan. */
  readonly billing: readonly Billing[]
}

/** What has been spent, in pico-USD; costs that are not known are in none of it. */
export interface Spent {
  readonly turn: number
  readonly run: number
  readonly day: number
  /** Of the day, by profile. */
  readonly profiles: ReadonlyMap<string, number>
}

/** Whether a budget bars the entry at `index`, of this profile. */
export function isOverBudget(money: MoneyRules, spent: Spent, index: number, profile: string): boolean {
  return barriers(money, spent, index, profile).length > 0
}

/** When the entry is barred no more: with the next day, or null when no day brings it back, or it is not barred. */
export function liftsAt(money: MoneyRules, spent: Spent, index: number, profile: string, now: number): number | null {
  const found = barriers(money, spent, index, profile)
  return found.length > 0 && found.every(({ isDaily }) => isDaily) ? nextDay(now, money.budgets.zone) : null
}

interface Bound {
  readonly picoUsd: number
  readonly used: number
  readonly isDaily: boolean
}

/** Whether an entry is barred because nobody knows its price, whatever was spent: it is over every bound that it has, unless it is not counted. */
export function isBarredUnpriced(money: MoneyRules, index: number, profile: string): boolean {
  return isOverAll(money, index) && boundsOf(money, NOTHING_SPENT, profile).length > 0
}

const NOTHING_SPENT: Spent = { turn: 0, run: 0, day: 0, profiles: new Map() }

function isOverAll({ budgets, billing }: MoneyRules, index: number): boolean {
  return billing[index] === 'unpriced' && budgets.unknownPrice === 'exceeds'
}

/** The bounds that bar an entry now. */
function barriers(money: MoneyRules, spent: Spent, index: number, profile: string): readonly Bound[] {
  if (money.billing[index] === 'free') return []
  const bounds = boundsOf(money, spent, profile)
  // No day brings an entry back whose price nobody knows.
  return isOverAll(money, index) ? bounds.map((bound) => ({ ...bound, isDaily: false })) : bounds.filter(({ picoUsd, used }) => used >= picoUsd)
}

/** The bounds that there are for an entry of this profile. */
function boundsOf({ budgets }: MoneyRules, spent: Spent, profile: string): readonly Bound[] {
  const { perTurn, perRun, perDay, perProfile } = budgets
  const bounds = [
    { usd: perTurn, used: spent.turn, isDaily: false },
    { usd: perRun, used: spent.run, isDaily: false },
    { usd: perDay, used: spent.day, isDaily: true },
    { usd: perProfile.own.get(profile) ?? perProfile.each, used: spent.profiles.get(profile) ?? 0, isDaily: true },
  ]
  // In whole pico-USD, as what was spent: 0.034 times a trillion is a little more than it should be.
  return bounds.flatMap(({ usd, ...rest }) => (usd === null ? [] : [{ ...rest, picoUsd: Math.round(usd * PICO_PER_USD) }]))
}

/** The day of an instant in a zone, such as `2026-03-01`. */
export function dayOf(at: number, zone: string): string {
  // The years that ISO 8601 writes with four digits, of a clock that is broken, too.
  const instant = Number.isFinite(at) ? Math.min(Math.max(at, -62_135_596_800_000), 253_402_300_799_999) : 0
  if (zone === 'UTC') return new Date(instant).toISOString().slice(0, 10)
  return formatIn(zone).format(instant)
}

const HOUR_MS = 3_600_000

/** The first instant of the day after that of `at`. No day of a zone is longer than 26 hours. */
export function nextDay(at: number, zone: string): number {
  const today = dayOf(at, zone)
  let [within, beyond] = [at, at + 26 * HOUR_MS]
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2)
    if (dayOf(middle, zone) === today) within = middle
    else beyond = middle
  }
  return beyond
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one takes longer than the attempt's whole bookkeeping. */
function formatIn(zone: string): Intl.DateTimeFormat {
  const present = formats.get(zone)
  if (present !== undefined) return present
  const made = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
  formats.set(zone, made)
  return made
}
