import { presentModel } from '../config/graph.ts'
import type { Profile, Settings } from '../model/settings.ts'
import { domainsOf } from './domains.ts'
import { namedModels, pinOf } from './named-models.ts'
import { type Buildable, targetFault } from './targets.ts'

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
  /** False: it, or one that it falls back to, has no credential or no engine, and a turn with this target is refused. */
  readonly callable: boolean
}

/** A configured route. */
export interface HintDescription {
  readonly hint: string
  readonly profile: string
  /** What the first entry of the route sends (R8): what its profile is pinned to, else the model of the route. */
  readonly model: string
}

const listed = new WeakMap<Settings, readonly ProfileDescription[]>()

/** In the order of the settings; made once for them, as whoever reads names of clients asks at every request. */
export function describeProfiles(settings: Settings, buildable: Buildable = () => null): readonly ProfileDescription[] {
  const present = listed.get(settings)
  if (present !== undefined) return present
  const made = Object.freeze([...settings.profiles.values()].map((profile) => Object.freeze(describeProfile(settings, profile, buildable))))
  listed.set(settings, made)
  return made
}

function describeProfile(settings: Settings, profile: Profile, buildable: Buildable): ProfileDescription {
  const { id, family, api, cli, zone } = profile
  return {
    id,
    family,
    api: cli === null ? api : null,
    cli: cli !== null,
    model: pinOf(settings, profile),
    fallbackModels: profile.fallbackModels.filter((each) => presentModel(each) !== null),
    models: namedModels(settings, profile),
    zone,
    callable: targetFault(settings, id, buildable) === null,
  }
}

/** In the order of the settings. */
export function describeHints(settings: Settings): HintDescription[] {
  return [...domainsOf(settings).byHint].map(([hint, { route, domain }]) => ({ hint, profile: domain.target, model: domain.pin ?? route.model }))
}
