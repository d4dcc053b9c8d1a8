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
 * 1. A day is kept at a time: at the first attempt of another one its sums begin anew.
 * 2. What earlier processes spent counts to the day and to its profiles, never to the run.
 */
export class KernelSpending implements Spending {
  readonly #zone: () => string
  readonly #earlier: readonly EarlierSpending[]
  #run = 0
  #day = { name: '', total: 0, profiles: new Map<string, number>() }

  /** `zone`: of the live settings. */
  constructor(zone: () => string, earlier: Iterable<EarlierSpending>) {
    this.#zone = zone
    this.#earlier = [...earlier]
  }

  add(profile: string, costPicoUsd: number, at: number): void {
    this.#turnTo(at)
    this.#run += costPicoUsd
    this.#addToDay(profile, costPicoUsd)
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
  }

  /** The view of a decision keeps what it was made on. */
  #addToDay(profile: string, costPicoUsd: number): void {
    const { name, total, profiles } = this.#day
    this.#day = { name, total: total + costPicoUsd, profiles: new Map(profiles).set(profile, (profiles.get(profile) ?? 0) + costPicoUsd) }
  }
}

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
