import { presentModel } from '../config/graph.ts'
import type { Profile, Settings } from '../model/settings.ts'

/** What a profile is pinned to as a target, or null. The override of the settings reaches the primary alone (R3). */
export function pinOf(settings: Settings, { id, model }: Profile): string | null {
  return (id === settings.primary ? presentModel(settings.model) : null) ?? presentModel(model)
}

/** Every model that the settings name for a profile, its own first: those that it is called with, then those with a price. */
export function namedModels(settings: Settings, profile: Profile): string[] {
  const pin = pinOf(settings, profile)
  const routed = settings.modelRoutes.filter((route) => pin === null && route.modelProvider === profile.id).map((route) => route.model)
  const named = [pin, profile.model, ...profile.fallbackModels, ...routed, ...Object.keys(profile.price)]
  return [...new Set(named.flatMap((model) => presentModel(model) ?? []))]
}
