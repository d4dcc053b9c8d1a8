/**
 * The time that begins at a place of a text, as it is written there: what day, what clock, what zone. What instant that is, is decided in
 * `occurrence.ts`. Text is normalised (`normalise.ts`).
 *
 * 1. A date is looked for before a weekday, a weekday before a clock, and what has the shape of one and cannot be read is `unreadable`: it
 *    is never read as the next form, nor a date with an unreadable clock as the beginning of its day.
 * 2. Out of range is unreadable: 13pm, 25:00, 10/32.
 * 3. Patterns are tried at one place only and repeat nothing without a bound.
 */
export type StatedTime = StatedWall | { readonly kind: 'instant'; readonly at: number } | { readonly kind: 'unreadable' }

export interface StatedWall {
  readonly kind: 'wall'
  /** `datetime` is a date and a clock in ISO order, without a zone of its own. */
  readonly form: 'datetime' | 'date' | 'weekday' | 'clock'
  readonly day: StatedDay | null
  /** Since the beginning of the day; 0 where no clock is stated. */
  readonly clockMs: number
  /** As printed behind it; null when none is. */
  readonly zone: string | null
}

/** Weekdays from 0, a Sunday; months from 0; no year: the next such day. */
export type StatedDay = { readonly weekday: number } | { readonly year: number | null; readonly month: number; readonly date: number }

interface DayRead {
  readonly form: 'iso' | 'date' | 'weekday'
  readonly day: StatedDay | null
  readonly end: number
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const MONTH = 'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?'
const WEEKDAY = 'mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?'

/** Shapes are wider than what is readable, so that a broken date is seen to be one. */
const ISO_DATE = /(\d{4})-(\d{1,3})-(\d{1,3})(?!\d)/iy
const SLASH_DATE = /(\d{1,4})\/(\d{1,4})(?:\/(\d{1,9}))?/iy
const NAMED_DATE = new RegExp(String.raw`(?:(?:${WEEKDAY})\.?,? )?(${MONTH})\.? (\d{1,4})(?:st|nd|rd|th)?(?:,? (\d{4})(?![\d:]))?(?![a-z\d])`, 'iy')
/** One that stands before a date is no day of its own. */
const NAMED_WEEKDAY = new RegExp(String.raw`(${WEEKDAY})(?![a-z]|\.?,? (?:${MONTH})(?![a-z]))`, 'iy')

const MERIDIEM = String.raw` ?([ap])\.? ?m(?![a-z\d])\.?`
const CLOCK = new RegExp(String.raw`(\d{1,2})(?::(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?)?(?:${MERIDIEM}|(?![a-z\d:]| [ap]\.?m))`, 'iy')
/** Between a day and its clock. */
const TO_CLOCK = /,? (?:at )?|,/iy
const ISO_TO_CLOCK = /t|,? (?:at )?/iy
/** A clock behind an ISO date may carry its offset; then the whole is an instant. */
const ISO_CLOCK = /(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,30}))?)?(?:z|([+-])(\d{2})(?::?(\d{2}))?)(?![a-z\d:])/iy

const ZONE = / ?\(([a-z0-9_+\-\u2212/:]{1,64})\)| ((?:utc|gmt)(?:[+\u2212-]\d{1,2}(?::?\d{2})?)?|[a-z_]{1,32}\/[a-z0-9_+/-]{1,48})(?![a-z\d_/])/iy

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const UNREADABLE = { kind: 'unreadable' } as const

/** Null when nothing at this place has the shape of a time. */
export function statedTime(text: string, from: number): StatedTime | null {
  const day = dayAt(text, from)
  if (day === null) return clockAlone(text, from)
  if (day.day === null) return UNREADABLE
  const between = tried(day.form === 'iso' ? ISO_TO_CLOCK : TO_CLOCK, text, day.end)
  const clockFrom = day.end + (between?.[0].length ?? 0)
  const isClock = between !== null && (/at/i.test(between[0]) || /\d/.test(text.charAt(clockFrom)))
  if (day.form === 'iso' && isClock) {
    const instant = isoInstant(day.day, text, clockFrom)
    if (instant !== null) return instant
  }
  const form = day.form === 'iso' ? 'date' : day.form
  if (!isClock) return { kind: 'wall', form, day: day.day, clockMs: 0, zone: zoneAt(text, day.end) }
  const clock = clockAt(text, clockFrom)
  if (clock === null) return UNREADABLE
  return { kind: 'wall', form: day.form === 'iso' ? 'datetime' : form, day: day.day, clockMs: clock.ms, zone: zoneAt(text, clock.end) }
}

function clockAlone(text: string, from: number): StatedTime | null {
  const shape = tried(CLOCK, text, from)
  // A number alone is no clock.
  if (shape === null || (shape[2] === undefined && shape[5] === undefined)) return null
  const clock = clockAt(text, from)
  return clock === null ? UNREADABLE : { kind: 'wall', form: 'clock', day: null, clockMs: clock.ms, zone: zoneAt(text, clock.end) }
}

function dayAt(text: string, from: number): DayRead | null {
  const iso = tried(ISO_DATE, text, from)
  if (iso !== null) return dateRead('iso', iso, Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]))
  const slash = tried(SLASH_DATE, text, from)
  if (slash !== null) return dateRead('date', slash, slash[3] === undefined ? null : Number(slash[3]), Number(slash[1]) - 1, Number(slash[2]))
  const named = tried(NAMED_DATE, text, from)
  if (named !== null) {
    const month = MONTHS.indexOf((named[1] ?? '').slice(0, 3).toLowerCase())
    return dateRead('date', named, named[3] === undefined ? null : Number(named[3]), month, Number(named[2]))
  }
  const weekday = tried(NAMED_WEEKDAY, text, from)
  if (weekday === null) return null
  const day = { weekday: WEEKDAYS.indexOf((weekday[1] ?? '').slice(0, 3).toLowerCase()) }
  return { form: 'weekday', day, end: weekday.index + weekday[0].length }
}

/** A day that no year has is unreadable; whether this year has it is seen when its instant is looked for. */
function dateRead(form: 'iso' | 'date', match: RegExpExecArray, year: number | null, month: number, date: number): DayRead {
  const end = match.index + match[0].length
  const exists = isDate(year ?? LEAP_YEAR, month, date)
  return { form, day: exists ? { year, month, date } : null, end }
}

const LEAP_YEAR = 2024

export function isDate(year: number, month: number, date: number): boolean {
  const at = new Date(Date.UTC(year, month, date))
  return at.getUTCFullYear() === year && at.getUTCMonth() === month && at.getUTCDate() === date
}

function clockAt(text: string, from: number): { readonly ms: number; readonly end: number } | null {
  const match = tried(CLOCK, text, from)
  if (match === null) return null
  const [all, hours, minutes, seconds, fraction, half] = match
  if (minutes === undefined && half === undefined) return null
  const hour = half === undefined ? hourOf24(Number(hours)) : hourOf12(Number(hours), half.toLowerCase() === 'p')
  const ms = hour === null ? null : clockMs(hour, minutes, seconds, fraction)
  return ms === null ? null : { ms, end: from + all.length }
}

function hourOf24(hour: number): number | null {
  return hour <= 23 ? hour : null
}

function hourOf12(hour: number, isAfternoon: boolean): number | null {
  return hour >= 1 && hour <= 12 ? (hour % 12) + (isAfternoon ? 12 : 0) : null
}

/** A fraction of a ms counts as a whole one. */
function clockMs(hour: number, minutes = '0', seconds = '0', fraction = ''): number | null {
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0')) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0)
  return hour * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * 1000 + ms
}

/** Null when the clock at this place carries no offset. */
function isoInstant(day: StatedDay, text: string, from: number): StatedTime | null {
  const match = tried(ISO_CLOCK, text, from)
  if (match === null || !('date' in day) || day.year === null) return null
  const [, hours, minutes, seconds, fraction, sign, aheadHours = '0', aheadMinutes = '0'] = match
  const ms = clockMs(Number(hours), minutes, seconds, fraction)
  if (ms === null || Number(aheadHours) > 14 || Number(aheadMinutes) > 59) return UNREADABLE
  const ahead = (Number(aheadHours) * 60 + Number(aheadMinutes)) * MINUTE_MS
  return { kind: 'instant', at: Date.UTC(day.year, day.month, day.date) + ms - (sign === '-' ? -ahead : ahead) }
}

function zoneAt(text: string, from: number): string | null {
  const match = tried(ZONE, text, from)
  return match?.[1] ?? match?.[2] ?? null
}

function tried(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from
  return pattern.exec(text)
}
