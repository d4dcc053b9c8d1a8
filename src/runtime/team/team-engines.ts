import type { Checked } from '../../config/check.ts'
import { type EntryLimits, entryConfig, profileOf } from '../../config/team/entry-config.ts'
import type { Diagnostic, Plan } from '../../model/plan.ts'
import type { Settings } from '../../model/settings.ts'
import type { ChainEntry } from '../../model/team.ts'
import { planTurn } from '../../plan/plan.ts'

/** How one entry of a chain is called. */
export interface EntryCall {
  readonly plan: Plan
  readonly settings: Settings
  readonly isProgram: boolean
}

/**
 * The entries of a team's chains as plans of their own, from the settings as they stand: a reload is taken from the next turn on (R12).
 */
export class TeamEngines {
  readonly #check: (config: unknown) => Checked
  readonly #written: () => unknown
  readonly #limits: EntryLimits
  /** Of one state of the settings. */
  #calls = new Map<string, EntryCall | readonly Diagnostic[]>()
  #of: unknown

  constructor(check: (config: unknown) => Checked, written: () => unknown, limits: EntryLimits) {
    this.#check = check
    this.#written = written
    this.#limits = limits
  }

  /** How the entry is called, or why it cannot be. */
  callOf(entry: Pick<ChainEntry, 'provider' | 'model'>): EntryCall | readonly Diagnostic[] {
    const written = this.#written()
    if (written !== this.#of) this.#calls = new Map()
    this.#of = written
    const key = `${entry.provider}:${entry.model ?? ''}`
    const known = this.#calls.get(key)
    if (known !== undefined) return known
    const made = this.#made(entry, written)
    this.#calls.set(key, made)
    return made
  }

  /** False for a program that this machine lacks: its entries are skipped (T10, G18). */
  isInstalled(provider: string): boolean {
    const call = this.callOf({ provider, model: null })
    return 'plan' in call || !call.some(({ code }) => code === 'cli_not_installed')
  }

  /** What is wrong with entries that are not skipped, each once. */
  problemsOf(entries: readonly ChainEntry[]): Diagnostic[] {
    const problems = new Map<string, Diagnostic>()
    for (const entry of entries) {
      const call = this.callOf(entry)
      if (!('plan' in call)) for (const problem of call) problems.set(`${problem.code} ${problem.path}`, problem)
    }
    return [...problems.values()]
  }

  #made(entry: Pick<ChainEntry, 'provider' | 'model'>, written: unknown): EntryCall | readonly Diagnostic[] {
    const { settings, errors } = this.#check(entryConfig(written, entry, this.#limits))
    if (settings === null) return errors
    const planned = planTurn(settings)
    if ('error' in planned) return [planned.error]
    return { plan: planned.plan, settings, isProgram: settings.profiles.get(profileOf(entry.provider))?.cli != null }
  }
}
