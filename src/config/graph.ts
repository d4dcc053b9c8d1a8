import { OWN_MODEL } from '../model/cli.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { ModelRoute, Profile, Settings } from '../model/settings.ts'
import {
  conflictingRouteCredential,
  danglingFallback,
  duplicateEntry,
  emptyFallbackModel,
  fallbackCycle,
  fallbackModelIsPrimary,
  fallbackTooDeep,
  profilePath,
  routeModelIgnored,
} from './diagnostics.ts'

/**
 * The graph of fallbacks, walked depth first from one target.
 *
 * 1. A profile gives its primary (or one unpinned entry), then its fallback models, then each fallback with all that hangs on it (R2, R3).
 * 2. What cannot be followed is pruned and reported once, at the first fault of the edge: dangling, cycle, depth (R4, C20).
 * 3. An entry that stands in the plan already is dropped where it comes again (R4).
 * 4. The model override reaches the root and nothing below it (R3).
 * 5. A coding-agent CLI without a model is asked for its own choice wherever it is fallen back to: the model asked of another would say
 *    nothing to it (T10). As the target it sends what it is asked for.
 * 6. A profile at the last hop is passed over once nothing about its edges is left to tell: where all lead to all, nearly every path ends
 *    at such a one.
 */

/** Edges followed below a target. */
const MAX_FALLBACK_HOPS = 3

/** What one profile adds to a plan at one place: its pins in order, null for the unpinned entry. */
export interface Visit {
  readonly profile: string
  readonly pins: readonly (string | null)[]
}

export interface DomainGraph {
  readonly root: string
  /** The model that the root is pinned to, or null. */
  readonly pin: string | null
  readonly visits: readonly Visit[]
  readonly findings: readonly Diagnostic[]
}

type Node = Pick<Profile, 'model' | 'fallbackModels' | 'fallback'> & Partial<Pick<Profile, 'cli'>>
type Graph = Pick<Settings, 'primary' | 'model'> & { readonly profiles: ReadonlyMap<string, Node> }

/** A model name that says something; blank counts as none (C50). */
export function presentModel(model: string | null): string | null {
  return model === null || model.trim() === '' ? null : model
}

/** The domain of `root`, which must be configured. The primary is the root that the override pins, whoever leads to it (R8). */
export function walkDomain(graph: Graph, root: string): DomainGraph {
  const override = root === graph.primary ? presentModel(graph.model) : null
  const walk = new Walk(graph.profiles)
  walk.enter(root, override, null)
  return { root, pin: override ?? presentModel(graph.profiles.get(root)?.model ?? null), visits: walk.visits, findings: walk.findings }
}

/** A reference in a `fallback` list. */
interface Edge {
  readonly from: string
  readonly index: number
}

class Walk {
  readonly visits: Visit[] = []
  readonly findings: Diagnostic[] = []
  readonly #profiles: ReadonlyMap<string, Node>
  readonly #path: string[] = []
  readonly #models = new Map<string, Set<string | null>>()
  readonly #told = new Map<string, Set<string>>()
  /** How many cycles and cuts may still be told of the edges of each profile. */
  readonly #untold = new Map<string, number>()

  constructor(profiles: ReadonlyMap<string, Node>) {
    this.#profiles = profiles
  }

  enter(profile: string, override: string | null, edge: Edge | null): void {
    const node = this.#profiles.get(profile)
    if (node === undefined) return
    const own = edge !== null && (node.cli ?? null) !== null ? OWN_MODEL : null
    const pins = this.#pins(profile, node, override ?? presentModel(node.model) ?? own, edge)
    if (pins.length > 0) this.visits.push({ profile, pins })
    this.#path.push(profile)
    if (!this.#isToldAtLastHop(profile, node)) {
      for (const [index, reference] of node.fallback.entries()) this.#follow(profile, index, reference)
    }
    this.#path.pop()
  }

  #isToldAtLastHop(profile: string, { fallback }: Node): boolean {
    const untold = this.#untold.get(profile)
    if (untold !== undefined) return untold === 0 && this.#path.length > MAX_FALLBACK_HOPS
    const [root] = this.#path
    // An edge to the root, or to the profile itself, is always a cycle and never a cut; a dangling one is told at the first visit.
    const kinds = fallback.map((reference) => (!this.#profiles.has(reference) ? 0 : reference === root || reference === profile ? 1 : 2))
    this.#untold.set(
      profile,
      kinds.reduce<number>((sum, each) => sum + each, 0),
    )
    return false
  }

  #follow(from: string, index: number, reference: string): void {
    if (!this.#profiles.has(reference)) this.#tell(from, 'dangling', index, () => danglingFallback(from, index, reference))
    else if (this.#path.includes(reference)) this.#tell(from, 'cycle', index, () => fallbackCycle(from, index, reference))
    else if (this.#path.length > MAX_FALLBACK_HOPS) this.#tell(from, 'depth', index, () => fallbackTooDeep(from, index, reference, MAX_FALLBACK_HOPS))
    else this.enter(reference, null, { from, index })
  }

  #pins(profile: string, node: Node, primary: string | null, edge: Edge | null): (string | null)[] {
    const pins: (string | null)[] = []
    if (this.#isNew(profile, primary)) pins.push(primary)
    else if (edge !== null) {
      const { from, index } = edge
      this.#tell(from, 'edge', index, () => duplicateEntry(profilePath(from, 'fallback', index), profile, primary))
    }
    if (primary === null) return pins
    for (const [index, model] of node.fallbackModels.entries()) {
      if (model.trim() === '') this.#tell(profile, 'empty', index, () => emptyFallbackModel(profile, index))
      else if (model === primary) this.#tell(profile, 'primary', index, () => fallbackModelIsPrimary(profile, index, model))
      else if (this.#isNew(profile, model)) pins.push(model)
      else this.#tell(profile, 'item', index, () => duplicateEntry(profilePath(profile, 'fallbackModels', index), profile, model))
    }
    return pins
  }

  #isNew(profile: string, model: string | null): boolean {
    return addTo(this.#models, profile, model)
  }

  /** A dense graph meets the same fault on thousands of paths: it is put into words only the first time. */
  #tell(profile: string, kind: string, index: number, finding: () => Diagnostic): void {
    if (!addTo(this.#told, profile, `${kind}${index}`)) return
    if (kind === 'cycle' || kind === 'depth') this.#untold.set(profile, (this.#untold.get(profile) ?? 0) - 1)
    this.findings.push(finding())
  }
}

/** Adds to the set under `key`; false when it is there already. */
function addTo<Value>(sets: Map<string, Set<Value>>, key: string, value: Value): boolean {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else if (set.has(value)) return false
  else set.add(value)
  return true
}

/** The targets of a domain each: the primary, then those of the routes in order, once each and only configured ones (R10, C19). */
export function targetsOf(settings: Pick<Settings, 'primary' | 'profiles' | 'modelRoutes'>): string[] {
  const targets = new Set([settings.primary, ...settings.modelRoutes.map((route) => route.modelProvider)])
  return [...targets].filter((target) => settings.profiles.has(target))
}

/** The first route to `target` that gives a credential; its credential comes before the profile's own (R10, C50). */
export function routeCredential(routes: readonly ModelRoute[], target: string): ModelRoute | undefined {
  return routes.find((route) => route.modelProvider === target && route.secret !== null)
}

/** Everything worth a warning before any turn: the graph, then credentials of routes, then models of routes (C19, C46). */
export function settingsWarnings(settings: Settings, domains: readonly DomainGraph[]): Diagnostic[] {
  const byKey = new Map<string, Diagnostic>()
  for (const domain of domains) {
    for (const finding of domain.findings) {
      const key = `${finding.code} ${finding.path}`
      if (!byKey.has(key)) byKey.set(key, finding)
    }
  }
  return [...byKey.values(), ...credentialConflicts(settings.modelRoutes), ...ignoredModels(settings.modelRoutes, domains)]
}

function credentialConflicts(routes: readonly ModelRoute[]): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const [index, route] of routes.entries()) {
    const first = routeCredential(routes, route.modelProvider)
    if (route.secret === null || first?.secret == null || first.secret.equals(route.secret)) continue
    found.push(conflictingRouteCredential(index, route.modelProvider, routes.indexOf(first)))
  }
  return found
}

function ignoredModels(routes: readonly ModelRoute[], domains: readonly DomainGraph[]): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const [index, route] of routes.entries()) {
    const pin = domains.find((domain) => domain.root === route.modelProvider)?.pin ?? null
    if (pin !== null && pin !== route.model) found.push(routeModelIgnored(index, route.model, route.modelProvider, pin))
  }
  return found
}
