import { absentPrograms, isAbsent } from '../config/cli-profile.ts'
import { type DomainGraph, presentModel, routeCredential, type Visit, walkDomain } from '../config/graph.ts'
import { nothingToSend, targetPath, unknownTarget, unusableTarget } from '../config/turn-diagnostics.ts'
import { OWN_MODEL } from '../model/cli.ts'
import type { Diagnostic, Target } from '../model/plan.ts'
import type { Profile, Settings } from '../model/settings.ts'
import type { Aim, Refused } from './aim.ts'
import { type Domain, domainOf, domainsOf, setOf } from './domains.ts'
import { namedModels, pinOf } from './named-models.ts'

/**
 * Where a turn runs whose caller names the profiles itself. It is the caller's choice, which turns the automatic step off (R40).
 *
 * 1. A profile that no chain of the settings leads to was checked for nothing when they were read: it is when a caller names it (R5).
 * 2. A model of the caller's is the override of the profile that it stands beside, and reaches nothing below it (R2, R3).
 * 3. What is kept is kept by configured profile, and nothing by what a caller wrote: there are ever more models.
 */

/** Why no engine can be made for a profile, or null. */
export type Buildable = (profile: Profile) => Diagnostic | null

/** `targets`: at least one. */
export function targetsAim(settings: Settings, targets: readonly Target[], buildable: Buildable = () => null): Aim | Refused {
  const asked: Asked[] = []
  for (const [index, { profile: id, model }] of targets.entries()) {
    const profile = settings.profiles.get(id)
    if (profile === undefined) return refused(unknownTarget(index, id, [...settings.profiles.keys()]))
    asked.push({ index, profile, model: presentModel(model ?? null) })
  }
  const [first] = asked
  if (first === undefined) throw new RangeError('A turn without a target has no aim.')
  return asked.length === 1 ? oneAim(settings, first, buildable) : listAim(settings, first, asked, buildable)
}

/** A target whose profile is configured; `model` null: its own. */
interface Asked {
  readonly index: number
  readonly profile: Profile
  readonly model: string | null
}

/** One target is called as a route would lead to it, with all that it falls back to. */
function oneAim(settings: Settings, { index, profile, model }: Asked, buildable: Buildable): Aim | Refused {
  const fault = targetFault(settings, profile.id, buildable)
  const { graph, domain, warnings } = targetDomain(settings, profile.id)
  if (fault !== null) return refused(unusableTarget(index, fault))
  if (model === null && domain.pin === null && domain.own === null) return refused(nothingToSend(profile.id, targetPath(index, 'model')))
  if (model === null) return { domain, model: null, allow: null, warnings }
  return { domain: withTyped(settings, domainOf(settings, overridden(graph, profile, model))), model: null, allow: null, warnings }
}

/** The same graph with its root pinned to `model`: it changes what the root contributes, and nothing below. */
function overridden({ root, visits, findings }: DomainGraph, profile: Profile, model: string): DomainGraph {
  const alone = walkDomain({ primary: root, model, profiles: new Map([[root, { ...profile, fallback: [] }]]) }, root)
  return { root, pin: model, visits: [...alone.visits, ...visits.slice(1)], findings }
}

/** Each of several is called by itself: what follows it is the next of them, and nothing that the settings say. */
function listAim(settings: Settings, first: Asked, asked: readonly Asked[], buildable: Buildable): Aim | Refused {
  const visits: Visit[] = []
  for (const { index, profile, model } of asked) {
    const fault = faultOf(settings, profile, true, buildable)
    if (fault !== null) return refused(unusableTarget(index, fault))
    const pin = model ?? pinOf(settings, profile) ?? (profile.cli === null ? null : OWN_MODEL)
    if (pin === null) return refused(nothingToSend(profile.id, targetPath(index, 'model')))
    if (!visits.some((visit) => visit.profile === profile.id && visit.pins[0] === pin)) visits.push({ profile: profile.id, pins: [pin] })
  }
  const graph = { root: first.profile.id, pin: visits[0]?.pins[0] ?? null, visits, findings: [] }
  const programs = absentPrograms(settings, [graph])
  const [absent] = programs.errors
  if (absent !== undefined) return refused(unusableTarget(first.index, absent))
  return {
    domain: withTyped(
      settings,
      domainOf(settings, graph, () => true),
    ),
    model: null,
    allow: null,
    warnings: untold(settings, programs.warnings),
  }
}

/** The domain of a profile as a route would lead to it, and what is to be said of it. */
interface TargetDomain {
  readonly graph: DomainGraph
  readonly domain: Domain
  /** Who is called in it. */
  readonly within: readonly Profile[]
  /** None of the programs that it consists of is there. */
  readonly absent: Diagnostic | null
  readonly warnings: readonly Diagnostic[]
}

const built = new WeakMap<Settings, Map<string, TargetDomain>>()

function targetDomain(settings: Settings, id: string): TargetDomain {
  const kept = built.get(settings) ?? new Map<string, TargetDomain>()
  built.set(settings, kept)
  const present = kept.get(id)
  if (present !== undefined) return present
  const graph = walkDomain(settings, id)
  const programs = absentPrograms(settings, [graph])
  const made = {
    graph,
    domain: domainOf(settings, graph),
    within: [...new Set(graph.visits.flatMap((visit) => settings.profiles.get(visit.profile) ?? []))],
    absent: programs.errors[0] ?? null,
    warnings: untold(settings, [...graph.findings, ...programs.warnings]),
  }
  kept.set(id, made)
  return made
}

/** Why a turn with this one target, a configured profile, is refused, or null. */
export function targetFault(settings: Settings, id: string, buildable: Buildable): Omit<Diagnostic, 'path'> | null {
  const { within, absent } = targetDomain(settings, id)
  return within.map((each) => faultOf(settings, each, each.id === id, buildable)).find((fault) => fault !== null) ?? absent
}

/** What keeps a profile from being called at this place: no credential that counts there, or no engine. A program that is not there is left out. */
function faultOf(settings: Settings, profile: Profile, isTarget: boolean, buildable: Buildable): Omit<Diagnostic, 'path'> | null {
  const isSigned = isTarget && routeCredential(settings.modelRoutes, profile.id) !== undefined
  const fault = isSigned ? undefined : settings.credentialFaults.get(profile.id)
  return fault ?? (isAbsent(profile) ? null : buildable(profile))
}

/** Without what the settings themselves are warned about. */
function untold(settings: Settings, found: readonly Diagnostic[]): readonly Diagnostic[] {
  if (found.length === 0) return found
  const told = new Set(domainsOf(settings).warnings.map(({ code, path }) => `${code} ${path}`))
  return found.filter(({ code, path }) => !told.has(`${code} ${path}`))
}

/** The domain with the entries marked whose model nobody but the caller names. */
function withTyped(settings: Settings, domain: Domain): Domain {
  const entries = domain.all.entries.map((entry) => {
    const { pin, profile } = entry
    const isTyped = pin !== null && pin !== OWN_MODEL && !namedModels(settings, profile).includes(pin)
    return isTyped ? Object.freeze({ ...entry, isTyped }) : entry
  })
  return { ...domain, all: setOf(entries) }
}

function refused(error: Diagnostic): Refused {
  return { error, requested: null }
}
