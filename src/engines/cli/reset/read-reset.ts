import { epochAt } from '../../http/duration.ts'
import { FARTHEST_MS, occurrence } from './occurrence.ts'
import { type PrintedDuration, printedDuration } from './printed-duration.ts'
import type { Reset, ResetView } from './reset.ts'
import { type StatedWall, statedTime } from './stated-time.ts'
import { printedZone, UTC, zoneNamed } from './zone.ts'

/**
 * When a limit ends, as a program prints it (cli-engines.md §7). The one reader for what is shown and for what is waited for.
 *
 * 1. A time counts only where it stands directly behind words that announce one, so that the `5h` of `every 5h` is none. The first such
 *    place decides: a time that cannot be read there is not looked for elsewhere.
 * 2. No text makes it throw, and every text costs its length.
 * 3. Nothing is read that is more than 40 days and an hour ahead: no limit lasts as long, and whoever believed it would wait for years. What
 *    has passed is told of instants alone, in JSON or in a text; days and clocks are those to come (`occurrence.ts`).
 */

/** `Claude AI usage limit reached|1749924000`, perhaps with a line end behind the bar. */
const BAR = /\| ?(\d{10,13})(?!\d)/

/** Words that announce a time, up to its first character. */
const LEAD = new RegExp(
  `(?<![a-z0-9_])(?:${[
    '(?:resets?|resuming)(?: (?:in|at|on|after))?',
    '(?:try again|retry|retrying) (?:in|at|on|after)',
    'continuing automatically (?:in|at|on)',
    'cycle ends on',
    // The Antigravity IDE, whose notices a gateway passes on.
    'resume using this model at',
  ].join('|')}):? `,
  'gi',
)

/** Farther than this from 1970 a day before or after has no date any more. */
const LAST_NOW = 8.6e15

/** The reset that a normalised text states; null when it states none, or none that can be read. */
export function readReset(text: string, view: ResetView): Reset | null {
  const bar = BAR.exec(text)
  if (bar !== null) return believed(readInstant(bar[1]), view.now)
  if (!(Math.abs(view.now) <= LAST_NOW)) return null
  for (const lead of text.matchAll(LEAD)) {
    const reset = timeAt(text, lead.index + lead[0].length, view)
    if (reset !== undefined) return reset
  }
  return null
}

/** Undefined when there is no time at this place, null when there is one that cannot be read. */
function timeAt(text: string, from: number, view: ResetView): Reset | null | undefined {
  const duration = printedDuration(text, from)
  if (duration !== null) return duration.ms <= FARTHEST_MS ? { at: view.now + duration.ms, source: duration.source } : null
  const stated = statedTime(text, from)
  if (stated === null) return undefined
  if (stated.kind === 'unreadable') return null
  return stated.kind === 'instant' ? believed({ at: stated.at, source: 'iso' }, view.now) : wallReset(stated, view)
}

/** A zone that is not known says nothing: the clock is then that of the program that printed it. */
function wallReset(stated: StatedWall, view: ResetView): Reset | null {
  const printed = stated.zone === null ? null : printedZone(stated.zone)
  const at = occurrence(stated, printed ?? zoneNamed(view.zone) ?? UTC, view.now)
  if (at === null) return null
  return { at, source: printed === null || stated.form === 'datetime' ? stated.form : `${stated.form}_tz` }
}

/** ISO 8601 as JSON fields have it, or a part of it that is a whole day. */
const ISO = /^\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,30})?)?(?:z|[+-]\d\d(?::?\d\d)?)?)?$/i

/** The reset, unless it is farther ahead than any limit lasts. */
export function believed(reset: Reset | null, now: number): Reset | null {
  return reset !== null && reset.at - now <= FARTHEST_MS ? reset : null
}

/** The instant of a JSON field, wherever it lies: epoch seconds or ms as a number or in digits, or ISO 8601, which is UTC where it names no offset. */
export function readInstant(value: unknown): Reset | null {
  if (typeof value === 'number') return epoch(value)
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\d{1,17}(?:\.\d{1,9})?$/.test(text)) return epoch(Number(text))
  const stated = ISO.test(text) ? statedTime(text, 0) : null
  if (stated?.kind === 'instant') return { at: stated.at, source: 'iso' }
  const day = stated?.kind === 'wall' ? stated.day : null
  if (stated?.kind !== 'wall' || day === null || !('date' in day) || day.year === null) return null
  return { at: Date.UTC(day.year, day.month, day.date) + stated.clockMs, source: 'iso' }
}

/** The duration that a text is, as in the fields `retryDelay` and `quotaResetDelay`; null for what is none, or is too long to be believed. */
export function readDuration(text: string): Pick<PrintedDuration, 'ms' | 'source'> | null {
  const trimmed = text.trim()
  const duration = printedDuration(trimmed, 0)
  if (duration === null || duration.ms > FARTHEST_MS || !/^\.?$/.test(trimmed.slice(duration.end))) return null
  return { ms: duration.ms, source: duration.source }
}

/** The ms that 10 digits of seconds begin with, in 2001. What would lie before it as ms was seconds of a year such as 9999. */
const FIRST_MS = 1e12

function epoch(value: number): Reset | null {
  const at = epochAt(value)
  return at === null || at < FIRST_MS ? null : { at, source: 'unix' }
}
