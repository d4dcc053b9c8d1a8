import type { FailureKind } from './failure.ts'
import type { Hold } from './hold.ts'
import type { ToolCall } from './message.ts'
import type { FailureEvent, Outcome, WaitReason } from './outcome.ts'
import type { Diagnostic, Identity } from './plan.ts'
import type { StreamFrame } from './provider-event.ts'
import type { AttemptResult, Usage } from './usage.ts'

/**
 * What a host sees of a turn. Facts are `noun.verb` in the past tense and carry `at` (epoch ms); content has a plain name.
 * No fact carries prompt or answer text (R36) but `turn.ended`, which hands the outcome to who holds the turn; the port `facts`, log and
 * channels are told of it without.
 */
export type TurnEvent = TurnFact | TurnContent

/** What happens in a turn; `at` is epoch ms. */
export type TurnFact =
  | { readonly type: 'turn.started'; readonly turn: string; readonly at: number; readonly requested: Identity; readonly entries: readonly string[] }
  | { readonly type: 'warning.raised'; readonly turn: string; readonly at: number; readonly warning: Diagnostic }
  | {
      readonly type: 'attempt.started'
      readonly turn: string
      readonly at: number
      readonly n: number
      readonly entry: string
      readonly profile: string
      readonly model: string
      readonly mode: 'stream' | 'call'
    }
  | {
      readonly type: 'attempt.ended'
      readonly turn: string
      readonly at: number
      readonly n: number
      readonly entry: string
      readonly result: AttemptResult
      readonly accepted: boolean
      readonly usage: Usage | null
      readonly cost: number | null
    }
  | {
      readonly type: 'attempt.failed'
      readonly turn: string
      readonly at: number
      readonly n: number
      readonly kind: FailureKind
      readonly event: FailureEvent
    }
  | { readonly type: 'entry.skipped'; readonly turn: string; readonly at: number; readonly entry: string; readonly event: FailureEvent }
  | { readonly type: 'output.committed'; readonly turn: string; readonly at: number; readonly n: number }
  | { readonly type: 'recovery.started'; readonly turn: string; readonly at: number; readonly from: 'stream_error' | 'semantic_empty' }
  | { readonly type: 'history.shortened'; readonly turn: string; readonly at: number; readonly kept: number; readonly dropped: number }
  | { readonly type: 'hold.set'; readonly turn: string; readonly at: number; readonly hold: Hold }
  | { readonly type: 'wait.started'; readonly turn: string; readonly at: number; readonly ms: number; readonly why: WaitReason; readonly key: string }
  | { readonly type: 'wait.ended'; readonly turn: string; readonly at: number; readonly cut: boolean }
  | { readonly type: 'turn.ended'; readonly turn: string; readonly at: number; readonly outcome: Outcome }

/** What a turn gives its reader. */
export type TurnContent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The whole draft so far; a later one replaces it (R27, C30). */
  | { readonly type: 'draft'; readonly text: string }
  | ({ readonly type: 'toolCall' } & ToolCall)
  | { readonly type: 'providerToolCall'; readonly id: string | null; readonly name: string; readonly arguments: string }
  | { readonly type: 'providerToolResult'; readonly id: string | null; readonly name: string | null; readonly output: string }
  /**
   * Whole events of the provider's own stream as they came, in their order, where the request passes through (`TurnRequest.passThrough`).
   * They stand in place of all other content of that attempt. Told behind `output.committed`; those of an answer that is only tool calls
   * are told with what closes it.
   */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  /**
   * What ends a passed stream that served, told before `turn.ended`: its events from the finish marker to the terminator, where one came.
   */
  | { readonly type: 'ending'; readonly frames: readonly StreamFrame[] }
  /**
   * A whole answer that did not stream: a call, or a recovery (C31). `body`: the provider's own JSON, where the request passed through and
   * nothing of the text had to be taken out.
   */
  | { readonly type: 'answer'; readonly text: string; readonly toolCalls: readonly ToolCall[]; readonly body?: string }
  /** For a person, beside the answer and never part of it (R35). */
  | { readonly type: 'notice'; readonly text: string }
