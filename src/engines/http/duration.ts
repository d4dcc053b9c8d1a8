/**
 * Durations and instants as providers write them (wire.md §10, C39). Each reader returns null for what is not exactly its grammar.
 */

/** No limit lasts longer than a long month; what is stated to end later is not believed. */
export const FARTHEST_MS = (40 * 24 + 1) * 3_600_000

/** Seconds or milliseconds as digits with optional decimals, rounded up to a whole ms. Computed on the digits: 30.001 s is 30 001 ms. */
export function decimalMs(text: string, unit: 's' | 'ms'): number | null {
  const match = /^(\d{1,15})(?:\.(\d{1,30}))?$/.exec(text)
  if (match === null) return null
  const whole = Number(match[1])
  const decimals = match[2] ?? ''
  const shift = unit === 's' ? 3 : 0
  const kept = Number(decimals.slice(0, shift).padEnd(shift, '0'))
  const rest = /[1-9]/.test(decimals.slice(shift)) ? 1 : 0
  return (unit === 's' ? whole * 1000 + kept : whole) + rest
}

/** Go prints less than a millisecond with either sign for micro. */
const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  '\u00b5s': 1e-3,
  '\u03bcs': 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** A Go duration such as `12ms`, `6m0s`, `2m59.56s`, rounded up to a whole ms. */
export function goDurationMs(text: string): number | null {
  if (!/^(?:\d{1,12}(?:\.\d{1,12})?(?:[nu\u00b5\u03bcm]s|s|m|h|d)){1,5}$/.test(text)) return null
  let total = 0
  for (const [, amount, unit] of text.matchAll(/(\d{1,12}(?:\.\d{1,12})?)([nu\u00b5\u03bcm]s|s|m|h|d)/g)) {
    if (amount === undefined || unit === undefined) return null
    total += unit === 's' ? (decimalMs(amount, 's') ?? 0) : Number(amount) * (UNIT_MS[unit] ?? 0)
  }
  // The digits of a product beyond a nanosecond are those of the arithmetic.
  return Math.ceil(Number(total.toFixed(6)))
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) (\w{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) GMT$/

/** An IMF-fixdate (RFC 9110 §5.6.7) as epoch ms. */
export function imfFixdateAt(text: string): number | null {
  const match = IMF_FIXDATE.exec(text)
  if (match === null) return null
  const [day, hour, minute, second] = [Number(match[1]), Number(match[4]), Number(match[5]), Number(match[6])]
  const month = MONTHS.indexOf(match[2] ?? '')
  if (month < 0 || day < 1 || hour > 23 || minute > 59 || second > 60) return null
  const at = Date.UTC(Number(match[3]), month, day, hour, minute, second)
  return new Date(at).getUTCDate() === day || second === 60 ? at : null
}

/** An RFC 3339 instant as epoch ms. */
export function rfc3339At(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/.test(text)) return null
  const at = Date.parse(text.toUpperCase())
  return Number.isNaN(at) ? null : at
}

/** Epoch seconds, or epoch ms when they could not be seconds of this century; null for anything that is no plausible instant. */
export function epochAt(value: number): number | null {
  if (!(value >= 1e9 && value < 1e14)) return null
  return Math.ceil(value < 1e11 ? value * 1000 : value)
}
