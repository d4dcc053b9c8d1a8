import type { Known } from './state.ts'

/** How figures and instants are said. Instants are in the zone of the browser, which stands beside the clock. */

export function durationWords(ms: number): string {
  if (ms < 0) return '0 ms'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  return countdownWords(ms)
}

/** To the second below a day: `59 s`, `4 min 07 s`, `2 h 13 min 09 s`, `3 days 4 h`. */
export function countdownWords(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1_000))
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor((seconds % 86_400) / 3_600), Math.floor((seconds % 3_600) / 60)]
  const rest = seconds % 60
  if (days > 0) return `${days} ${days === 1 ? 'day' : 'days'} ${hours} h`
  if (hours > 0) return `${hours} h ${two(minutes)} min ${two(rest)} s`
  return minutes > 0 ? `${minutes} min ${two(rest)} s` : `${rest} s`
}

const two = (value: number): string => String(value).padStart(2, '0')

export function timeWords(at: number): string {
  const date = new Date(at)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** The zone of the browser at an instant, by its offset: `UTC`, `UTC+5:30`, `UTC−4`. What a log says of times is in the zone of its machine. */
export function zoneWords(at: number): string {
  const minutes = -new Date(at).getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60]
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${two(rest)}`}`
}

/** With the day, where it is not that of `now`. */
export function instantWords(at: number, now: number): string {
  const [date, today] = [new Date(at), new Date(now)]
  if (date.toDateString() === today.toDateString()) return timeWords(at)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${timeWords(at)}`
}

/** `processing_failed` and `backingOff` as words. */
export function spelled(name: string): string {
  return name.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
}

/** What nobody told is `?` and never 0; what a part did not tell stands behind the sum of the rest. */
export function knownWords(known: Known, words: (sum: number) => string): string {
  if (known.told === 0) return known.unknown === 0 ? '–' : '?'
  return known.unknown === 0 ? words(known.sum) : `${words(known.sum)} + ?`
}

export function countWords(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** From pico-USD, with as many digits as tell it from nothing. */
export function picoWords(pico: number): string {
  return usdWords(pico / 1e12)
}

export function usdWords(usd: number): string {
  if (usd === 0) return '$0'
  return `$${usd.toFixed(usd >= 1 ? 2 : Math.min(12, 2 - Math.floor(Math.log10(Math.abs(usd)))))}`
}

/** A name at a length that can be shown. */
export function clipped(name: string, length = 160): string {
  return name.length <= length ? name : `${name.slice(0, length)}…`
}
