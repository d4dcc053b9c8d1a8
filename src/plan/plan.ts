import { noAllowedEntry, unknownEffortHint, unknownPrimary } from '../config/diagnostics.ts'
import { presentModel } from '../config/graph.ts'
import { noCapableEntry, nothingToSend, switchNotAllowed, unknownHint } from '../config/turn-diagnostics.ts'
import { type Diagnostic, type Entry, type Identity, isCapable, type Plan, type Target } from '../model/plan.ts'
import type { Settings } from '../model/settings.ts'
import type { Aim, Refused } from './aim.ts'
import type { Domains, EntrySet } from './domains.ts'
import { domainsOf } from './domains.ts'
import type { Estimator } from './effort.ts'
import { type Buildable, targetsAim } from './targets.ts'

/**
 * The plan of a turn (R2–R12, R37–R40).
 *
 * 1. Made once, when the turn starts; frozen parts only, so that nothing changes during it (R12).
 * 2. Settings and the ask are all it depends on: no hold, no clock, no text of the prompt but its class.
 * 3. After a local decision the plan holds local entries only: there is no other place from which a cloud profile could come (R39). The
 *    list of who may be called is that of the decision, whatever the turn switches to afterwards (R41).
 */
export interface PlanAsk {
  /** Model, `hint:<name>`, or none: absent, null, blank and `auto` leave the choice to the settings (C34). */
  readonly model?: string | null | undefined
  /** Profiles that the caller names itself, in place of a model. */
  readonly targets?: readonly Target[] | undefined
  /** The call sends tools. */
  readonly tools?: boolean | undefined
  /** The call sends an image. */
  readonly vision?: boolean | undefined
  /** Text of the last user message, for the effort step; absent reads as "" (C34). */
  readonly prompt?: string | null | undefined
}

/** `requested` is null where the turn cannot even say what it asks for. */
export type Planned = { readonly plan: Plan } | { readonly error: Diagnostic; readonly requested: Identity | null }

/** What one call needs of the entries that serve it. */
type CallNeeds = Pick<PlanAsk, 'tools' | 'vision'>

const HINT = 'hint:'
/** The choice that leaves the choice to the settings (C34, R40). */
export const AUTO = 'auto'

/** `estimate`: the host's own pure estimator instead of the one of the settings (R38). `buildable`: why a target has no engine, or null. */
export function planTurn(settings: Settings, ask: PlanAsk = {}, estimate?: Estimator, buildable?: Buildable): Planned {
  const aim = aimOf(settings, ask, estimate, buildable)
  return 'error' in aim ? aim : planAim(settings, aim, ask)
}

/** The decision of a turn: whose domain serves it, and who may be called. */
export function aimOf(
  settings: Settings,
  ask: Pick<PlanAsk, 'model' | 'targets' | 'prompt'>,
  estimate?: Estimator,
  buildable?: Buildable,
): Aim | Refused {
  if (ask.targets !== undefined) return targetsAim(settings, ask.targets, buildable)
  const domains = domainsOf(settings)
  const model = presentModel(ask.model ?? null)
  const explicit = model === AUTO ? null : model
  return explicit === null ? automaticAim(settings, domains, ask.prompt ?? '', estimate) : explicitAim(settings, domains, explicit)
}

/**
 * The decision of a turn that switched to the primary of `settings` (R41): its list of who may be called stays as it is. Refused when the
 * profile is not on it.
 */
export function switchedAim(settings: Settings, { allow }: Aim): Aim | Refused {
  const { primary } = domainsOf(settings)
  if (allow !== null && !allow.includes(primary.target)) return { error: switchNotAllowed(primary.target, allow), requested: null }
  return { domain: primary, model: null, allow, warnings: [] }
}

/** The choice of the caller, which turns the automatic step off (R40). */
function explicitAim(settings: Settings, domains: Domains, model: string): Aim | Refused {
  const domain = domains.primary
  if (!model.startsWith(HINT)) return { domain, model, allow: null, warnings: [] }
  const hint = model.slice(HINT.length)
  const routed = domains.byHint.get(hint)
  if (routed !== undefined) return { domain: routed.domain, model: routed.route.model, allow: null, warnings: [] }
  const rejected = settings.unknownHint === 'reject'
  const warning = unknownHint(hint, rejected, domains.hints)
  return rejected ? { error: warning, requested: { profile: domain.target, model } } : { domain, model, allow: null, warnings: [warning] }
}

/** No choice of the caller: the effort of the prompt picks a route, or the default domain serves (R37). */
function automaticAim(settings: Settings, domains: Domains, prompt: string, estimate: Estimator | undefined): Aim | Refused {
  const effort = settings.effortRouting
  if (effort === null || domains.estimate === null) return { domain: domains.primary, model: null, allow: null, warnings: [] }
  const cloud = effort.escalation === AUTO && (estimate ?? domains.estimate)(prompt) === 'complex'
  const field = cloud ? 'cloudHint' : 'localHint'
  const routed = domains.byHint.get(effort[field])
  if (routed === undefined) return { error: unknownEffortHint(field, effort[field], domains.hints), requested: null }
  const { domain, route } = routed
  return { domain, model: route.model, allow: cloud ? null : domain.localProfiles, warnings: [] }
}

/** The plan of one call of a turn that has decided so. */
export function planAim(settings: Settings, { domain, model: asked, allow, warnings }: Aim, needs: CallNeeds): Planned {
  const domains = domainsOf(settings)
  // Settings of a team need no primary, and nothing but a route or a target leads anywhere then.
  if (domain.target === '') return { error: unknownPrimary(domain.target, [...settings.profiles.keys()]), requested: null }
  const model = asked ?? domain.pin ?? domain.own
  if (model === null) return { error: nothingToSend(domain.target), requested: null }
  const requested: Identity = { profile: domain.target, model }
  const set = allow === null ? domain.all : allowed(domain.local, allow)
  if (set.entries.length === 0) return { error: noAllowedEntry(domain.target), requested }
  const need = unmetNeed(set.entries, needs)
  if (need !== null) return { error: noCapableEntry(domain.target, need), requested }
  return {
    plan: {
      entries: filled(set, model),
      target: domain.target,
      requested,
      allow,
      warnings: warnings.length === 0 ? domains.warnings : [...domains.warnings, ...warnings],
    },
  }
}

/** Local entries of a domain that a decision about another one admits, too. */
function allowed(local: EntrySet, allow: readonly string[]): EntrySet {
  const isAllowed = ({ profile }: Entry): boolean => allow.includes(profile.id)
  if (local.entries.every(isAllowed)) return local
  return { ...local, entries: local.entries.filter(isAllowed).map((entry, index) => ({ ...entry, index })) }
}

/** What the call needs and no entry offers, or null; the walk itself passes over single entries that cannot (C51). */
function unmetNeed(entries: readonly Entry[], { tools = false, vision = false }: CallNeeds): 'tools' | 'vision' | null {
  if (entries.some((entry) => isCapable(entry, { tools, vision }))) return null
  return tools && !entries.some((entry) => entry.capabilities.tools) ? 'tools' : 'vision'
}

/** Unpinned entries send what was asked for (C25); the others stay as they were made. */
function filled({ entries, open }: EntrySet, model: string): readonly Entry[] {
  return open ? entries.map((entry) => (entry.pin === null ? withModel(entry, model) : entry)) : entries
}

function withModel(entry: Entry, model: string): Entry {
  return { ...entry, model, modelHoldKey: entry.modelHoldKey === null ? null : `${entry.label}/${model}` }
}
