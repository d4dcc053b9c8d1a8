import type { Entry, Identity, Plan } from '../model/plan.ts'

/** The identity that served: the profile as printed and the model that was sent (C18, C29). */
export function servedBy(entry: Entry): Identity {
  return { profile: entry.label, model: entry.model }
}

/** The recovery record of a success, or null: a later entry served, or another model than was asked for (R33, C17). A retry makes none. */
export function attribute(plan: Plan, entry: Entry): { requested: Identity; served: Identity } | null {
  if (entry.index === 0 && entry.model === plan.requested.model) return null
  return { requested: plan.requested, served: servedBy(entry) }
}
