import { absentPrograms } from '../config/cli-profile.ts'
import type { DomainGraph } from '../config/graph.ts'
import { routeCredential, settingsWarnings, targetsOf, walkDomain } from '../config/graph.ts'
import { OWN_MODEL } from '../model/cli.ts'
import type { Diagnostic, Entry } from '../model/plan.ts'
import type { Credential, ModelRoute, Profile, Settings } from '../model/settings.ts'
import type { Estimator } from './effort.ts'
import { estimatorOf } from './effort.ts'

/**
 * What can be known of every plan before a turn asks for one.
 *
 * 1. Made once per settings, frozen, and shared by all plans of these settings: planning a turn copies no entry that it need not fill in.
 * 2. An entry carries the profile and the credential of its own profile and of no other (R1); only the root of a target's domain takes
 *    the credential of a route (R10).
 * 3. A pool is an entry set per credential: all models of the first, then all of the next (R11, C18).
 */
export interface EntrySet {
  readonly entries: readonly Entry[]
  /** True when some entry is unpinned, so that its model must be filled in. */
  readonly open: boolean
}

export interface Domain {
  readonly target: string
  /** Model that the target is pinned to, or null when it sends what it is asked for. */
  readonly pin: string | null
  /** What it is asked for when neither it nor the caller names a model: a CLI chooses for itself; null for everybody else. */
  readonly own: string | null
  readonly all: EntrySet
  /** Its entries on local profiles only: what a local effort decision may call (R39). */
  readonly local: EntrySet
  /** The profiles of `local`, in plan order: the allow-list of such a decision. */
  readonly localProfiles: readonly string[]
}

export interface RoutedDomain {
  readonly route: ModelRoute
  readonly domain: Domain
}

export interface Domains {
  readonly primary: Domain
  readonly byHint: ReadonlyMap<string, RoutedDomain>
  readonly hints: readonly string[]
  /** Warnings that hold for every plan (C46). */
  readonly warnings: readonly Diagnostic[]
  /** Null when effort routing is off. */
  readonly estimate: Estimator | null
}

/** The domains of checked settings. */
export function buildDomains(settings: Settings): Domains {
  const graphs = targetsOf(settings).map((target) => walkDomain(settings, target))
  const domains = new Map(graphs.map((graph) => [graph.root, domainOf(settings, graph)]))
  const byHint = new Map<string, RoutedDomain>()
  for (const route of settings.modelRoutes) {
    const domain = domains.get(route.modelProvider)
    if (domain !== undefined) byHint.set(route.hint, { route, domain })
  }
  return {
    primary: domains.get(settings.primary) ?? { target: settings.primary, pin: null, own: null, all: NOTHING, local: NOTHING, localProfiles: [] },
    byHint,
    hints: [...byHint.keys()],
    warnings: Object.freeze([...settingsWarnings(settings, graphs), ...absentPrograms(settings, graphs).warnings]),
    estimate: settings.effortRouting === null ? null : estimatorOf(settings.effortRouting),
  }
}

const NOTHING: EntrySet = { entries: [], open: false }

/** `isTarget`: whether a profile of the graph is called as a target, and by the credential of a route to it; left out, its root is. */
export function domainOf(settings: Settings, graph: DomainGraph, isTarget = (profile: string): boolean => profile === graph.root): Domain {
  const entries: Entry[] = []
  for (const visit of graph.visits) {
    const profile = settings.profiles.get(visit.profile)
    if (profile === undefined || profile.cli?.absent === true) continue
    for (const credential of credentialsAt(settings, profile, isTarget(profile.id))) {
      for (const pin of visit.pins) entries.push(entryOf(entries.length, profile, credential, pin))
    }
  }
  const local = entries.filter((entry) => entry.profile.zone === 'local').map((entry, index) => Object.freeze({ ...entry, index }))
  return {
    target: graph.root,
    pin: graph.pin,
    own: (settings.profiles.get(graph.root)?.cli ?? null) === null ? null : OWN_MODEL,
    all: setOf(entries),
    local: setOf(local),
    localProfiles: Object.freeze([...new Set(local.map((entry) => entry.profile.id))]),
  }
}

function credentialsAt(settings: Settings, profile: Profile, isTarget: boolean): readonly Credential[] {
  const given = isTarget ? routeCredential(settings.modelRoutes, profile.id) : undefined
  return given === undefined ? profile.credentials : [{ number: null, secret: given.secret }]
}

function entryOf(index: number, profile: Profile, credential: Credential, pin: string | null): Entry {
  const label = credential.number === null ? profile.id : `${profile.id}#${credential.number}`
  const { capabilities, contextWindow } = profile
  const model = pin ?? ''
  const modelHoldKey = profile.cli === null ? null : `${label}/${model}`
  return Object.freeze({ index, label, profile, secret: credential.secret, holdKey: label, modelHoldKey, pin, model, capabilities, contextWindow })
}

export function setOf(entries: readonly Entry[]): EntrySet {
  return Object.freeze({ entries: Object.freeze([...entries]), open: entries.some((entry) => entry.pin === null) })
}

const built = new WeakMap<Settings, Domains>()

/** The domains of `settings`, made at the first call and kept as long as the settings are: settings never change, a reload brings others. */
export function domainsOf(settings: Settings): Domains {
  const present = built.get(settings)
  if (present !== undefined) return present
  const domains = buildDomains(settings)
  built.set(settings, domains)
  return domains
}
