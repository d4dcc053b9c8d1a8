/**
 * Durations as programs print them: `34.07s`, `2h31m33s`, `1d 12h 30m`, `5 days 22 hours 11 minutes`, `less than a minute`.
 *
 * 1. Computed on the digits and rounded up to a whole ms: nothing is asked before its time.
 * 2. A part is a number and a unit. What follows the last part is not looked at.
 */
export interface PrintedDuration {
  readonly ms: number
  /** `duration`: units as letters. `relative`: at least one in words. */
  readonly source: 'duration' | 'relative'
  /** Where it ends in the text. */
  readonly end: number
}

const WEEK = 604_800_000
const DAY = 86_400_000
const HOUR = 3_600_000
const MINUTE = 60_000

const UNIT_MS: Readonly<Record<string, number>> = {
  w: WEEK,
  week: WEEK,
  d: DAY,
  day: DAY,
  h: HOUR,
  hr: HOUR,
  hour: HOUR,
  m: MINUTE,
  min: MINUTE,
  minute: MINUTE,
  s: 1000,
  sec: 1000,
  second: 1000,
  ms: 1,
  millisecond: 1,
}

const PART = /(\d{1,15})(?:\.(\d{1,30}))? ?(weeks?|days?|hours?|hrs?|minutes?|mins?|seconds?|secs?|milliseconds?|ms|w|d|h|m|s)(?![a-z])/iy
const COMPACT = /^(?:w|d|h|m|s|ms)$/i
const JOIN = /,? ?(?:and )?/iy
/** A program that rounds to minutes says so of anything below one. The longest that it can be is what is waited. */
const LESS_THAN = /(?:less than )?/iy
const ONE = /an? (week|day|hour|minute|second)(?![a-z])/iy

const DECIMALS = 30

/** The duration that begins at this place of a text; null when none does. */
export function printedDuration(text: string, from: number): PrintedDuration | null {
  LESS_THAN.lastIndex = from
  LESS_THAN.exec(text)
  ONE.lastIndex = LESS_THAN.lastIndex
  const one = ONE.exec(text)
  if (one !== null) return { ms: unitMs(one[1] ?? ''), source: 'relative', end: ONE.lastIndex }
  return parts(text, LESS_THAN.lastIndex)
}

function parts(text: string, from: number): PrintedDuration | null {
  let scaled = 0n
  let source: PrintedDuration['source'] = 'duration'
  let end = from
  for (let next = from; ; ) {
    PART.lastIndex = next
    const part = PART.exec(text)
    if (part === null) break
    const [, whole = '', decimals = '', unit = ''] = part
    scaled += BigInt(whole + decimals.padEnd(DECIMALS, '0')) * BigInt(unitMs(unit))
    if (!COMPACT.test(unit)) source = 'relative'
    end = PART.lastIndex
    JOIN.lastIndex = end
    JOIN.exec(text)
    next = JOIN.lastIndex
  }
  if (end === from) return null
  const one = 10n ** BigInt(DECIMALS)
  return { ms: Number((scaled + one - 1n) / one), source, end }
}

function unitMs(unit: string): number {
  const name = unit.toLowerCase()
  return UNIT_MS[name] ?? UNIT_MS[name.replace(/s$/, '')] ?? 0
}
