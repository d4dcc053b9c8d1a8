import { familyOf } from '../../model/plan.ts'
import type { ChainEntry, ReportedLimit } from '../../model/team.ts'
import { limitUntil } from '../limit.ts'
import { type Outage, outageAfter } from './outage.ts'

/**
 * Who is known to be limited or out of reach (T2, T5, T6, T7, T15, T18).
 *
 * 1. It is written by what runs report and by nothing else; nothing is predicted (T2).
 * 2. A limit is an engine's, an outage is a provider's, with every model of it (T6, T18).
 * 3. Both are lifted when a turn starts, never during one: until then an engine whose time has passed counts as held (T15, G24).
 * 4. An outage that may be tried again is remembered until the provider was reached, so that the next wait is the longer one (T18).
 */
export interface Register {
  readonly limits: ReadonlyMap<string, EngineLimit>
  readonly outages: ReadonlyMap<string, Outage>
}

export interface EngineLimit {
  readonly untilAt: number
  /** A reset ahead was stated; else the engine is only looked at again then (G13, G14). */
  readonly stated: boolean
}

export const EMPTY_REGISTER: Register = { limits: new Map(), outages: new Map() }

/** When an entry can be tried again: its limit and the outage of its provider must both be over (G09). */
export interface FreeAt {
  readonly at: number
  readonly by: 'reset' | 'probe'
}

/** The register as a turn that starts now finds it. */
export function lifted({ limits, outages }: Register, now: number): Register {
  return {
    limits: new Map([...limits].filter(([, limit]) => limit.untilAt > now)),
    outages: new Map([...outages].map(([provider, outage]) => [provider, outage.untilAt > now ? outage : { ...outage, out: false }])),
  }
}

export function isLimited(register: Register, { engine }: ChainEntry): boolean {
  return register.limits.has(engine)
}

export function isOut(register: Register, { provider }: ChainEntry): boolean {
  return register.outages.get(provider)?.out === true
}

export function isFree(register: Register, entry: ChainEntry): boolean {
  return !isLimited(register, entry) && !isOut(register, entry)
}

export function freeAt(register: Register, { engine, provider }: ChainEntry): FreeAt {
  const limit = register.limits.get(engine)
  const outUntil = register.outages.get(provider)?.untilAt ?? Number.NEGATIVE_INFINITY
  if (limit === undefined || outUntil > limit.untilAt) return { at: outUntil, by: 'probe' }
  return { at: limit.untilAt, by: limit.stated ? 'reset' : 'probe' }
}

/** Without a readable reset it is the provider that decides how long, not the model (G15, G16). `minHoldMs`: the brake of G14. */
export function withLimit(register: Register, { engine, provider }: ChainEntry, { resetAt }: ReportedLimit, now: number, minHoldMs = 0): Register {
  const family = familyOf(provider)
  const endsAt = limitUntil({ limit: { kind: 'usage', scope: null, binds: 'account' }, resetAt }, family, now)
  const untilAt = Math.max(endsAt, now + minHoldMs)
  return { ...register, limits: new Map(register.limits).set(engine, { untilAt, stated: untilAt === resetAt }) }
}

export function withOutage(register: Register, { provider }: ChainEntry, now: number): Register {
  return { ...register, outages: new Map(register.outages).set(provider, outageAfter(register.outages.get(provider), now)) }
}

/** The register once the provider was reached; the same one when it was not out (G25). */
export function reached(register: Register, { provider }: ChainEntry): Register {
  if (!register.outages.has(provider)) return register
  return { ...register, outages: new Map([...register.outages].filter(([each]) => each !== provider)) }
}
