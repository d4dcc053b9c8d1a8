import type { Member } from '../../model/team.ts'
import { isFree, isLimited, type Register } from './register.ts'

/**
 * Where a participant stands in its chain, and what is told when that changes (T9, T14, T15, G02).
 *
 * 1. A turn starts on the earliest free entry, which is not always the primary (T15).
 * 2. Within a turn the place moves forward only, to the next free entry (T9).
 * 3. A move is told once: forward when the entry that is left is limited, back when the entry it returns to had been passed as limited.
 *    An outage moves it too, and is told as an outage and not here (G07).
 */
export interface Place {
  readonly at: number
  /** Entries that were passed because they were limited. */
  readonly passed: ReadonlySet<number>
}

/** Null: nothing to tell. */
export type PlaceNews =
  | { readonly kind: 'advanced'; readonly from: string; readonly to: string }
  | { readonly kind: 'returned'; readonly to: string | null }

export const FIRST_PLACE: Place = { at: 0, passed: new Set() }

/** The earliest free entry behind `after`, or -1. */
export function freeEntry({ entries }: Member, register: Register, after = -1): number {
  return entries.findIndex((entry, at) => at > after && isFree(register, entry))
}

/** The place once the participant runs on entry `to`. `known`: what is limited as the move is made. */
export function movedTo(member: Member, place: Place, to: number, known: Register): { place: Place; news: PlaceNews | null } {
  const { entries } = member
  const target = entries[to]
  const from = entries[place.at]
  if (to === place.at || target === undefined || from === undefined) return { place, news: null }
  if (to < place.at) {
    const passed = new Set([...place.passed].filter((at) => at < to))
    const news: PlaceNews | null = place.passed.has(to) ? { kind: 'returned', to: target.primary ? null : target.engine } : null
    return { place: { at: to, passed }, news }
  }
  const left = entries.flatMap((entry, at) => (at >= place.at && at < to && isLimited(known, entry) ? [at] : []))
  const news: PlaceNews | null = isLimited(known, from) ? { kind: 'advanced', from: from.engine, to: target.engine } : null
  return { place: { at: to, passed: new Set([...place.passed, ...left]) }, news }
}
