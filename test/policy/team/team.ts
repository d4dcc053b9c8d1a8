import type { ChainEntry, Member } from '../../../src/model/team.ts'
import { membersOf } from '../../../src/policy/team/chain.ts'
import { EMPTY_REGISTER, type Register } from '../../../src/policy/team/register.ts'

/** A member as tables write it: id, provider, chain. */
export function member(id: string, provider: string, ...failover: string[]): Member {
  const [made] = membersOf([{ id, provider, model: null, failover }], () => true)
  if (made === undefined) throw new Error('no member was made')
  return made
}

export function entry(engine: string): ChainEntry {
  const [made] = member('x', 'none', engine).entries.slice(1)
  if (made === undefined) throw new Error('no entry was made')
  return made
}

/** What is known: limits by engine, outages by provider, each until an instant. */
export function known({ limits = {}, outages = {} }: { limits?: Record<string, number>; outages?: Record<string, number> }): Register {
  return {
    ...EMPTY_REGISTER,
    limits: new Map(Object.entries(limits).map(([engine, untilAt]) => [engine, { untilAt, stated: true }])),
    outages: new Map(Object.entries(outages).map(([provider, untilAt]) => [provider, { tries: 1, untilAt, out: true }])),
  }
}
