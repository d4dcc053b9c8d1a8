import type { ProviderEvent } from '../model/provider-event.ts'
import type { AttemptEnd } from './verdict.ts'

/**
 * The replay boundary (R27, R28): what a reader has seen is never produced again.
 * Only the event sink commits; a draft may be replaced. Buffered tool calls are not output.
 */
export function commits(type: ProviderEvent['type'], eventSink: boolean): boolean {
  return eventSink && (type === 'text' || type === 'reasoning' || isProviderTool(type))
}

function isProviderTool(type: ProviderEvent['type']): boolean {
  return type === 'providerToolCall' || type === 'providerToolResult'
}

/**
 * Whether the call may be made again after this end. Tools that ran at the provider forbid it whichever sink is there; shown output
 * forbids it after a failure, while a stream that ended in order without an answer may be recovered with its reasoning left shown (R29).
 */
export function isReplayable(end: AttemptEnd): boolean {
  if (end.providerTools) return false
  return !end.committed || end.failure === null
}

/** The text kept as a partial answer: what was forwarded, or null when none was (R28, R30). */
export function partialText(forwarded: string): string | null {
  return forwarded === '' ? null : forwarded
}
