import type { FailureKind } from './failure.ts'
import type { AssistantMessage, ToolCall } from './message.ts'
import type { Diagnostic, Identity } from './plan.ts'
import type { AttemptResult, Usage } from './usage.ts'

export type OutcomeKind =
  | 'ok'
  | 'incomplete'
  | 'refused'
  | 'exhausted'
  | 'all_held'
  | 'budget'
  | 'context_window'
  | 'interrupted'
  | 'cancelled'
  | 'provider_tools_without_final'
  | 'config_error'
  | 'defect'

/** One physical call as the outcome lists it. Instants are epoch ms. */
export interface AttemptRecord {
  readonly n: number
  /** `profile/model`, or `profile/*` for an unpinned entry. */
  readonly entry: string
  readonly mode: 'stream' | 'call'
  readonly startedAt: number
  readonly endedAt: number | null
  readonly result: AttemptResult | null
  readonly accepted: boolean
  readonly usage: Usage | null
  /** USD. */
  readonly cost: number | null
}

export type FailureReason =
  | 'retryable'
  | 'non_retryable'
  | 'rate_limited'
  | 'rate_limited_non_retryable'
  | 'empty_response'
  | 'context_window'
  | 'refused'
  | 'held'
  | 'over_budget'

/** One line of why a walk went on (R21). Carries no identity: `attempt` 0 is an entry skipped while held, or over a budget. */
export interface FailureEvent {
  readonly event: number
  readonly attempt: number
  readonly of: number
  readonly reason: FailureReason
  readonly kind: FailureKind
  readonly phase: string
  /** A retry hint in ms, when one was stated. */
  readonly hintMs: number | null
}

export type WaitReason = 'backoff' | 'retry_after' | 'hold'

/** How a turn ended, and what it came to. docs/operating.md says what each `kind` means and what to do. Instants are epoch ms. */
export interface Outcome {
  readonly kind: OutcomeKind
  readonly text: string
  /** Readable thoughts that came with the answer; empty when none did. No part of the text and no answer by themselves (R19). */
  readonly reasoning: string
  readonly toolCalls: readonly ToolCall[]
  /**
   * The answer as a message of the history, with what its issuer wants back unchanged (`issued`): append it, then the results of its
   * tool calls, and ask again. Null without an answer.
   */
  readonly message: AssistantMessage | null
  /** Text that had been forwarded before the turn broke off; null when none was. */
  readonly partialText: string | null
  /** Null only when the turn could not be planned. */
  readonly requested: Identity | null
  readonly served: Identity | null
  readonly attempts: readonly AttemptRecord[]
  readonly failures: readonly FailureEvent[]
  /** Sum over the attempts; null when no attempt told any. */
  readonly usage: Usage | null
  /** USD, the sum of the rows; null when any row with usage has an unknown cost, and when none is billed by the call. */
  readonly cost: number | null
  /** What a person may be told about a fallback; never part of the text (R35). */
  readonly notice: string | null
  /** With `all_held` the instant (epoch ms) of the earliest reset; with `budget` that of the next day, where one brings an entry back. */
  readonly retryAt: number | null
  /** A recovery record; null when the first entry served under the name asked for (R33). */
  readonly attribution: { readonly requested: Identity; readonly served: Identity } | null
  readonly recoveredFrom: 'stream_error' | 'semantic_empty' | null
  readonly historyShortened: boolean
  /** The answer is whole, but its stream ended without the protocol's terminator; usage may be missing. */
  readonly unterminated: boolean
  /** With `config_error`: what is wrong and where. */
  readonly error: Diagnostic | null
  readonly startedAt: number
  readonly endedAt: number
}
