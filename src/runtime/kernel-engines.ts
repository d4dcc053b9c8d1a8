import { resolveCliEngine } from '../engines/cli/cli-engines.ts'
import type { CliEngineResolver } from '../engines/cli/resolver.ts'
import type { Engine } from '../engines/contract.ts'
import { type HttpEngineResolver, resolveHttpEngine } from '../engines/http/registry.ts'
import { scrubFor } from '../engines/redact.ts'
import type { Clock } from '../model/clock.ts'
import { scrubThrown } from '../model/scrub-thrown.ts'
import { secretsOfProfile } from '../model/secret-values.ts'
import type { Profile } from '../model/settings.ts'
import type { KernelPorts } from './kernel-door.ts'

/**
 * The engines of one kernel: those the host hands in, then our own by kind of profile.
 *
 * Ours are made when a profile first needs them: a host that brings every engine opens no connection and looks for no program.
 */
export class KernelEngines {
  readonly #ports: Pick<KernelPorts, 'engines' | 'fetch' | 'processes'>
  readonly #clock: Clock
  #http: HttpEngineResolver | null = null
  #cli: CliEngineResolver | null = null

  constructor(ports: Pick<KernelPorts, 'engines' | 'fetch' | 'processes'>, clock: Clock) {
    this.#ports = ports
    this.#clock = clock
  }

  /** Undefined when nobody can serve the profile. */
  of(profile: Profile): Engine | undefined {
    return this.#handedIn(profile) ?? (profile.cli === null ? this.#protocols(profile) : this.#programs(profile))
  }

  /** Where the program of a profile is, or how to get it; undefined where none is needed. */
  locate(profile: Profile): ReturnType<CliEngineResolver['locate']> {
    if (profile.cli === null || this.#handedIn(profile) !== undefined) return undefined
    return this.#programs.locate(profile)
  }

  /** Ends the programs that a killed host has left behind; nothing where no profile needs one. */
  sweep(): void {
    this.#cli?.sweep()
  }

  async close(): Promise<void> {
    await Promise.all([this.#http?.close(), this.#cli?.close()])
  }

  /** The host's code is given what signs a request, and may throw it. */
  #handedIn(profile: Profile): Engine | undefined {
    try {
      return this.#ports.engines?.(profile)
    } catch (error) {
      throw scrubThrown(error, scrubFor(secretsOfProfile(profile, null)))
    }
  }

  get #protocols(): HttpEngineResolver {
    this.#http ??= resolveHttpEngine({ fetch: this.#ports.fetch })
    return this.#http
  }

  get #programs(): CliEngineResolver {
    this.#cli ??= resolveCliEngine({ clock: this.#clock, ...this.#ports.processes })
    return this.#cli
  }
}
