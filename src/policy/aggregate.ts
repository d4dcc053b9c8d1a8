import type { FailureEvent, OutcomeKind } from '../model/outcome.ts'

const MOST_EVENTS = 8
const MOST_BYTES = 2048

/**
 * The one text of a turn that nobody served (R21): why the walk stopped, then at most 8 events, at most 2 048 bytes in all, the rest
 * counted. It names no provider, model, endpoint or credential and quotes no provider; its alphabet is ASCII, so characters are bytes.
 */
export function aggregate(kind: OutcomeKind, failures: readonly FailureEvent[]): string {
  let text = STOPPED[kind] ?? 'the turn was not served'
  let told = 0
  for (const each of failures.slice(0, MOST_EVENTS)) {
    const line = `; ${describe(each)}`
    if (text.length + line.length > MOST_BYTES - REST_RESERVE) break
    text += line
    told++
  }
  const rest = failures.length - told
  return rest === 0 ? text : `${text}; and ${rest} more`
}

const REST_RESERVE = 32

const STOPPED: Partial<Record<OutcomeKind, string>> = {
  exhausted: 'every allowed entry failed',
  all_held: 'every allowed entry is held',
  budget: 'nobody who may be asked is within the budgets of money',
  context_window: 'the conversation does not fit the context window',
  interrupted: 'the stream broke off after output was shown',
  refused: 'the provider refused to answer',
  cancelled: 'the turn was cancelled',
  provider_tools_without_final: 'tools ran at the provider and no answer followed',
}

function describe(each: FailureEvent): string {
  const hint = each.hintMs === null ? '' : `, retry after ${Math.round(each.hintMs)} ms`
  return `${each.event}: attempt ${each.attempt}/${each.of} ${each.reason} (${each.kind}, ${each.phase}${hint})`
}
