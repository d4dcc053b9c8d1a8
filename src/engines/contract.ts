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
  /** What a client of one protocol wrote, where an entry that speaks it may be sent that in place of the messages. */
  readonly passThrough?: PassThrough | undefined
  /** Set with `passThrough`, by whoever reads the attempt: what of a passed stream need not be decoded any more. */
  readonly skim?: Skim | undefined
}

/** A request as a client of one protocol wrote it. */
export interface PassThrough {
  /** Protocol of the client, by its name in settings: `openai-chat`, `openai-responses` or `anthropic-messages`. */
  readonly api: string
  /** The JSON body. Read at each attempt and never changed; its model and whether it streams are decided by the walk. */
  readonly body: Readonly<Record<string, unknown>>
  /**
   * Further headers of the client. Those of the protocol, the profile and the signature displace them, and none that signs a request or
   * belongs to one connection is sent.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** What the reader of a passed stream has no need to see decoded. */
export interface Skim {
  /** Null: everything is decoded. Else events of plain text that hold none of these beginnings are passed as they came. */
  stopsAt: readonly string[] | null
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
