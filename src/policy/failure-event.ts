import type { Failure } from '../model/failure.ts'
import type { FailureEvent } from '../model/outcome.ts'
import { reasonOf } from './disposition.ts'

/** The event of a failed attempt: `attempt` of `of` on its entry; a stream is 1 of 1 (R21, C28). Carries no identity and no provider text. */
export function failureEvent(event: number, failed: Failure, attempt: number, of: number): FailureEvent {
  return { event, attempt, of, reason: reasonOf(failed.kind, failed.status), kind: failed.kind, phase: failed.phase, hintMs: failed.retryAfterMs }
}

/** The event of an entry that was passed because it is held or over a budget, which is no attempt (R18, C28). */
export function skipEvent(event: number, of: number, why: 'held' | 'over_budget'): FailureEvent {
  const kind = why === 'held' ? 'rate_limited' : 'quota_exhausted'
  return { event, attempt: 0, of, reason: why, kind, phase: 'selection', hintMs: null }
}
