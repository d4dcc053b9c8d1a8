/** How CLIs print when a limit ends, in the zone of the process; one that is unknown prints UTC, as the real ones do. */
interface Wall {
  readonly year: number
  /** From 1. */
  readonly month: number
  readonly day: number
  /** 1 to 12. */
  readonly hour: number
  readonly minute: number
  readonly half: 'am' | 'pm'
  readonly zone: string
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const DAY_MS = 86_400_000

/** `3:45pm (UTC)`: cut to the minute, without minutes at the full hour, with the day from 24 hours on and the year where it is another. */
export function claudeClock(at: number, now: number, zone: string): string {
  const wall = wallOf(at, zone)
  const minutes = wall.minute === 0 ? '' : `:${two(wall.minute)}`
  const clock = `${wall.hour}${minutes}${wall.half} (${wall.zone})`
  if (at - now <= DAY_MS) return clock
  const year = wall.year === wallOf(now, zone).year ? '' : `${wall.year}, `
  return `${MONTHS[wall.month - 1]} ${wall.day}, ${year}${clock}`
}

/** `8:19 AM`, or `Dec 5th, 2026 9:17 AM` when that is another day there; no zone. */
export function codexClock(at: number, now: number, zone: string): string {
  const wall = wallOf(at, zone)
  const clock = `${wall.hour}:${two(wall.minute)} ${wall.half.toUpperCase()}`
  const today = wallOf(now, zone)
  if (wall.year === today.year && wall.month === today.month && wall.day === today.day) return clock
  return `${MONTHS[wall.month - 1]} ${wall.day}${ordinal(wall.day)}, ${wall.year} ${clock}`
}

/** `2h31m33s`, as Go writes a duration: no larger unit than hours, no leading zero unit. */
export function goDuration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return `${hours > 0 ? `${hours}h` : ''}${seconds >= 60 ? `${minutes}m` : ''}${seconds % 60}s`
}

function wallOf(at: number, zone: string): Wall {
  const known = isKnown(zone) ? zone : 'UTC'
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: known,
    hourCycle: 'h12',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    half: parts.get('dayPeriod') === 'AM' ? 'am' : 'pm',
    zone: known,
  }
}

function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function ordinal(day: number): string {
  if (day >= 11 && day <= 13) return 'th'
  return ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
}
