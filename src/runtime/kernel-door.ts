import type { Observable } from 'rxjs'
import type { z } from 'zod'
import type { SecretSource } from '../config/credential.ts'
import type { settingsSchema } from '../config/schema.ts'
import type { CliOptions } from '../engines/cli/resolver.ts'
import type { EngineResolver } from '../engines/contract.ts'
import type { Clock, RandomSource } from '../model/clock.ts'
import type { Hold } from '../model/hold.ts'
import type { Diagnostic } from '../model/plan.ts'
import type { PriceBook } from '../model/price.ts'
import type { LedgerRow } from '../model/usage.ts'
import type { PlanDescription } from '../plan/describe.ts'
import type { Estimator } from '../plan/effort.ts'
import type { HintDescription, ProfileDescription } from '../plan/listing.ts'
import type { PlanAsk } from '../plan/plan.ts'
import type { HoldStore } from './engine-room.ts'
import type { FactListener } from './fact-log.ts'
import type { Inspector } from './inspect.ts'
import type { Ledger } from './ledger.ts'
import type { Logger } from './log.ts'
import type { OpenTurn } from './open-turn.ts'
import type { OpenTurnRequest, Scopes, TurnRequest } from './request.ts'
import type { EarlierSpending } from './spending.ts'
import type { Team, TeamHandle } from './team/team-door.ts'
import type { Turn } from './turn-handle.ts'

/** The settings as an operator writes them; docs/reference/settings.md lists every field with its default. */
export type KernelConfig = Omit<z.input<typeof settingsSchema>, 'primary'> & {
  /** Null: nothing but a team is run, whose participants name their own providers. A file may leave it out then. */
  readonly primary: string | null
}

/** What a kernel takes from outside; each has a default fit for production. */
export interface KernelPorts {
  /** Wall clock with wakes; `systemClock()`. */
  readonly clock?: Clock | undefined
  /** For jitter; `Math.random`. */
  readonly random?: RandomSource | undefined
  /** Chooses the engine of a profile; one that it has none for gets that of its HTTP protocol, as all do by default. */
  readonly engines?: EngineResolver | undefined
  /** A pino logger or one of its shape; none by default. */
  readonly logger?: Logger | undefined
  /** Sees every actor of the kernel. */
  readonly inspect?: Inspector | undefined
  /** Told of every fact of every turn, without texts (R36): before any sink is, and with whose turn it is. One that throws is reported and harms nobody. */
  readonly facts?: FactListener | undefined
  /** Where attempts are entered; the latest 1 000 in memory. */
  readonly ledger?: Ledger | undefined
  /** Prices of models that the settings give none; none. `relevo/genai-prices` is one. */
  readonly prices?: PriceBook | undefined
  /** What earlier processes spent today: it counts against the budgets of a day and of a profile. Nothing by default. */
  readonly earlier?: Iterable<EarlierSpending> | undefined
  /** Classes a prompt instead of the estimator of the settings (R38): pure, and without calling a model. One that throws keeps the prompt local. */
  readonly estimate?: Estimator | undefined
  /** Where holds are kept beyond this kernel; nowhere. */
  readonly holds?: HoldStore | undefined
  /** How coding-agent CLIs are run: what they may see of the environment, and where runs are written down so that orphans are found. */
  readonly processes?: Omit<CliOptions, 'clock'> | undefined
  /** Used instead of undici by the HTTP protocols. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Reads `{ env }` and `{ file }` credentials; environment and file system. */
  readonly secrets?: SecretSource | undefined
}

/** What `kernel.plan` is asked for. */
export interface PlanQuery extends PlanAsk {
  readonly stream?: boolean | undefined
  /** Where the operator may have chosen a model, nearest first, as of a turn (R40). */
  readonly scope?: Scopes | undefined
}

/** Keeps LLM turns going. */
export interface Kernel {
  /** Tells the kernels of a process apart: what its facts carry as `kernel` on the diagnostics channels. */
  readonly id: string
  /** Starts a turn at the end of the present task. Throws ConfigError on a request that cannot be used. */
  turn(request: TurnRequest): Turn
  /**
   * Opens a turn of several calls: effort is classed once, by `prompt`, and who may be called is decided with it (R37, R39). Throws
   * ConfigError where nothing can be decided, or the name is taken.
   */
  openTurn(request?: OpenTurnRequest): OpenTurn
  /**
   * An operator's choice for every turn of a scope, such as a session or a channel: a model or `hint:<name>`, which turns automatic routing
   * off there; `auto`, which turns it on again, whatever a farther scope has; null or blank: none (R40). Kept as long as the kernel lives.
   */
  chooseModel(scope: string, model: string | null): void
  /** The choice of a scope; null without one. */
  chosenModel(scope: string): string | null
  /** What a turn would try, in which order, and why not. Asks nobody. Throws ConfigError when nothing can be planned. */
  plan(query?: PlanQuery): PlanDescription
  /** The configured profiles, as settings have them. */
  profiles(): readonly ProfileDescription[]
  /** The configured hints, and what each leads to. */
  hints(): readonly HintDescription[]
  /** The holds in force now. */
  holds(): readonly Hold[]
  /** The holds in force, now and at each change. */
  readonly holds$: Observable<readonly Hold[]>
  /** Lifts a hold before its time; waiting turns look again. False when there is none. */
  clearHold(key: string): boolean
  /** Puts a team to work (T1–T23). Throws ConfigError with every problem of its participants, settings and providers. */
  supervise(team: Team): TeamHandle
  readonly ledger: { rows(): readonly LedgerRow[] }
  /** What the settings are warned about. */
  readonly warnings: readonly Diagnostic[]
  /** Takes new settings from the next turn on (R12); a hold stays as long as its credential is the same. Throws ConfigError and changes nothing when they are wrong. */
  reload(config: unknown): void
  /** Cancels every turn in flight and resolves when all have ended. The kernel starts no turn afterwards. */
  stop(): Promise<void>
}
