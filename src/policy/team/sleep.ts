import type { ChainEntry, Member } from '../../model/team.ts'
import { freeAt, isFree, isLimited, isOut, type Register } from './register.ts'

/**
 * How long nobody can take the turn, and what is said of it (T12, T16, T18, G08, G09, G13, G17).
 *
 * 1. The target is the earliest of all entries in question, never that of the last to fail (T16).
 * 2. A turn that is kept waits for its participant's own entries, though others come back earlier (G08).
 * 3. Nobody waits for an engine that only those need who are done.
 * 4. A line is written only when it is true: `every` when every entry of the team is limited and none is back before the one that is waited
 *    for, `kept` when somebody else could run now or could before, `nobody` when some are only out of reach or only those could run who are
 *    done, `unreachable` when no provider can be reached.
 */
export interface Sleep {
  readonly untilAt: number
  readonly by: 'reset' | 'probe'
  readonly state: 'rateLimited' | 'unreachable'
  /** The engine that is back first; of several the first in listed order (G17). */
  readonly engine: string
  readonly says: 'every' | 'kept' | 'nobody' | 'unreachable' | null
}

export interface SleepView {
  readonly members: readonly Member[]
  readonly register: Register
  /** The participant whose turn is kept, and the entries that it may use; null when the whole team waits. */
  readonly kept: { readonly id: string; readonly entries: readonly ChainEntry[] } | null
  readonly done: ReadonlySet<string>
}

/** Null when there is nothing to wait for. */
export function sleepOf({ members, register, kept, done }: SleepView): Sleep | null {
  const team = members.flatMap((member) => member.entries)
  const entries = kept?.entries ?? members.flatMap((member) => (done.has(member.id) ? [] : member.entries))
  const [first, ...others] = entries.map((entry) => ({ entry, free: freeAt(register, entry) }))
  if (first === undefined) return null
  const earliest = others.reduce((best, each) => (each.free.at < best.free.at ? each : best), first)
  const areOut = (some: readonly ChainEntry[]): boolean => some.every((entry) => isOut(register, entry))
  const target = { untilAt: earliest.free.at, by: earliest.free.by, engine: earliest.entry.engine }
  if (areOut(entries)) return { ...target, state: 'unreachable', says: areOut(team) ? 'unreachable' : null }
  return { ...target, state: 'rateLimited', says: lineOf(team, register, target.untilAt, kept !== null) }
}

function lineOf(team: readonly ChainEntry[], register: Register, untilAt: number, kept: boolean): Sleep['says'] {
  const areLimited = team.every((entry) => isLimited(register, entry))
  const isFirst = team.every((entry) => freeAt(register, entry).at >= untilAt)
  if (areLimited && isFirst) return 'every'
  return kept && (areLimited || team.some((entry) => isFree(register, entry))) ? 'kept' : 'nobody'
}
