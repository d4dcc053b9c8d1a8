import type { Clock } from '../../model/clock.ts'
import type { Profile } from '../../model/settings.ts'
import type { EngineResolver } from '../contract.ts'

export interface CliOptions {
  readonly clock: Clock
  /** What programs may be given of, and where they are found; that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * Where the runs that are going are written down, so that those of a host that was killed are found and ended; `relevo/runs` in the
   * state directory of the user. Null: nowhere.
   */
  readonly runs?: string | null | undefined
}

export type CliEngineResolver = EngineResolver & {
  /** Where the program of a profile is, or how to get it; undefined for a profile of no CLI. */
  locate(profile: Profile): { readonly path: string; readonly takesKey: boolean } | { readonly command: string; readonly install: string } | undefined
  /** Ends what a killed host has left behind, unless that was done. A first run does it, too. */
  sweep(): void
  /** Ends every run; resolves when no process is left. */
  close(): Promise<void>
}
