import fc from 'fast-check'
import { readReset } from '../../../../src/engines/cli/reset/read-reset.ts'

/**
 * Instants printed as the programs print them, with their measured forms (cli-engines.md §2, §3), and the law that they read back. The
 * printers work on the fields that Intl shows, not on offsets, so that they share no arithmetic with the reader.
 */
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const QUARTER = 15 * MINUTE
const GRACE = 10 * MINUTE

export const ZONES: readonly string[] = Intl.supportedValuesOf('timeZone')

/** The span whose clock changes are tried. */
const FROM = Date.UTC(2025, 5, 1)
const UNTIL = Date.UTC(2027, 5, 1)

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

interface Fields {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const formats = new Map<string, Intl.DateTimeFormat>()

function fieldsOf(at: number, zone: string): Fields {
  const options = { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', options)
  formats.set(zone, format)
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
  const field = (name: Intl.DateTimeFormatPartTypes) => found.get(name) ?? Number.NaN
  return { year: field('year'), month: field('month'), day: field('day'), hour: field('hour'), minute: field('minute') }
}

const two = (value: number) => String(value).padStart(2, '0')
const twelve = (hour: number) => (hour % 12 === 0 ? 12 : hour % 12)

type Printer = (at: number, now: number, zone: string) => string

/** At most a day ahead only the clock; farther the date, with a year that is another than this one; no minutes at the full hour. */
const claude: Printer = (at, now, zone) => {
  const { year, month, day, hour, minute } = fieldsOf(at, zone)
  const clock = `${twelve(hour)}${minute === 0 ? '' : `:${two(minute)}`}${hour < 12 ? 'am' : 'pm'}`
  if (at - now <= DAY) return clock
  return `${MONTHS[month - 1]} ${day}, ${year === fieldsOf(now, zone).year ? '' : `${year}, `}${clock}`
}

const ordinal = (day: number) => (day % 10 > 3 || day % 10 === 0 || Math.floor(day / 10) === 1 ? 'th' : (['st', 'nd', 'rd'][(day % 10) - 1] ?? ''))

/** On the same local day only the clock, on another one the date with its year. */
const codex: Printer = (at, now, zone) => {
  const { year, month, day, hour, minute } = fieldsOf(at, zone)
  const today = fieldsOf(now, zone)
  const clock = `${twelve(hour)}:${two(minute)} ${hour < 12 ? 'AM' : 'PM'}`
  if (year === today.year && month === today.month && day === today.day) return clock
  return `${MONTHS[month - 1]} ${day}${ordinal(day)}, ${year} ${clock}`
}

const wall = (at: number, zone: string) => JSON.stringify(fieldsOf(at, zone))
const clockOf = (at: number, zone: string) => {
  const { hour, minute } = fieldsOf(at, zone)
  return hour * 60 + minute
}

/** Where the clocks of the zone are set, to the minute, inside the span. */
const changes = new Map<string, readonly number[]>()
export function changesOf(zone: string): readonly number[] {
  const known = changes.get(zone)
  if (known !== undefined) return known
  const ahead = (at: number) => {
    const { year, month, day, hour, minute } = fieldsOf(at, zone)
    return Date.UTC(year, month - 1, day, hour, minute) - at
  }
  const found: number[] = []
  for (let at = FROM; at < UNTIL; at += 2 * DAY) {
    if (ahead(at) === ahead(at + 2 * DAY)) continue
    let [low, high] = [at, at + 2 * DAY]
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE
      if (ahead(middle) === ahead(low)) low = middle
      else high = middle
    }
    found.push(high)
  }
  changes.set(zone, found)
  return found
}

export interface Printed {
  readonly zone: string
  readonly printer: 'claude' | 'codex'
  /** When it was printed. */
  readonly now: number
  /** When it was read. */
  readonly readAt: number
  /** What was printed. */
  readonly at: number
}

/** Instants over two years; half of them within a day and some of a change of the zone's clocks, where it has any. */
export function printedIn(zones: readonly string[]): fc.Arbitrary<Printed> {
  return fc
    .record({
      zone: fc.constantFrom(...zones),
      printer: fc.constantFrom('claude' as const, 'codex' as const),
      anywhere: fc.integer({ min: FROM, max: UNTIL }),
      atChange: fc.boolean(),
      which: fc.nat(),
      fromChange: fc.integer({ min: -28 * HOUR, max: 4 * HOUR }),
      aheadMs: fc.oneof(fc.integer({ min: 1, max: 5 * HOUR }), fc.integer({ min: 1, max: DAY - 1 }), fc.integer({ min: DAY + 1, max: 39 * DAY })),
      delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9 * MINUTE - 1 })),
    })
    .map(({ zone, printer, anywhere, atChange, which, fromChange, aheadMs, delayMs }) => {
      const set = atChange ? changesOf(zone) : []
      const change = set[which % Math.max(1, set.length)]
      // Around a change, short ways on both sides of it; from far ahead, the instant itself lies there.
      const now = change === undefined ? anywhere : aheadMs > DAY ? change + fromChange + 26 * HOUR - aheadMs : change + fromChange
      return { zone, printer, now, readAt: now + delayMs, at: now + aheadMs }
    })
}

/** The instant that was read, once it is known to be the first after its reading less ten minutes that shows what was printed. */
export function expectReadBack({ zone, printer, now, readAt, at }: Printed): 'exact' | 'earlier' {
  const isClaude = printer === 'claude'
  const text = (isClaude ? claude : codex)(at, now, zone)
  const notice = isClaude ? `You've hit your limit · resets ${text} (${zone})` : `You've hit your usage limit. Try again at ${text}.`
  const reset = readReset(notice, { now: readAt, zone: isClaude ? 'UTC' : zone })
  const said = `${notice} printed ${new Date(now).toISOString()} for ${new Date(at).toISOString()} in ${zone}`
  const isClock = !/^[A-Z]/.test(text)
  const form = isClock ? 'clock' : 'date'
  if (reset?.source !== (isClaude ? `${form}_tz` : form)) throw new Error(`${said}: read as ${reset?.source}`)
  const minute = Math.floor(at / MINUTE) * MINUTE
  const same = (other: number) => (isClock ? clockOf(other, zone) === clockOf(at, zone) : wall(other, zone) === wall(at, zone))
  const found = new Date(reset.at).toISOString()
  if (!same(reset.at)) throw new Error(`${said}: read ${found}, where no clock shows that`)
  if (reset.at <= readAt - GRACE || reset.at > minute) throw new Error(`${said}: read ${found}, which is not between its reading and its minute`)
  // Zones are quarters of an hour apart, so one wall time comes again only after so many of them.
  const back = isClock ? 26 * HOUR : 4 * HOUR
  for (let other = reset.at - QUARTER; other > readAt - GRACE && other > reset.at - back; other -= QUARTER) {
    if (same(other)) throw new Error(`${said}: read ${found}, but ${new Date(other).toISOString()} comes first`)
  }
  return reset.at === minute ? 'exact' : 'earlier'
}
