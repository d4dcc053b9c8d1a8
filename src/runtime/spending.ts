import { dayOf, type Spent } from '../policy/budget.ts'

/** What a process before this one has spent, as its ledger has it. */
export interface EarlierSpending {
  /** Profile id, without the number of a credential. */
  readonly profile: string
  /** When it was paid for, in epoch ms: when its attempt ended. */
  readonly at: number
  readonly costPicoUsd: number
}

/** What a turn's attempts have cost is added here as each ends, and budgets are compared with it. */
export interface Spending {
  add(profile: string, costPicoUsd: number, at: number): void
  /** As of now, for a turn that has itself spent so much. */
  spent(turn: number, now: number): Spent
}

/**
 * What one kernel spends.
 *
 * 1. The sums are those of one day, and are made anew when another is asked for: a clock that is set back over midnight, or a reload that
 *    names another zone, finds what was spent on that day.
 * 2. What earlier processes spent counts to the day and to its profiles, never to the run. What is no amount of money counts to nothing.
 */
export class KernelSpending implements Spending {
  readonly #zone: () => string
  readonly #earlier: readonly EarlierSpending[]
  /** What this kernel spent, by quarter of an hour, in which no zone begins a day but at its start; the latest ones. */
  readonly #own = new Map<number, Map<string, number>>()
  #run = 0
  #day = { name: '', total: 0, profiles: new Map<string, number>() }

  /** `zone`: of the live settings. */
  constructor(zone: () => string, earlier: Iterable<EarlierSpending>) {
    this.#zone = zone
    this.#earlier = [...earlier].filter(({ costPicoUsd }) => Number.isFinite(costPicoUsd) && costPicoUsd >= 0)
  }

  add(profile: string, costPicoUsd: number, at: number): void {
    this.#turnTo(at)
    this.#run += costPicoUsd
    this.#addToDay(profile, costPicoUsd)
    this.#keep(profile, costPicoUsd, at)
  }

  spent(turn: number, now: number): Spent {
    this.#turnTo(now)
    return { turn, run: this.#run, day: this.#day.total, profiles: this.#day.profiles }
  }

  #turnTo(at: number): void {
    const name = dayOf(at, this.#zone())
    if (name === this.#day.name) return
    this.#day = { name, total: 0, profiles: new Map() }
    for (const { profile, at, costPicoUsd } of this.#earlier) {
      if (dayOf(at, this.#zone()) === name) this.#addToDay(profile, costPicoUsd)
    }
    for (const [quarter, profiles] of this.#own) {
      if (dayOf(quarter * QUARTER_MS, this.#zone()) !== name) continue
      for (const [profile, costPicoUsd] of profiles) this.#addToDay(profile, costPicoUsd)
    }
  }

  #keep(profile: string, costPicoUsd: number, at: number): void {
    const quarter = Math.floor(at / QUARTER_MS)
    const profiles = this.#own.get(quarter) ?? new Map<string, number>()
    profiles.set(profile, (profiles.get(profile) ?? 0) + costPicoUsd)
    this.#own.set(quarter, profiles)
    if (this.#own.size > MOST_QUARTERS) this.#own.delete(this.#own.keys().next().value as number)
  }

  /** The view of a decision keeps what it was made on. */
  #addToDay(profile: string, costPicoUsd: number): void {
    const { name, total, profiles } = this.#day
    this.#day = { name, total: total + costPicoUsd, profiles: new Map(profiles).set(profile, (profiles.get(profile) ?? 0) + costPicoUsd) }
  }
}

const QUARTER_MS = 900_000
/** Two days of the longest kind: the one that is, and as much of the one before as a zone or a clock can bring back. */
const MOST_QUARTERS = 2 * 26 * 4

/** What one team spends: its run is its own, the day is that of its kernel. */
export class TeamSpending implements Spending {
  readonly #kernel: Spending
  #run = 0

  constructor(kernel: Spending) {
    this.#kernel = kernel
  }

  add(profile: string, costPicoUsd: number, at: number): void {
    this.#run += costPicoUsd
    this.#kernel.add(profile, costPicoUsd, at)
  }

  spent(turn: number, now: number): Spent {
    return { ...this.#kernel.spent(turn, now), run: this.#run }
  }
}
