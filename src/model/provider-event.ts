import type { Failure } from './failure.ts'
import type { ToolCall } from './message.ts'
import type { AttemptResult, Usage } from './usage.ts'

/** Why a model stopped, in one vocabulary; null when the wire never said, any other word as the wire has it. */
export type Finish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | (string & {}) | null

export interface Iteration {
  readonly model: string
  readonly usage: Usage
  /** What it came to, where the provider tells; of the last one the end of the attempt says it. */
  readonly result?: AttemptResult | undefined
}

/** One event of a provider's own stream, as server-sent events name its parts. */
export interface StreamFrame {
  /** Its `event:` line; null without one. */
  readonly event: string | null
  readonly data: string
}

/**
 * What an engine says during one attempt. A stream of them ends in exactly one `final` or `failed`, which is the last event.
 * Tool calls come only once the finish marker was seen (wire.md §12.4); `usage` counts are running totals, the last one counts.
 */
export type ProviderEvent =
  /** The provider accepted the request and its answer begins; no output yet. */
  | { readonly type: 'opened' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  | ({ readonly type: 'toolCall' } & ToolCall)
  /** A tool that runs at the provider; it can never be taken back. */
  | { readonly type: 'providerToolCall'; readonly id: string | null; readonly name: string; readonly arguments: string }
  | { readonly type: 'providerToolResult'; readonly id: string | null; readonly name: string | null; readonly output: string }
  | ({ readonly type: 'usage' } & Usage)
  /**
   * The models that the provider itself tried inside this one response, in order, each with its own tokens; the last one answered. Told
   * before the end, and only where it tried more than one, or went past the one that was asked, which then stands first without tokens.
   */
  | { readonly type: 'iterations'; readonly iterations: readonly Iteration[] }
  /** What a CLI says that this run would cost by the token, in USD; a running total. */
  | { readonly type: 'reportedCost'; readonly usd: number }
  /** What its issuer wants back unchanged with this answer; no output, and nobody else can read it. */
  | { readonly type: 'issued'; readonly data: Readonly<Record<string, unknown>> }
  | {
      readonly type: 'final'
      readonly finish: Finish
      /** The terminator of the protocol was seen (wire.md §0). */
      readonly terminated: boolean
      /** More content stood after the terminal marker; it was ignored (R25). */
      readonly contentAfter?: boolean
    }
  | { readonly type: 'failed'; readonly failure: Failure }
