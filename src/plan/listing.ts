import { presentModel } from '../config/graph.ts'
import type { Settings } from '../model/settings.ts'
import { domainsOf } from './domains.ts'
import { namedModels, pinOf } from './named-models.ts'

/** A configured profile: what a client may be told of it, and so neither key nor address. */
export interface ProfileDescription {
  readonly id: string
  readonly family: string
  /** Protocol such as `openai-chat`; null for a coding-agent CLI, and for an engine of the host. */
  readonly api: string | null
  /** It runs a coding-agent CLI. */
  readonly cli: boolean
  /** What it is pinned to as a target; null: it serves what it is asked for, a CLI otherwise what it chooses itself. */
  readonly model: string | null
  readonly fallbackModels: readonly string[]
  /** Every model that the settings name for it or know a price of; it may serve more. */
  readonly models: readonly string[]
  readonly zone: 'local' | 'cloud'
}

/** A configured route. */
export interface HintDescription {
  readonly hint: string
  readonly profile: string
  /** What the first entry of the route sends (R8): what its profile is pinned to, else the model of the route. */
  readonly model: string
}

/** In the order of the settings. */
export function describeProfiles(settings: Settings): ProfileDescription[] {
  return [...settings.profiles.values()].map((profile) => {
    const { id, family, api, cli, zone } = profile
    const model = pinOf(settings, profile)
    const fallbackModels = profile.fallbackModels.filter((each) => presentModel(each) !== null)
    return { id, family, api: cli === null ? api : null, cli: cli !== null, model, fallbackModels, models: namedModels(settings, profile), zone }
  })
}

/** In the order of the settings. */
export function describeHints(settings: Settings): HintDescription[] {
  return [...domainsOf(settings).byHint].map(([hint, { route, domain }]) => ({ hint, profile: domain.target, model: domain.pin ?? route.model }))
}
