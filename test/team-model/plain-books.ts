import type { RunResult } from '../../src/model/team.ts'
import type { Scene } from './scene.ts'

/** One engine that a participant may run on. */
export interface Spot {
  readonly engine: string
  readonly provider: string
  /** The participant's own provider, and not an entry of its chain. */
  readonly own: boolean
}

/** When an engine can be tried again, and whether that is a reset that somebody stated. */
export interface Held {
  readonly at: number
  readonly by: string
  readonly engine: string
}

const MINUTE = 60_000
const OUTAGE_WAITS = [1, 2, 4, 8, 15]

/** Who is limited and who is out, as the runs have told (T5–T7, T15, T18), and what is printed of it. */
export class Books {
  readonly limits = new Map<string, { readonly until: number; readonly stated: boolean }>()
  readonly #outages = new Map<string, { readonly tries: number; readonly until: number; out: boolean }>()
  /** The brake on an engine that is limited again and again (G14). */
  readonly #minHold: number
  readonly #spots: ReadonlyMap<string, readonly Spot[]>

  constructor({ participants, installed, settings }: Scene) {
    this.#minHold = settings.minHoldMs ?? 0
    this.#spots = new Map(
      participants.map(({ id, provider, failover }) => {
        const spots = [provider, ...failover].map((engine, index) => ({ engine, provider: engine.replace(/:.*/, ''), own: index === 0 }))
        return [id, spots.filter((spot) => installed.includes(spot.provider))]
      }),
    )
  }

  spotsOf(id: string): readonly Spot[] {
    return this.#spots.get(id) ?? []
  }

  report({ engine, provider }: Spot, result: RunResult, now: number, write: (line: string) => void): void {
    if (result.kind === 'network') {
      const tries = (this.#outages.get(provider)?.tries ?? 0) + 1
      const until = now + (OUTAGE_WAITS[tries - 1] ?? 15) * MINUTE
      this.#outages.set(provider, { tries, until, out: true })
      write(`${provider} could not be reached; trying it again at ${clock(until, now)}`)
    } else if (this.#outages.delete(provider)) write(`${provider} is reachable again`)
    if (!('limit' in result) || result.limit === null) return
    const { resetAt } = result.limit
    const unread = now + (provider === 'claude' ? 60 : 30) * MINUTE
    const stated = resetAt !== null && resetAt <= now ? now + MINUTE : (resetAt ?? unread)
    const until = Math.max(stated, now + this.#minHold)
    this.limits.set(engine, { until, stated: until === resetAt })
  }

  /** At the start of every turn (T15). */
  lift(now: number): void {
    for (const [engine, { until }] of this.limits) if (until <= now) this.limits.delete(engine)
    for (const outage of this.#outages.values()) if (outage.until <= now) outage.out = false
  }

  isLimited(spot: Spot | undefined): boolean {
    return spot !== undefined && this.limits.has(spot.engine)
  }

  isFree(spot: Spot): boolean {
    return !this.isLimited(spot) && !this.#isOut(spot)
  }

  earliestOf(spots: readonly Spot[]): Held {
    const held = spots.map((spot) => this.#held(spot))
    const [first] = held
    if (first === undefined) throw new Error('nothing to wait for')
    return held.reduce((best, each) => (each.at < best.at ? each : best), first)
  }

  /** A limited engine that comes back before a wait is over ends it (T19, G27). */
  earlierThan(own: Held): Held {
    return [...this.#spots.values()]
      .flat()
      .filter((spot) => this.isLimited(spot))
      .map((spot) => this.#held(spot))
      .reduce((best, each) => (each.at < best.at ? each : best), own)
  }

  /** G09: all of the spots out is an outage, anything else a limit. A line only where it is true (T16, T18, G08). */
  sleepLine(spots: readonly Spot[], { at, engine }: Held, kept: string | null, now: number) {
    const team = [...this.#spots.values()].flat()
    const time = clock(at, now)
    if (spots.every((spot) => this.#isOut(spot))) {
      const line = team.every((spot) => this.#isOut(spot)) ? `No provider can be reached; trying again at ${time}` : null
      return { state: 'unreachable', line } as const
    }
    const state = 'rate_limited'
    const areLimited = team.every((spot) => this.isLimited(spot))
    if (areLimited && at <= this.earliestOf(team).at)
      return { state, line: `every participant limited — waiting for ${engine}, back first at ${time}` } as const
    if (kept !== null && (areLimited || team.some((spot) => this.isFree(spot))))
      return { state, line: `${kept} is rate limited — waiting for ${engine}, back first at ${time}` } as const
    return { state, line: `nobody can take the turn — waiting for ${engine}, next try at ${time}` } as const
  }

  #isOut({ provider }: Spot): boolean {
    return this.#outages.get(provider)?.out === true
  }

  /** Its limit and the outage of its provider must both be over (G09). */
  #held(spot: Spot): Held {
    const { engine, provider } = spot
    const limit = this.limits.get(engine)
    const out = this.#isOut(spot) ? (this.#outages.get(provider)?.until ?? 0) : Number.NEGATIVE_INFINITY
    if (limit === undefined) return { at: out, by: 'probe', engine }
    if (out > limit.until) return { at: out, by: 'probe', engine }
    return { at: limit.until, by: limit.stated ? 'reset' : 'probe', engine }
  }
}

/** UTC; the date before it when it is another day (G17). */
function clock(at: number, now: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().split('T')
  const short = time.slice(0, 5)
  return new Date(now).toISOString().startsWith(day) ? short : `${day} ${short}`
}
