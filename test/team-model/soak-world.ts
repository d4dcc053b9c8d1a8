import type { ReportedLimit, RunResult, TeamRun } from '../../src/model/team.ts'
import type { Chance } from '../parity/seeded.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Stretches of time of one kind, one after another; each is made when it is asked about. */
class Spells {
  readonly #chance: Chance
  readonly #gapMs: number
  readonly #lengthMs: number
  #from: number
  #until: number

  constructor(chance: Chance, gapMs: number, lengthMs: number) {
    this.#chance = chance
    this.#gapMs = gapMs
    this.#lengthMs = lengthMs
    this.#from = spread(chance, gapMs)
    this.#until = this.#from + spread(chance, lengthMs)
  }

  /** When the spell that is on at that instant is over; null: none is. */
  endOf(at: number): number | null {
    while (this.#until <= at) {
      this.#from = this.#until + spread(this.#chance, this.#gapMs)
      this.#until = this.#from + spread(this.#chance, this.#lengthMs)
    }
    return this.#from <= at ? this.#until : null
  }
}

/** Some time about a mean, now and then much longer. */
export function spread(chance: Chance, meanMs: number): number {
  return Math.ceil(-Math.log(1 - chance()) * meanMs) + 1
}

/**
 * Engines as they are in a month: each has a quota that is used up and comes back, providers go out, hours come in which nearly every engine
 * is dry or nothing works, and now and then a call crashes, says nothing, or asks to be called later.
 */
export class SoakWorld {
  readonly #chance: Chance
  readonly #quotas = new Map<string, { left: number; usedUpUntil: number }>()
  readonly #outages = new Map<string, Spells>()
  readonly #droughts: Spells
  readonly #broken: Spells
  /** The machine's own network. */
  readonly #offline: Spells

  /** `chance` gives the same month for the same seed. */
  constructor(chance: Chance) {
    this.#chance = chance
    this.#droughts = new Spells(chance, 40 * HOUR, 4 * HOUR)
    this.#broken = new Spells(chance, 100 * HOUR, 7 * HOUR)
    this.#offline = new Spells(chance, 60 * HOUR, 40 * MINUTE)
  }

  tookMs({ entry }: TeamRun, at: number): number {
    return this.#isOut(entry.provider, at) ? this.#between(3 * SECOND, 20 * SECOND) : this.#between(10 * SECOND, 4 * MINUTE)
  }

  /** What a call comes to that ends now. */
  resultOf({ entry: { engine, provider } }: TeamRun, now: number): RunResult {
    const chance = this.#chance()
    if (this.#isOut(provider, now)) return chance < 0.05 ? POSTED : { kind: 'network' }
    const limit = this.#limitOf(engine, now)
    if (limit !== null) return chance < 0.15 ? { kind: 'posted', limit } : { kind: 'limited', limit }
    if (this.#broken.endOf(now) !== null || chance < 0.02) return { kind: 'failed', fault: { kind: 'exited', code: 1 } }
    if (chance < 0.04) return { kind: 'silent' }
    if (chance < 0.06) return { kind: 'waiting', minutes: this.#between(1, 8) }
    return POSTED
  }

  #limitOf(engine: string, now: number): ReportedLimit | null {
    const quota = this.#quotas.get(engine) ?? { left: this.#between(10, 60), usedUpUntil: 0 }
    this.#quotas.set(engine, quota)
    const drought = this.#droughts.endOf(now)
    quota.left--
    if (quota.usedUpUntil <= now) {
      if (drought === null && quota.left > 0) return null
      quota.usedUpUntil = (drought ?? now) + this.#between(20 * MINUTE, 3 * HOUR)
      quota.left = this.#between(10, 60)
    }
    return { resetAt: this.#chance() < 0.9 ? quota.usedUpUntil : null }
  }

  #isOut(provider: string, at: number): boolean {
    const outages = this.#outages.get(provider) ?? new Spells(this.#chance, 30 * HOUR, 25 * MINUTE)
    this.#outages.set(provider, outages)
    return outages.endOf(at) !== null || this.#offline.endOf(at) !== null
  }

  #between(least: number, most: number): number {
    return Math.round(least + this.#chance() * (most - least))
  }
}

const POSTED: RunResult = { kind: 'posted', limit: null }
