import type { Board } from '../model/hold.ts'
import { entryHold } from '../model/hold.ts'
import { type Entry, type Identity, isCapable, type Plan } from '../model/plan.ts'

/** Why the first attempt of a turn would not be made at an entry, or null. */
export type Skip = 'held' | 'not_allowed' | 'no_streaming' | 'no_tool_events' | 'not_capable' | 'over_budget'

/** A plan as `relevo plan` prints it (faces.md §2); JSON without loss. */
export interface PlanDescription {
  readonly target: string
  readonly requested: Identity
  readonly entries: readonly EntryDescription[]
  readonly allow: readonly string[] | null
  readonly warnings: readonly { readonly code: string; readonly path: string }[]
}

export interface EntryDescription {
  /** Bare profile id; the credential of a pool shows in `hold` only. */
  readonly profile: string
  /** Null for an unpinned entry. */
  readonly model: string | null
  readonly pinned: boolean
  /** Key of the hold that would keep it from being called. */
  readonly hold: string
  /** ISO 8601, or null when it is free. */
  readonly heldUntil: string | null
  readonly skip: Skip | null
}

export interface DescribeOptions {
  readonly board: Board
  /** Whether a budget bars an entry now, by its position and profile; left out, none does. */
  readonly isBarred?: ((index: number, profile: string) => boolean) | undefined
  /** Epoch ms. */
  readonly now: number
  /** What the call would send. A turn streams unless `stream` is false. */
  readonly ask?: { readonly stream?: boolean | undefined; readonly tools?: boolean | undefined; readonly vision?: boolean | undefined } | undefined
}

export function describePlan(plan: Plan, options: DescribeOptions): PlanDescription {
  return {
    target: plan.target,
    requested: plan.requested,
    entries: plan.entries.map((entry) => describeEntry(plan, entry, options)),
    allow: plan.allow,
    warnings: plan.warnings.map(({ code, path }) => ({ code, path })),
  }
}

function describeEntry(plan: Plan, entry: Entry, options: DescribeOptions): EntryDescription {
  const hold = entryHold(options.board, entry, options.now)
  return {
    profile: entry.profile.id,
    model: entry.pin,
    pinned: entry.pin !== null,
    hold: hold?.key ?? entry.holdKey,
    heldUntil: hold === undefined ? null : isoText(hold.untilAt),
    skip: skipOf(plan, entry, hold !== undefined, options),
  }
}

/** What no waiting can change comes first: a hold would promise that the entry comes back. */
function skipOf(plan: Plan, entry: Entry, held: boolean, { ask = {}, isBarred }: DescribeOptions): Skip | null {
  if (plan.allow !== null && !plan.allow.includes(entry.profile.id)) return 'not_allowed'
  if (!isCapable(entry, ask)) return 'not_capable'
  if (isBarred?.(entry.index, entry.profile.id) === true) return 'over_budget'
  if (held) return 'held'
  if (ask.stream === false) return null
  if (!entry.capabilities.streaming) return 'no_streaming'
  return ask.tools === true && !entry.capabilities.toolEvents ? 'no_tool_events' : null
}

/** The farthest instant that ISO 8601 text can name; a hold beyond it is as good as endless. */
const LAST_INSTANT = 8_640_000_000_000_000

function isoText(at: number): string {
  return new Date(Math.min(at, LAST_INSTANT)).toISOString()
}
