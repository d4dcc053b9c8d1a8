import type { Entry, Plan } from '../model/plan.ts'
import type { Profile } from '../model/settings.ts'

/**
 * The plan as a chart gets it. What inspectors and snapshots show of an actor is its input, so nothing is in it that signs, decorates or
 * addresses a request: a header, a field of the body or a variable of a program may carry a key (R11, R36). Decisions read none of these.
 */
export function chartPlan(plan: Plan): Plan {
  return { ...plan, entries: plan.entries.map(bare) }
}

/** Pinned entries are shared by all plans of their settings, and so are their bare ones. */
const known = new WeakMap<Entry, Entry>()

function bare(entry: Entry): Entry {
  const present = known.get(entry)
  if (present !== undefined) return present
  const made: Entry = { ...entry, secret: null, profile: bareProfile(entry.profile) }
  known.set(entry, made)
  return made
}

/** Field by field, so that one that a profile comes to have is not shown before somebody has asked whether it may carry a key. */
function bareProfile(profile: Profile): Profile {
  return {
    id: profile.id,
    family: profile.family,
    api: profile.api,
    endpoint: null,
    endpointPolicy: profile.endpointPolicy,
    headers: {},
    dialect: profile.dialect,
    body: {},
    model: profile.model,
    fallbackModels: profile.fallbackModels,
    fallback: profile.fallback,
    capabilities: profile.capabilities,
    zone: profile.zone,
    contextWindow: profile.contextWindow,
    price: profile.price,
    timeouts: profile.timeouts,
    cli: null,
    completion: profile.completion,
    credentials: [],
  }
}
