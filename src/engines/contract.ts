import type { Observable } from 'rxjs'
import type { Clock } from '../model/clock.ts'
import type { Message, ProviderOptions, ToolDefinition } from '../model/message.ts'
import type { ProviderEvent } from '../model/provider-event.ts'
import type { Secret } from '../model/secret.ts'
import type { Profile } from '../model/settings.ts'

/**
 * The engine contract.
 *
 * 1. One subscription is one physical attempt; the request is not sent before it.
 * 2. The stream ends in exactly one `final` or `failed`, then completes. It never errors and never throws.
 * 3. Unsubscribing reaches the socket or process at once; nothing is emitted afterwards.
 * 4. An engine retries nothing and knows no other profile (R1, R23, R32).
 * 5. While `flow.full` is true the engine stops reading; it goes on when `flow.onDrain` calls back.
 * 6. Deadlines of `profile.timeouts` are kept by the engine, on the clock it is given.
 */
export interface Engine {
  attempt(request: AttemptRequest): Observable<ProviderEvent>
}

/** Chooses the engine of a profile; undefined when the profile cannot be built. */
export type EngineResolver = (profile: Profile) => Engine | undefined

export interface AttemptRequest {
  readonly turn: string
  /** Number of the attempt in its turn, from 1. */
  readonly n: number
  readonly mode: 'stream' | 'call'
  readonly profile: Profile
  /** Signs this request and appears nowhere else. */
  readonly secret: Secret | null
  /** The profile as printed, `#n` included; the scripted engine is keyed by it. */
  readonly entry: string
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools: readonly ToolDefinition[]
  readonly options: CallOptions
  readonly clock: Clock
  readonly flow: Flow
}

/** What a caller may ask of the model beyond the messages; undefined leaves it to the provider. */
export interface CallOptions {
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly stop?: readonly string[] | undefined
  readonly reasoningEffort?: 'low' | 'medium' | 'high' | undefined
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly name: string } | undefined
  readonly responseSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> } | undefined
  /** Further fields of the request body, by family or profile id: each reaches the entries of that name and no other (R1). */
  readonly providerOptions?: ProviderOptions | undefined
}

/** Demand of the reader. `full` true: stop reading the socket. */
export interface Flow {
  readonly full: boolean
  /** Calls back once when there is room again. */
  onDrain(resume: () => void): void
}

/** A reader that is never slow. */
export const openFlow: Flow = { full: false, onDrain: (resume) => resume() }
