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

/** Events of a provider's own stream, whole, as they may be passed on. */
export interface PassedFrames {
  /** As they came, blank lines included. Empty where they may not be passed. */
  readonly bytes: Uint8Array
  /** What was read in them; none for plain text that the reader let pass unread. */
  readonly events: readonly ProviderEvent[]
  /** The same, taken apart; none for what was not read. */
  readonly frames: readonly StreamFrame[]
  /** From the finish marker on. */
  readonly ending: boolean
  /** They may repeat whole texts that were told in pieces before. */
  readonly repeats?: boolean
  /** The frames with their texts put in anew: `piece` is asked once for each text event, `whole` for each text that stands there whole. */
  shown?(texts: { readonly piece: () => string; readonly whole: (text: string) => string }): readonly StreamFrame[]
  /** A frame with one more piece of the text that these brought; none where that is not possible. */
  further?(text: string): readonly StreamFrame[]
  /** Frames as bytes of the stream. */
  written?(frames: readonly StreamFrame[]): Uint8Array
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
  /** In an attempt that passes through (`AttemptRequest.passThrough`): the stream itself, in place of the events that it says. */
  | ({ readonly type: 'frames' } & PassedFrames)
  /** In a call that passes through: the JSON of the answer as it came, told before what it says. */
  | { readonly type: 'body'; readonly json: string }
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
