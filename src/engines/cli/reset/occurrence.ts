import type { StatedDay, StatedWall } from './stated-time.ts'
import { isDate } from './stated-time.ts'
import { DAY_MS, instantsOf, wallAt, type Zone } from './zone.ts'

/**
 * Which instant a stated time is (cli-engines.md §7).
 *
 * 1. The first one after now less ten minutes that has this day and clock. Printed clocks are cut to the minute and notices take a while to
 *    be read, so what has just passed is due now, not a day or a year later.
 * 2. Nothing farther ahead than 40 days and an hour, nor longer ago than the ten minutes: such a text was misread or is not about now.
 * 3. A time that the clock is set forward over is that of a clock that was not set; one that comes twice is the first that has not passed.
 * 4. A clock without a day that is skipped today was not printed for today, as no clock shows it. Where it comes within the day ahead that
 *    programs print bare clocks for, that is the instant; elsewhere 3 holds.
 */
const GRACE_MS = 10 * 60_000
export const FARTHEST_MS = 40 * DAY_MS + 3_600_000

export function occurrence(stated: StatedWall, zone: Zone, now: number): number | null {
  const today = Math.floor(wallAt(zone, now) / DAY_MS) * DAY_MS
  const ahead = days(stated.day, today)
    .map((day) => instantsOf(zone, day + stated.clockMs))
    .flatMap(({ instants, skipped }) => instants.map((at) => ({ at, skipped })))
    .filter(({ at }) => at > now - GRACE_MS && at <= now + FARTHEST_MS)
    .sort((one, other) => one.at - other.at)
  const first = ahead[0]
  if (first === undefined) return null
  if (!first.skipped) return first.at
  // A day of the week or of the year comes again later than that.
  return ahead.find(({ at, skipped }) => !skipped && at < now + DAY_MS)?.at ?? first.at
}

/** The days it may be, as the wall times at which they begin: from the day or the year before, as a few minutes of it may be left. */
function days(day: StatedDay | null, today: number): readonly number[] {
  // Two days ahead is within 24 hours where the midnight between is skipped.
  if (day === null) return [today - DAY_MS, today, today + DAY_MS, today + 2 * DAY_MS]
  if ('weekday' in day) {
    const nine = Array.from({ length: 9 }, (_, index) => today + (index - 1) * DAY_MS)
    return nine.filter((start) => new Date(start).getUTCDay() === day.weekday)
  }
  const thisYear = new Date(today).getUTCFullYear()
  const years = day.year === null ? [thisYear - 1, thisYear, thisYear + 1] : [day.year]
  return years.filter((year) => isDate(year, day.month, day.date)).map((year) => Date.UTC(year, day.month, day.date))
}
