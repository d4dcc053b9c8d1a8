import { costUncounted, priceUnknown, unpricedInBudget } from '../config/turn-diagnostics.ts'
import type { Clock } from '../model/clock.ts'
import type { Diagnostic, Entry, Plan } from '../model/plan.ts'
import type { PriceBook } from '../model/price.ts'
import type { Budgets, Profile } from '../model/settings.ts'
import { type Bill, type PriceSource, type Usage, usdOf } from '../model/usage.ts'
import { type Billing, isBarredUnpriced, type MoneyRules } from '../policy/budget.ts'
import { costOf, picoOf, priceOf } from '../policy/cost.ts'

/** The source on a row that was priced by the settings. */
export const SETTINGS_PRICE = 'settings'

/**
 * What attempts are billed at (R34): the table of the profile, then the price book, then nothing that is known.
 *
 * 1. A program on its plan and a model on this machine are in no price book, whatever they are named; a table of their profile counts.
 * 2. A price book is not ours: one that throws or says nonsense knows no price, and costs no turn its answer.
 */
export class Pricing {
  readonly #book: PriceBook | null
  readonly #onBookError: (error: unknown) => void
  readonly #told = new Set<string>()

  constructor(book: PriceBook | undefined, onBookError: (error: unknown) => void) {
    this.#book = book ?? null
    this.#onBookError = onBookError
  }

  /** How each entry of a plan is paid for, by its position. */
  billingOf(plan: Plan, at: number): readonly Billing[] {
    return plan.entries.map(({ profile, model }) => {
      if (priceOf(profile.price, model) !== undefined) return 'priced'
      if (isFree(profile)) return 'free'
      return this.#quote(profile, model, null, at) === null ? 'unpriced' : 'priced'
    })
  }

  /** The bill of an attempt at a profile with a model, of which this was told. */
  bill(profile: Profile, model: string, usage: Usage | null, at: number, reportedUsd: number | null): Bill {
    const { costPicoUsd, price } = this.#priced(profile, model, usage, at)
    return {
      usage,
      costPicoUsd,
      cost: usdOf(costPicoUsd),
      costBasis: price !== null ? 'metered' : profile.cli === null ? 'unknown' : 'subscription',
      price,
      reportedPicoUsd: reportedUsd === null ? null : picoOf(reportedUsd),
    }
  }

  /** The warning for an attempt without a price, or null when it has one, used no token, or was told before (R34). */
  warningOf({ id }: Profile, model: string, { usage, costBasis }: Bill): Diagnostic | null {
    return usage === null || costBasis !== 'unknown' || this.#wasTold(id, model) ? null : priceUnknown(id, model)
  }

  /** The warning for an answer whose cost no budget can count, once for a profile and model; null for every other attempt. */
  uncountedWarning({ id }: Profile, model: string, { costPicoUsd, costBasis }: Bill): Diagnostic | null {
    if (costBasis !== 'metered' || costPicoUsd !== null || this.#wasTold(`usage ${id}`, model)) return null
    return costUncounted(id, model)
  }

  /** The warnings for entries that a budget bars because nobody knows their price, each once. */
  barredWarnings({ entries }: Plan, money: MoneyRules): Diagnostic[] {
    const barred = entries.filter(({ index, profile }) => isBarredUnpriced(money, index, profile.id))
    return barred.filter(({ profile, model }) => !this.#wasTold(profile.id, model)).map(({ profile, model }) => unpricedInBudget(profile.id, model))
  }

  #wasTold(id: string, model: string): boolean {
    const path = `profiles.${id}.price.${model}`
    if (this.#told.has(path)) return true
    this.#told.add(path)
    if (this.#told.size > MOST_TOLD) this.#told.delete(this.#told.values().next().value as string)
    return false
  }

  #priced(profile: Profile, model: string, usage: Usage | null, at: number): Priced {
    const own = priceOf(profile.price, model)
    if (own !== undefined) return { costPicoUsd: costOf(usage, own), price: { source: SETTINGS_PRICE, version: null, model } }
    return (isFree(profile) ? null : this.#quote(profile, model, usage, at)) ?? UNPRICED
  }

  /** Each of its values is read once: what is read again may be another. */
  #quote({ id, family, api, endpoint }: Profile, model: string, usage: Usage | null, at: number): Priced | null {
    if (this.#book === null) return null
    try {
      const { source, version } = this.#book
      const quote = this.#book.quote({ profile: { id, family, api, endpoint }, model, usage, at })
      if (quote === null) return null
      // One that answers later knows no price now; and a rejection that nobody handles ends a process.
      if (quote instanceof Promise) {
        quote.catch(this.#onBookError)
        return null
      }
      const { costPicoUsd, model: known } = quote
      const isPrice = isMoney(costPicoUsd) && typeof known === 'string' && typeof source === 'string'
      return isPrice ? { costPicoUsd, price: { source, version: typeof version === 'string' ? version : null, model: known } } : null
    } catch (error) {
      this.#onBookError(error)
      return null
    }
  }
}

interface Priced {
  readonly costPicoUsd: number | null
  readonly price: PriceSource | null
}

const UNPRICED: Priced = { costPicoUsd: null, price: null }

/** Callers may ask an unpinned entry for ever more models; the one warned about longest ago is forgotten then. */
const MOST_TOLD = 1_000

function isFree({ cli, zone }: Profile): boolean {
  return cli !== null || zone === 'local'
}

/** What no ledger can say. */
const PAST_MONEY = 2 ** 63

function isMoney(pico: number | null): boolean {
  return pico === null || (Number.isInteger(pico) && pico >= 0 && pico < PAST_MONEY)
}

/** What an entry is known by before its attempt has come to anything. */
export function blankBill(pricing: Pricing, { profile, model }: Entry, at: number): Bill {
  return pricing.bill(profile, model, null, at, null)
}

interface MoneySource {
  readonly pricing: Pricing
  readonly clock: Clock
}

/** What bounds the turn's money, fixed when it starts; undefined where nothing does. */
export function moneyRules({ pricing, clock }: MoneySource, budgets: Budgets | null, plan: Plan): MoneyRules | undefined {
  return budgets === null ? undefined : { budgets, billing: pricing.billingOf(plan, clock.now()) }
}
