import { dayOf, nextDay, PICO_PER_USD } from '../../host.ts'
import type { Budgets, GatewayKey, Kernel, Outcome } from '../../index.ts'
import { type Problem, problemOf } from './problem.ts'

/** How days and unknown costs count, as for the budgets of the kernel. */
export type QuotaRules = Pick<Budgets, 'unknownPrice' | 'zone'>

export const DEFAULT_RULES: QuotaRules = { unknownPrice: 'exceeds', zone: 'UTC' }

export interface QuotaOptions {
  readonly kernel: Pick<Kernel, 'profiles'>
  /** As they stand: settings may be taken anew. */
  readonly rules: () => QuotaRules
  /** Pico-USD that earlier processes spent today, by the id of a key. */
  readonly earlier: ReadonlyMap<string, number>
  /** Epoch ms. */
  readonly now: () => number
}

/** A request that was let in; `leave` exactly once, with what its turn came to. */
export interface Admission {
  leave(outcome: Outcome | null): void
}

/**
 * What each key may use (GW-06).
 *
 * 1. So many requests at once; the next one is told to come back, and none is queued.
 * 2. So many USD a day of the zone of the budgets. Compared is what was spent: requests that are let in below the bound may end above it,
 *    each with one turn, and no more of them than may run at once.
 * 3. An answer that is paid for at a price nobody knows uses the day up, unless unknown prices are ignored. What runs on a plan or on this
 *    machine costs nothing.
 * 4. How often one turn may ask is bounded by its plan alone: each entry `providerRetries + 1` times, and once more where a stream that broke
 *    off was the only one there was. A client can neither raise that nor add an entry.
 */
export class Quota {
  readonly #options: QuotaOptions
  readonly #keys = new Map<string, Used>()
  #day: string

  constructor(options: QuotaOptions) {
    this.#options = options
    this.#day = this.#today()
    for (const [id, pico] of options.earlier) this.#usedBy(id).pico = pico
  }

  /** Lets a request of this key in, or says why not. */
  enter(key: GatewayKey): Admission | Problem {
    this.#turnTo(this.#today())
    const used = this.#usedBy(key.id)
    const bound = key.perDay === null ? Number.POSITIVE_INFINITY : Math.round(key.perDay * PICO_PER_USD)
    if (key.perDay !== null && (used.isUnknown || used.pico >= bound)) return this.#spent(key, used)
    if (used.running >= key.concurrency) {
      const message = `This key may have ${key.concurrency} ${key.concurrency === 1 ? 'request' : 'requests'} under way at once, and has.`
      return problemOf('rate_limit', message, { code: 'concurrency_exceeded', retryAfterS: 1 })
    }
    used.running++
    return { leave: (outcome) => this.#left(used, outcome) }
  }

  #left(used: Used, outcome: Outcome | null): void {
    used.running--
    if (outcome === null) return
    this.#turnTo(this.#today())
    for (const attempt of outcome.attempts) {
      if (attempt.cost !== null) used.pico += Math.round(attempt.cost * PICO_PER_USD)
      else if (attempt.usage !== null && this.#options.rules().unknownPrice === 'exceeds' && !this.#isFree(attempt.entry)) used.isUnknown = true
    }
  }

  #spent({ perDay }: GatewayKey, { isUnknown }: Used): Problem {
    const { rules, now } = this.#options
    const retryAfterS = Math.max(1, Math.ceil((nextDay(now(), rules().zone) - now()) / 1000))
    const why = isUnknown ? 'an answer whose price nobody knows counts as all of it: whoever runs the gateway can set `profiles.<id>.price`.' : 'has.'
    return problemOf('rate_limit', `This key may spend ${perDay} USD a day, and ${why}`, { code: 'insufficient_quota', retryAfterS })
  }

  /** As the kernel has it: neither a program on its plan nor a model on this machine is paid by the call. */
  #isFree(entry: string): boolean {
    const [profile = ''] = entry.split('/')
    const id = profile.replace(/#\d+$/, '')
    return this.#options.kernel.profiles().some((each) => each.id === id && (each.cli || each.zone === 'local'))
  }

  #today(): string {
    return dayOf(this.#options.now(), this.#options.rules().zone)
  }

  #turnTo(day: string): void {
    if (day === this.#day) return
    this.#day = day
    for (const used of this.#keys.values()) Object.assign(used, { pico: 0, isUnknown: false })
  }

  #usedBy(id: string): Used {
    const used = this.#keys.get(id) ?? { running: 0, pico: 0, isUnknown: false }
    this.#keys.set(id, used)
    return used
  }
}

interface Used {
  running: number
  pico: number
  isUnknown: boolean
}
