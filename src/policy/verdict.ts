import type { Failure } from '../model/failure.ts'
import { failure } from '../model/failure.ts'
import type { Finish } from '../model/provider-event.ts'

/** The facts of one finished attempt that decisions read; its text stays outside. */
export interface AttemptEnd {
  readonly mode: 'stream' | 'call'
  /** Null: the completion signal was seen (R25). */
  readonly failure: Failure | null
  readonly finish: Finish
  /** Visible text or a tool call is there (R19). */
  readonly answered: boolean
  /** An event sink has been handed text, reasoning or a provider-executed tool (R27). */
  readonly committed: boolean
  /** A tool ran at the provider; such a call is never made again (R28). */
  readonly providerTools: boolean
}

/** What an attempt came to: an answer, or a failure of one kind. An empty answer and a refusal are failures here (R19, R22). */
export type Verdict = { readonly result: 'ok' | 'incomplete' } | { readonly result: 'failed'; readonly failure: Failure }

/** Finishes that say that the model stopped before its answer was whole: a bound was reached, or a provider's own tool loop paused. */
const INCOMPLETE: ReadonlySet<AttemptEnd['finish']> = new Set(['length', 'model_context_window_exceeded', 'pause_turn'])

/** Reads an attempt that ended. An incomplete finish with an answer is incomplete, without one it is empty (C16, C41). */
export function verdict(end: AttemptEnd): Verdict {
  if (end.failure !== null) return { result: 'failed', failure: end.failure }
  const phase = end.mode === 'stream' ? 'stream' : 'call'
  if (end.finish === 'content_filter') return { result: 'failed', failure: failure('refusal', phase, 'the provider filtered or refused the answer') }
  if (!end.answered) return { result: 'failed', failure: failure('empty', phase, 'the answer has no text and no tool call') }
  return { result: INCOMPLETE.has(end.finish) ? 'incomplete' : 'ok' }
}
