import type { Entry, Identity, Plan } from '../model/plan.ts'

/**
 * The identity that served: the profile as printed and the model that was sent (C18, C29), or that the provider says it went on to by itself.
 */
export function servedBy(entry: Entry, servedModel: string | null = null): Identity {
  return { profile: entry.label, model: servedModel ?? entry.model }
}

/** The recovery record of a success, or null: a later entry served, or another model than was asked for (R33, C17). A retry makes none. */
export function attribute(plan: Plan, entry: Entry, servedModel: string | null = null): { requested: Identity; served: Identity } | null {
  const served = servedBy(entry, servedModel)
  return entry.index === 0 && served.model === plan.requested.model ? null : { requested: plan.requested, served }
}
