import { decimalMs, goDurationMs } from './duration.ts'

/**
 * How long to wait, where a provider says it only in a sentence (wire.md §10). Every repetition is bounded, so a text costs its length.
 */
const AMOUNT = String.raw`\d{1,12}(?:\.\d{1,12})?`
const DURATION = `((?:${AMOUNT}(?:ms|s|m|h|d)){1,5}|${AMOUNT} (?:milliseconds?|seconds?|minutes?|hours?|days?))(?![0-9a-z])`

/** `Please try again in 41.724s` (OpenAI, Groq), `Please retry in 10.68s` (Gemini), `Please retry after 26 seconds` (Azure). */
const AGAIN = new RegExp(String.raw`\b(?:try again|retry) (?:in|after) ${DURATION}`, 'i')

/** `Your quota will reset after 18h31m10s` (Gemini Code Assist). */
const RESET = new RegExp(String.raw`\bresets? (?:in|after) ${DURATION}`, 'i')

/** When to ask again, in ms. */
export function statedWaitMs(texts: readonly string[]): number | null {
  return firstMs(texts, AGAIN)
}

/** When the quota itself is full again, in ms. */
export function statedResetMs(texts: readonly string[]): number | null {
  return firstMs(texts, RESET)
}

function firstMs(texts: readonly string[], pattern: RegExp): number | null {
  for (const text of texts) {
    const stated = pattern.exec(text)?.[1]?.toLowerCase()
    if (stated !== undefined) return goDurationMs(stated) ?? wordedMs(stated)
  }
  return null
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 }

/** `26 seconds`, rounded up to a whole ms. */
function wordedMs(text: string): number | null {
  const [amount = '', word = ''] = text.split(' ')
  const unit = word.replace(/s$/, '')
  if (unit === 'millisecond') return decimalMs(amount, 'ms')
  const ms = decimalMs(amount, 's')
  return ms === null ? null : ms * (UNIT_SECONDS[unit] ?? 1)
}
