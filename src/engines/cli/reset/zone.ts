/**
 * Wall clocks and instants of a time zone, by Intl alone: it has the zones of the platform, which are those that the programs print by.
 *
 * 1. A wall time is a number: the epoch ms at which a clock in UTC shows the same fields.
 * 2. The instants of a wall time come from the two offsets around it, each checked against the zone. An offset is never added to a guess.
 * 3. Every offset from -14:59 to +14:59 is held, of any minutes, and a change of any size between two days.
 */
export interface Zone {
  /** What the zone is ahead of UTC at an instant, in ms. */
  offsetAt(at: number): number
}

export const DAY_MS = 86_400_000
const MINUTE_MS = 60_000

export const UTC: Zone = { offsetAt: () => 0 }

/** One format a zone, of those that Intl knows: making one costs a hundred times as much as asking it. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** A zone by its name, in any case of letters; null when Intl knows none of that name. */
export function zoneNamed(name: string): Zone | null {
  const key = name.toLowerCase()
  const format = formats.get(key) ?? formatOf(name)
  if (format === null) return null
  formats.set(key, format)
  return { offsetAt: (at) => offsetOf(format, at) }
}

/** Three letters that are a zone. ICU takes two dozen others, which mean something else to who prints them: its `BST` is Dhaka. */
const THREE_LETTERS = new Set(['UTC', 'GMT', 'UCT', 'CET', 'EET', 'MET', 'WET', 'EST', 'MST', 'HST', 'PRC', 'ROC', 'ROK'])

const OFFSET = /^(?:GMT|UTC)?([+\u2212-])(\d{1,2})(?::?(\d{2}))?$/i

/** A zone as a text names it: `Europe/Madrid`, `UTC`, `GMT-3`, `UTC+5:30`; null when it is none that is known. */
export function printedZone(name: string): Zone | null {
  const offset = OFFSET.exec(name)
  if (offset === null) return name.length === 3 && !THREE_LETTERS.has(name.toUpperCase()) ? null : zoneNamed(name)
  const [, sign, hours, minutes] = offset
  if (Number(hours) > 14 || Number(minutes ?? 0) > 59) return null
  const ms = (Number(hours) * 60 + Number(minutes ?? 0)) * MINUTE_MS
  return { offsetAt: () => (sign === '+' ? ms : -ms) }
}

/** What a clock in the zone shows at an instant. */
export function wallAt(zone: Zone, at: number): number {
  return at + zone.offsetAt(at)
}

export interface WallInstants {
  /** Two where a clock set back shows the time twice. */
  readonly instants: readonly number[]
  /** The clock is set forward over this time: no clock ever shows it, and the instant is that of a clock that was not set. */
  readonly skipped: boolean
}

/** When a clock in the zone shows a wall time. The day before and the day after it are on both sides of every change that can touch it. */
export function instantsOf(zone: Zone, wall: number): WallInstants {
  const before = zone.offsetAt(wall - DAY_MS)
  const after = zone.offsetAt(wall + DAY_MS)
  const instants = [wall - before, wall - after].filter((at) => wallAt(zone, at) === wall)
  if (instants.length === 0) return { instants: [wall - before], skipped: true }
  return { instants: [...new Set(instants)], skipped: false }
}

function formatOf(name: string): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  } catch {
    return null
  }
}

function offsetOf(format: Intl.DateTimeFormat, at: number): number {
  const [, sign, hours, minutes, seconds] = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/.exec(format.format(at)) ?? []
  const ms = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS + Number(seconds ?? 0) * 1000
  return sign === '-' ? -ms : ms
}
