import type { Entry, Plan } from '../model/plan.ts'

/**
 * The plan as a chart gets it. What inspectors and snapshots show of an actor is its input, so nothing is in it that signs, decorates or
 * addresses a request: a header or an address may carry a key (R11, R36). Decisions read none of these.
 */
export function chartPlan(plan: Plan): Plan {
  return { ...plan, entries: plan.entries.map(bare) }
}

/** Pinned entries are shared by all plans of their settings, and so are their bare ones. */
const known = new WeakMap<Entry, Entry>()

function bare(entry: Entry): Entry {
  const present = known.get(entry)
  if (present !== undefined) return present
  const made: Entry = { ...entry, secret: null, profile: { ...entry.profile, endpoint: null, headers: {}, credentials: [] } }
  known.set(entry, made)
  return made
}
