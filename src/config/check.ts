import type { EndpointPolicy } from '../model/address.ts'
import { DIALECTS } from '../model/dialect.ts'
import { type Diagnostic, familyOf } from '../model/plan.ts'
import type { Budgets, GatewaySettings, ModelRoute, Profile, Settings } from '../model/settings.ts'
import { absentPrograms, cliSettingsOf, isAbsent, type Locate, strayCliSettings, unheardSettings, withPrograms } from './cli-profile.ts'
import type { ProfileCredentials, SecretSource } from './credential.ts'
import { findCredential, profileCredentials, unfitCredential } from './credential.ts'
import {
  conflictingPool,
  duplicateHint,
  invalidProfileId,
  missingRouteCredential,
  noAllowedEntry,
  requiredFieldEmpty,
  unknownBudgetProfile,
  unknownDialect,
  unknownEffortHint,
  unknownEscalation,
  unknownPrimary,
  unknownProvider,
} from './diagnostics.ts'
import { endpointErrors, farLocalWarnings } from './endpoint-policy.ts'
import { FAMILIES, usualEndpoint, zoneOf } from './families.ts'
import { readGateway } from './gateway-settings.ts'
import type { DomainGraph } from './graph.ts'
import { presentModel, routeCredential, settingsWarnings, targetsOf, walkDomain } from './graph.ts'
import { readInput } from './input.ts'
import type { ProfileInput } from './profile-schema.ts'
import type { SettingsInput } from './schema.ts'

/**
 * From what the operator wrote to settings that can be run.
 *
 * 1. Every fatal problem is told at once; with one, there are no settings (R5).
 * 2. A profile must be callable only where it is really built: as the primary, as a target, or as a fallback within reach (FTL-14, FTL-15).
 * 3. A route's credential serves the target that the route names, and nothing below it (R1, R10).
 */
export interface Checked {
  /** Null when there is any error. */
  readonly settings: Settings | null
  readonly errors: readonly Diagnostic[]
  readonly warnings: readonly Diagnostic[]
}

export interface CheckOptions {
  readonly secrets: SecretSource
  /** Why no engine can be made for a profile, or null. Asked only for profiles that are built; left out, every profile can be. */
  readonly buildable?: ((profile: Profile) => Diagnostic | null) | undefined
  /** Where the program of a coding-agent CLI is; left out, none is looked for. */
  readonly locate?: Locate | undefined
}

const PROFILE_ID = /^[^\s.#/:\p{Cc}]+\.[^\s#/:\p{Cc}]+$/u

/** What is wrong with settings, without making a kernel; never throws for what is written. `createKernel` checks likewise. */
export function checkConfig(written: unknown, options: CheckOptions): Checked {
  const { input, errors: schemaErrors } = readInput(written)
  if (input === null) return { settings: null, errors: schemaErrors, warnings: [] }
  const credentials = new Map<string, ProfileCredentials>()
  for (const [id, profile] of Object.entries(input.profiles)) {
    credentials.set(id, profileCredentials(id, profile, isKeyless(id, profile), options.secrets))
  }
  const routes = readRoutes(input, options.secrets)
  const gateway = readGateway(input, options.secrets)
  const asWritten = settingsOf(input, credentials, routes.routes, gateway.gateway)
  const settings = { ...asWritten, profiles: withPrograms(asWritten.profiles, options.locate) }
  const domains = targetsOf(settings).map((target) => walkDomain(settings, target))
  const programs = absentPrograms(settings, domains, options.locate)
  const found = [
    ...profileErrors(input),
    ...strayCliSettings(input.profiles),
    ...unheardSettings(input, settings, options.locate),
    ...dialectErrors(settings),
    ...endpointErrors(settings),
    ...primaryErrors(settings),
    ...budgetErrors(settings),
    ...routeErrors(settings),
    ...routes.errors,
    ...gateway.errors,
    ...effortErrors(settings, domains),
    ...builtErrors(settings, domains, credentials, options),
    ...programs.errors,
  ]
  const errors = [...schemaErrors, ...found.filter((error) => !follows(error, schemaErrors))]
  const warnings = [
    ...settingsWarnings(settings, domains),
    ...escalationWarnings(settings),
    ...programs.warnings,
    ...gateway.warnings,
    ...farLocalWarnings(input.profiles, settings),
    ...[...credentials.values()].flatMap((one) => one.warnings),
  ]
  return { settings: errors.length === 0 ? settings : null, errors, warnings }
}

/** A finding that is only the consequence of one already told: it stands at or below the same place, or misses what could not be read. */
function follows(error: Diagnostic, told: readonly Diagnostic[]): boolean {
  return told.some(({ path }) => {
    if (error.path === path || error.path.startsWith(`${path}.`) || error.path.startsWith(`${path}[`)) return true
    if (error.code === 'missing_credential') return path.startsWith(error.path)
    return path === 'profiles' && (error.code === 'unknown_primary' || error.code === 'unknown_provider')
  })
}

function isKeyless(id: string, profile: ProfileInput): boolean {
  return FAMILIES.get(familyOf(id))?.keyless === true || resolvedZone(id, profile) === 'local'
}

function resolvedZone(id: string, profile: ProfileInput): 'local' | 'cloud' {
  return profile.zone ?? zoneOf(familyOf(id), profile.endpoint)
}

function settingsOf(
  input: SettingsInput,
  credentials: ReadonlyMap<string, ProfileCredentials>,
  modelRoutes: readonly ModelRoute[],
  gateway: GatewaySettings,
): Settings {
  const profiles = new Map<string, Profile>()
  for (const [id, profile] of Object.entries(input.profiles))
    profiles.set(id, profileOf(id, profile, credentials.get(id)?.credentials ?? [], input.endpoints))
  const { primary, reliability, effortRouting, unknownHint, modelFallbackNotice, budgets, team, ledger, endpoints, endMarkers } = input
  return {
    primary: primary ?? '',
    model: presentModel(input.model),
    profiles,
    credentialFaults: faultsOf(credentials),
    modelRoutes,
    reliability,
    effortRouting,
    unknownHint,
    modelFallbackNotice,
    budgets: budgets === null ? null : budgetsOf(budgets),
    team,
    ledger,
    gateway,
    endpoints,
    endMarkers,
  }
}

function faultsOf(credentials: ReadonlyMap<string, ProfileCredentials>): Map<string, Diagnostic> {
  return new Map(
    [...credentials].flatMap(
      ([
        id,
        {
          problems: [first],
        },
      ]) => (first === undefined ? [] : [[id, first]]),
    ),
  )
}

function budgetsOf({ perProfile, ...rest }: NonNullable<SettingsInput['budgets']>): Budgets {
  const isEach = typeof perProfile === 'number'
  return { ...rest, perProfile: { each: isEach ? perProfile : null, own: new Map(isEach ? [] : Object.entries(perProfile ?? {})) } }
}

/** A bound on a profile that does not exist bounds nothing, and was meant for another. */
function budgetErrors({ budgets, profiles }: Settings): Diagnostic[] {
  const named = budgets === null ? [] : [...budgets.perProfile.own.keys()]
  return named.filter((id) => !profiles.has(id)).map((id) => unknownBudgetProfile(id, [...profiles.keys()]))
}

function profileOf(id: string, written: ProfileInput, credentials: Profile['credentials'], endpointPolicy: EndpointPolicy): Profile {
  const family = familyOf(id)
  const known = FAMILIES.get(family)
  const { headers, dialect, body, fallbackModels, fallback, capabilities, contextWindow, timeouts, completion } = written
  const price: Record<string, Profile['price'][string]> = {}
  for (const [model, { input, output, cachedInput }] of Object.entries(written.price)) {
    price[model] = cachedInput === null ? { input, output } : { input, output, cachedInput }
  }
  return {
    id,
    family,
    api: written.api ?? known?.api ?? null,
    endpoint: written.endpoint ?? usualEndpoint(id),
    endpointPolicy,
    headers,
    dialect,
    body,
    model: presentModel(written.model),
    fallbackModels,
    fallback,
    capabilities,
    zone: resolvedZone(id, written),
    contextWindow,
    price,
    timeouts,
    cli: cliSettingsOf(id, written),
    completion,
    credentials,
  }
}

/** A blank key of a route is none; a named one that cannot be read is a fault, for the operator counts on it (C50). */
function readRoutes(input: SettingsInput, secrets: SecretSource): { routes: ModelRoute[]; errors: Diagnostic[] } {
  const errors: Diagnostic[] = []
  const routes = input.modelRoutes.map(({ hint, modelProvider, model, apiKey }, index) => {
    const found = findCredential(apiKey, secrets)
    if (found.kind === 'absent') errors.push(missingRouteCredential(index, found.why))
    if (found.kind === 'unfit') errors.push(unfitCredential(['modelRoutes', index, 'apiKey']))
    return { hint, modelProvider, model, secret: found.kind === 'secret' ? found.secret : null }
  })
  return { routes, errors }
}

function profileErrors(input: SettingsInput): Diagnostic[] {
  const errors: Diagnostic[] = []
  for (const [id, profile] of Object.entries(input.profiles)) {
    if (!PROFILE_ID.test(id)) errors.push(invalidProfileId(id))
    if (profile.apiKey !== null && profile.apiKeys !== null) errors.push(conflictingPool(id))
  }
  return errors
}

/** A dialect is told wrong against the protocol that is spoken; without one it need only be a name of any (what is missing then is `api`). */
function dialectErrors({ profiles }: Settings): Diagnostic[] {
  const errors: Diagnostic[] = []
  for (const { id, family, api, dialect } of profiles.values()) {
    if (dialect === null) continue
    const unsettled = api === null && !FAMILIES.has(family)
    const known = unsettled ? [...new Set([...DIALECTS.values()].flat())] : (DIALECTS.get(api ?? '') ?? [])
    if (!known.includes(dialect)) errors.push(unknownDialect(id, dialect, api, known))
  }
  return errors
}

/** Without a primary only a team can be run, whose participants name their own providers. */
function primaryErrors({ primary, profiles, team }: Settings): Diagnostic[] {
  return profiles.has(primary) || (primary === '' && team !== null) ? [] : [unknownPrimary(primary, [...profiles.keys()])]
}

function routeErrors({ modelRoutes, profiles }: Settings): Diagnostic[] {
  const errors: Diagnostic[] = []
  const seen = new Map<string, number>()
  for (const [index, route] of modelRoutes.entries()) {
    for (const field of ['hint', 'modelProvider', 'model'] as const) if (route[field].trim() === '') errors.push(requiredFieldEmpty(index, field))
    if (route.modelProvider.trim() !== '' && !profiles.has(route.modelProvider))
      errors.push(unknownProvider(index, route.modelProvider, [...profiles.keys()]))
    const first = seen.get(route.hint)
    if (first !== undefined && route.hint.trim() !== '') errors.push(duplicateHint(index, route.hint, first))
    else seen.set(route.hint, index)
  }
  return errors
}

/** A word that was perhaps meant to let prompts out, and does not. */
function escalationWarnings({ effortRouting }: Settings): Diagnostic[] {
  const { escalation = 'never' } = effortRouting ?? {}
  return escalation === 'auto' || escalation === 'never' ? [] : [unknownEscalation(escalation)]
}

function effortErrors(settings: Settings, domains: readonly DomainGraph[]): Diagnostic[] {
  const effort = settings.effortRouting
  if (effort === null) return []
  const errors: Diagnostic[] = []
  const hints = settings.modelRoutes.map((route) => route.hint)
  for (const field of ['localHint', 'cloudHint'] as const) {
    if (!hints.includes(effort[field]) || effort[field].trim() === '') errors.push(unknownEffortHint(field, effort[field], hints))
  }
  const target = settings.modelRoutes.find((route) => route.hint === effort.localHint)?.modelProvider
  const domain = domains.find((one) => one.root === target)
  if (domain?.visits.some((visit) => settings.profiles.get(visit.profile)?.zone === 'local') === false) errors.push(noAllowedEntry(domain.root))
  return errors
}

/** Each profile that some domain builds must have a credential for its place there and an engine (R5, C24). */
function builtErrors(
  settings: Settings,
  domains: readonly DomainGraph[],
  credentials: ReadonlyMap<string, ProfileCredentials>,
  options: CheckOptions,
): Diagnostic[] {
  const built = new Set<string>()
  const needOwn = new Set<string>()
  for (const domain of domains) {
    for (const { profile } of domain.visits) {
      built.add(profile)
      if (profile !== domain.root || routeCredential(settings.modelRoutes, profile) === undefined) needOwn.add(profile)
    }
  }
  const errors: Diagnostic[] = []
  for (const id of built) {
    if (needOwn.has(id)) errors.push(...(credentials.get(id)?.problems ?? []))
    const profile = settings.profiles.get(id)
    const fault = profile === undefined || isAbsent(profile) ? null : (options.buildable?.(profile) ?? null)
    if (fault !== null) errors.push(fault)
  }
  return errors
}
