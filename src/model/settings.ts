import type { EndpointPolicy } from './address.ts'
import type { CliSettings } from './cli.ts'
import type { Secret } from './secret.ts'
import type { TeamConfig } from './team.ts'
import type { Price } from './usage.ts'

/** Settings are what the operator wrote, checked: every default filled in, every secret wrapped, nothing left to resolve. */
export interface Settings {
  /** Profile id of the default domain; blank only where there is nothing but a team. */
  readonly primary: string
  /** Explicit model override for the root profile, or null (R2). */
  readonly model: string | null
  readonly profiles: ReadonlyMap<string, Profile>
  /** Why a profile has no credential to be called with, by its id. One that nothing leads to may stand here, until a caller names it (R5). */
  readonly credentialFaults: ReadonlyMap<string, CredentialFault>
  readonly modelRoutes: readonly ModelRoute[]
  readonly reliability: Reliability
  readonly effortRouting: EffortRouting | null
  readonly unknownHint: 'forward' | 'reject'
  readonly modelFallbackNotice: 'off' | 'redacted' | 'detailed'
  /** Where a host keeps attempts for good (R34); the kernel itself opens no file. */
  readonly ledger: { readonly jsonl: string | null; readonly sqlite: string | null }
  /** How `relevo serve` listens, and whom it lets in; the kernel itself serves nothing. */
  readonly gateway: GatewaySettings
  /** What may be spent; null where nothing is bounded. */
  readonly budgets: Budgets | null
  /** How a team works (T1–T23); null without one. */
  readonly team: TeamConfig | null
  /** Which hosts an endpoint may lead to, before and after its name is resolved. */
  readonly endpoints: EndpointPolicy
  /** Markers stripped from visible text (R27). */
  readonly endMarkers: readonly string[]
}

/** What is wrong with a credential, and what to do: in words, without its value. */
export interface CredentialFault {
  readonly code: string
  readonly message: string
  readonly remedy: string
}

/** How the gateway listens. */
export interface GatewaySettings {
  /** 0: any free port. */
  readonly port: number
  /** Any but a loopback address needs keys. */
  readonly host: string
  /** Empty: whoever reaches the port is let in. */
  readonly keys: readonly GatewayKey[]
  /** Longest time until the first byte of an answer; 0: none. */
  readonly firstByteMs: number
}

/** Who may come in, and what for. */
export interface GatewayKey {
  /** As the ledger names it. */
  readonly id: string
  /** Null where it could not be read: nobody is let in by it. */
  readonly secret: Secret | null
  /** What it may ask for, as a client writes it; null: all. */
  readonly models: readonly string[] | null
  /** Requests of it at once. */
  readonly concurrency: number
  /** USD a day of all its requests; null: no bound. */
  readonly perDay: number | null
}

/** Bounds of money in USD, each null where there is none. A day is one of `zone`. */
export interface Budgets {
  readonly perTurn: number | null
  /** Over the life of a kernel; of a team, over its run. */
  readonly perRun: number | null
  readonly perDay: number | null
  /** For each profile a day; `own` names those that have one of their own. */
  readonly perProfile: { readonly each: number | null; readonly own: ReadonlyMap<string, number> }
  /** What an entry is worth whose price nobody knows: over every budget, or nothing. */
  readonly unknownPrice: 'exceeds' | 'ignored'
  readonly zone: string
}

export interface Profile {
  /** `<family>.<alias>` */
  readonly id: string
  readonly family: string
  /** Protocol name such as `openai-chat`; null where the engine needs none. */
  readonly api: string | null
  readonly endpoint: string | null
  /** Which hosts that endpoint may lead to; `endpoints` of the settings. */
  readonly endpointPolicy: EndpointPolicy
  readonly headers: Readonly<Record<string, string>>
  /** How servers that share a protocol differ: a name of `DIALECTS`; null where the protocol has none. */
  readonly dialect: string | null
  /** Further fields of every request body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly model: string | null
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly capabilities: Capabilities
  readonly zone: 'local' | 'cloud'
  /** Tokens, or null when unknown. */
  readonly contextWindow: number | null
  /** Model → price; a model not named has an unknown price. */
  readonly price: Readonly<Record<string, Price>>
  readonly timeouts: Timeouts
  readonly cli: CliSettings | null
  readonly completion: CompletionPolicy
  /** One for a plain key, several for a pool, a single keyless one for a local profile. */
  readonly credentials: readonly Credential[]
}

/** `null` as secret: the profile needs none. `number` counts from 1 in a pool and is null for a single key. */
export interface Credential {
  readonly number: number | null
  readonly secret: Secret | null
}

export interface Capabilities {
  readonly streaming: boolean
  readonly toolEvents: boolean
  readonly tools: boolean
  readonly vision: boolean
}

/** Each deadline is its own failure; null means none. All in ms (R31). */
export interface Timeouts {
  readonly connectMs: number | null
  readonly firstByteMs: number | null
  readonly firstOutputMs: number | null
  readonly idleMs: number | null
  readonly totalMs: number | null
}

/** `strict`/`lenient` for every protocol (R25); `done`, `finish`, `either` for openai-chat (wire.md §8). */
export type CompletionPolicy = 'strict' | 'lenient' | 'done' | 'finish' | 'either'

export interface ModelRoute {
  readonly hint: string
  readonly modelProvider: string
  readonly model: string
  readonly secret: Secret | null
}

export interface Reliability {
  readonly providerRetries: number
  readonly providerBackoffMs: number
  readonly maxBackoffMs: number
  readonly maxInTurnWaitMs: number
  readonly defaultCooldownMs: number
  readonly onAllHeld: 'wait' | 'fail'
  readonly onRefusal: 'stop' | 'advance'
  /** Share of a backoff that chance may take off or add, 0 to 1 (R14). */
  readonly jitter: number
}

export interface EffortRouting {
  readonly localHint: string
  readonly cloudHint: string
  readonly escalation: string
  readonly signals: readonly string[]
  readonly complexOver: number
  readonly simpleUnder: number
}
