import type { AttemptRecord } from '../model/outcome.ts'
import { type Entry, entryName, type Identity } from '../model/plan.ts'
import type { Iteration } from '../model/provider-event.ts'
import type { TurnFact } from '../model/turn-event.ts'
import { type AttemptResult, type Bill, type LedgerRow, type Usage, usdOf } from '../model/usage.ts'
import { sumCosts, sumUsage } from '../policy/cost.ts'
import type { KernelCore } from './core.ts'
import { closedRow, type RowClose } from './ledger.ts'
import { blankBill } from './pricing.ts'

/** What one attempt is known by in ledger, events and outcome. */
export interface BookedAttempt {
  readonly n: number
  readonly entry: Entry
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
}

/** What an engine has told of tokens and money by the end of an attempt. */
export interface Told {
  readonly usage: Usage | null
  /** The models that the provider itself tried, when more than one. */
  readonly iterations: readonly Iteration[]
  readonly reportedUsd: number | null
}

/** A bill, the model that it is for, and what that came to where it was not the last. */
interface ModelBill {
  readonly bill: Bill
  readonly model: string
  readonly result: AttemptResult
}

interface Tried extends Omit<Iteration, 'usage'> {
  readonly usage: Usage | null
}

/**
 * The attempts of one turn: a ledger row and a fact when one starts, both closed once when it ends (R34).
 *
 * 1. The row stands before the engine is asked, so that an attempt that never comes back is still on the ledger.
 * 2. Usage of an attempt that was not accepted is kept.
 * 3. Of several models that a provider tried inside one attempt each has a row: only the last can have been accepted.
 * 4. An attempt is reckoned once, and before anybody decides what follows it: a budget that it used up bars the next.
 */
export class AttemptBook {
  readonly #turn: string
  readonly #requested: Identity
  readonly #core: KernelCore
  readonly #tell: (fact: TurnFact) => void
  /** Of the attempt that is open: there is one at a time. */
  #reckoned: { readonly n: number; readonly bills: readonly ModelBill[] } | null = null
  readonly records: AttemptRecord[] = []
  readonly bills: Bill[] = []
  /** What this turn has cost so far in pico-USD, as far as that is known. */
  spentPicoUsd: number

  constructor(turn: string, requested: Identity, core: KernelCore, spentBefore: number, tell: (fact: TurnFact) => void) {
    this.#turn = turn
    this.#requested = requested
    this.#core = core
    this.#tell = tell
    this.spentPicoUsd = spentBefore
  }

  /** USD, the sum of all rows (R34). */
  get cost(): number | null {
    return usdOf(sumCosts(this.bills))
  }

  get usage(): Usage | null {
    return sumUsage(this.bills)
  }

  open(n: number, entry: Entry, mode: 'stream' | 'call'): BookedAttempt {
    const startedAt = this.#core.clock.now()
    const booked = { n, entry, mode, startedAt }
    this.#core.ledger.append(this.#rowOf(booked, entry.model, blankBill(this.#core.pricing, entry, startedAt), null))
    return booked
  }

  /** Tells that it begins; whoever hears of it may cancel the turn. */
  tellStart({ n, entry, mode, startedAt }: BookedAttempt): void {
    const { label: profile, model } = entry
    this.#tell({ type: 'attempt.started', turn: this.#turn, at: startedAt, n, entry: entryName(entry), profile, model, mode })
  }

  /** Reckons what the attempt cost; a second time changes nothing. */
  reckon({ n, entry, startedAt }: BookedAttempt, { usage, iterations, reportedUsd }: Told): readonly ModelBill[] {
    if (this.#reckoned?.n === n) return this.#reckoned.bills
    const { pricing, spending, clock } = this.#core
    const tried: readonly Tried[] = iterations.length > 1 ? iterations : [{ model: entry.model, usage }]
    const bills = tried.map((each, index) => {
      // The first is the model that was sent, whatever the provider calls it.
      const model = index === 0 ? entry.model : each.model
      const reported = index === tried.length - 1 ? reportedUsd : null
      return { model, result: each.result ?? NOT_TOLD_WHY, bill: pricing.bill(entry.profile, model, each.usage, startedAt, reported) }
    })
    this.#reckoned = { n, bills }
    for (const { bill } of bills) {
      const { costPicoUsd } = bill
      this.bills.push(bill)
      if (costPicoUsd === null) continue
      this.spentPicoUsd += costPicoUsd
      spending.add(entry.profile.id, costPicoUsd, clock.now())
    }
    return bills
  }

  close(booked: BookedAttempt, result: AttemptResult, accepted: boolean, told: Told): void {
    const { n, entry, mode, startedAt } = booked
    const bills = this.reckon(booked, told)
    this.#reckoned = null
    const endedAt = this.#core.clock.now()
    for (const [index, { model, bill, result: own }] of bills.entries()) {
      const isLast = index === bills.length - 1
      const iteration = bills.length === 1 ? null : index + 1
      const end = closeWith(bill, { iteration, endedAt, outcome: isLast ? result : own, accepted: isLast && accepted })
      if (index === 0) this.#core.ledger.close(this.#turn, n, end)
      else this.#core.ledger.append(closedRow(this.#rowOf(booked, model, bill, iteration), end))
    }
    const name = entryName(entry)
    const whole = bills.map(({ bill }) => bill)
    const [usage, cost] = [sumUsage(whole), usdOf(sumCosts(whole))]
    this.records.push({ n, entry: name, mode, startedAt, endedAt, result, accepted, usage, cost })
    this.#tell({ type: 'attempt.ended', turn: this.#turn, at: endedAt, n, entry: name, result, accepted, usage, cost })
    for (const { model, bill } of bills) {
      const isUncounted = accepted && this.#core.settings.budgets !== null
      const uncounted = isUncounted ? this.#core.pricing.uncountedWarning(entry.profile, model, bill) : null
      for (const warning of [this.#core.pricing.warningOf(entry.profile, model, bill), uncounted]) {
        if (warning !== null) this.#tell({ type: 'warning.raised', turn: this.#turn, at: endedAt, warning })
      }
    }
  }

  #rowOf({ n, entry, mode, startedAt }: BookedAttempt, model: string, bill: Bill, iteration: number | null): LedgerRow {
    return {
      turn: this.#turn,
      n,
      iteration,
      requested: this.#requested,
      profile: entry.label,
      model,
      mode,
      startedAt,
      endedAt: null,
      outcome: null,
      accepted: false,
      usage: bill.usage,
      costPicoUsd: bill.costPicoUsd,
      cost: bill.cost,
      costBasis: bill.costBasis,
      price: bill.price,
      reportedPicoUsd: bill.reportedPicoUsd,
    }
  }
}

/** Field by field: a spread with more fields behind it is made anew for each attempt (decision 0012). */
function closeWith(bill: Bill, { iteration, endedAt, outcome, accepted }: Omit<RowClose, keyof Bill>): RowClose {
  const { usage, costPicoUsd, cost, costBasis, price, reportedPicoUsd } = bill
  return { iteration, endedAt, outcome, accepted, usage, costPicoUsd, cost, costBasis, price, reportedPicoUsd }
}

/** A provider that goes on with another model of its own does not say why. */
const NOT_TOLD_WHY: AttemptResult = 'unknown'
