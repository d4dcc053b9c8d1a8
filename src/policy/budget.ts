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
export function isOverBudget({ budgets, billing }: MoneyRules, spent: Spent, index: number, profile: string): boolean {
  const how = billing[index]
  if (how === 'free') return false
  const ownUsd = budgets.perProfile.own.get(profile) ?? budgets.perProfile.each
  const bounds: readonly (readonly [number | null, number])[] = [
    [budgets.perTurn, spent.turn],
    [budgets.perRun, spent.run],
    [budgets.perDay, spent.day],
    [ownUsd, spent.profiles.get(profile) ?? 0],
  ]
  return bounds.some(([usd, used]) => usd !== null && (isUnknown(how, budgets) || used >= usd * PICO_PER_USD))
}

function isUnknown(how: Billing | undefined, { unknownPrice }: Budgets): boolean {
  return how === 'unpriced' && unknownPrice === 'exceeds'
}

/** The day of an instant in a zone, such as `2026-03-01`. */
export function dayOf(at: number, zone: string): string {
  // The years that ISO 8601 writes with four digits, of a clock that is broken, too.
  const instant = Number.isFinite(at) ? Math.min(Math.max(at, -62_135_596_800_000), 253_402_300_799_999) : 0
  if (zone === 'UTC') return new Date(instant).toISOString().slice(0, 10)
  return formatIn(zone).format(instant)
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
