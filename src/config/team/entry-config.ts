import type { ChainEntry, TeamConfig } from '../../model/team.ts'
import { isProgram } from '../cli-profile.ts'
import { CLI_FAMILIES } from '../families.ts'

/**
 * The settings under which one entry of a chain is called: those the operator wrote, cut down to that one profile.
 *
 * 1. The bare name of a CLI means the program with the settings of the profile `<name>.main`, where there is one (T1).
 * 2. The profile falls back to nothing: where a turn goes next is said by the participant's chain alone (T8). A pool of credentials stays one
 *    entry and is gone through within the call (R11).
 * 3. A program is called once a run: what follows a failure is the team's own ladder, and a second start could do its work twice (T19).
 * 4. What bounds a turn bounds it here as well: budgets, and where an address may lead.
 * 5. A model that the entry names comes before the profile's own; without one the profile decides (T10).
 */
export function entryConfig(
  written: unknown,
  { provider, model }: Pick<ChainEntry, 'provider' | 'model'>,
  team: EntryLimits,
): Record<string, unknown> {
  const base = objectOf(written)
  const id = profileOf(provider)
  const profile = objectOf(objectOf(base['profiles'])[id])
  const program = isProgram(id, { api: typeof profile['api'] === 'string' ? profile['api'] : null })
  const { reliability, modelFallbackNotice, endpoints, endMarkers } = base
  return {
    primary: id,
    ...present({ modelFallbackNotice, endpoints, endMarkers, budgets: budgetsOf(base['budgets'], id) }),
    reliability: program ? { ...objectOf(reliability), providerRetries: 0 } : objectOf(reliability),
    profiles: { [id]: { ...profile, fallback: [], ...(model === null ? {} : { model }), fallbackModels: [], ...bounded(profile, team, program) } },
  }
}

export interface EntryLimits extends Pick<TeamConfig, 'turnTimeoutMin' | 'stallMin'> {
  /** Where programs work, unless their profile says otherwise; null: where this process does. */
  readonly directory: string | null
}

/** The budgets that concern this profile; those of others are of profiles that are not there. */
function budgetsOf(written: unknown, id: string): unknown {
  const budgets = objectOf(written)
  const own = budgets['perProfile']
  if (typeof own !== 'object' || own === null || Array.isArray(own)) return written
  return { ...budgets, perProfile: Object.hasOwn(own, id) ? { [id]: objectOf(own)[id] } : {} }
}

/** The profile that a provider of a team means. */
export function profileOf(provider: string): string {
  return CLI_FAMILIES.includes(provider) ? `${provider}.main` : provider
}

const MINUTE_MS = 60_000

function bounded(profile: Readonly<Record<string, unknown>>, { turnTimeoutMin, stallMin, directory }: EntryLimits, program: boolean): object {
  const total = turnTimeoutMin === null ? {} : { totalMs: msOf(turnTimeoutMin) }
  const silence = stallMin === null ? {} : { idleMs: msOf(stallMin) }
  const timeouts = { ...objectOf(profile['timeouts']), ...total, ...silence }
  if (!program) return { timeouts }
  const stall = stallMin === null ? {} : { stallMs: msOf(stallMin) }
  return { timeouts, cli: { ...(directory === null ? {} : { directory }), ...objectOf(profile['cli']), ...stall } }
}

/** Never 0, which would be no bound that a profile can have. */
function msOf(minutes: number): number {
  return Math.ceil(minutes * MINUTE_MS)
}

function present(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
