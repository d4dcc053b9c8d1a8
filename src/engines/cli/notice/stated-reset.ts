import { believed, readDuration, readInstant, readReset } from '../reset/read-reset.ts'
import type { Reset, ResetView } from '../reset/reset.ts'
import { isRate, type Reading } from './classify.ts'

/**
 * When what was read ends (cli-engines.md §6 rule 2, §7).
 *
 * 1. An instant in a field comes before a wait in a field, and both before the text.
 * 2. A quota of a day does not end in seconds: a short wait beside one is the client's own pause and is not believed.
 */

/** A wait up to here is a throttle; past it the same words are a limit. */
export const LONGEST_THROTTLE_MS = 5 * 60_000

const DAILY = /\bdaily\b|\bper day\b/i

export function statedReset({ statement, text, kind }: Reading, view: ResetView): Reset | null {
  const { facts } = statement
  const reset = believed(readInstant(facts.resetsAt), view.now) ?? waited(facts.waits, view.now) ?? (statement.tooLong ? null : readReset(text, view))
  if (reset === null) return null
  const isShort = reset.at - view.now <= LONGEST_THROTTLE_MS && (reset.source === 'duration' || reset.source === 'relative')
  return isShort && kind === 'limit' && (facts.daily || DAILY.test(text)) ? null : reset
}

/** What was passed is counted by the minute, so that it is a rate even where nothing says how long to wait. */
export function isOfMinutes({ statement }: Reading): boolean {
  const { facts, text } = statement
  return !facts.daily && (facts.perMinute || isRate(statement) || /\bper[ -]minute\b/i.test(text))
}

function waited(waits: readonly string[], now: number): Reset | null {
  for (const wait of waits) {
    const duration = readDuration(wait)
    if (duration !== null) return behind(now, duration)
  }
  return null
}

/** An instant that exists, or null. */
export function behind(now: number, { ms, source }: { readonly ms: number; readonly source: Reset['source'] }): Reset | null {
  const at = now + ms
  return Number.isNaN(new Date(at).getTime()) ? null : { at, source }
}
