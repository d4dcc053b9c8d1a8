import { type Bill, PICO_PER_USD, type Price, type Usage } from '../model/usage.ts'

/**
 * What attempts cost (R34).
 *
 * 1. Money is whole pico-USD: what a turn costs is exactly the sum of its rows, in whatever order they are added.
 * 2. What is not known is null and never 0, and makes a sum unknown in which it has a part.
 */

/** The price of a model in a table, or undefined. Only what the table itself says counts, whatever the model is named. */
export function priceOf(table: Readonly<Record<string, Price>>, model: string): Price | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined
}

/**
 * Pico-USD of one attempt, or null when a count is unknown (C32). Cached input without a rate of its own costs the input rate; a provider
 * that tells more cached input than input is billed for the latter.
 */
export function costOf(usage: Usage | null, price: Price): number | null {
  if (usage?.input === undefined || usage.output === undefined) return null
  const cached = Math.min(usage.cachedInput ?? 0, usage.input)
  const millionths = (usage.input - cached) * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output
  return picoOf(millionths / 1e6)
}

/** USD as whole pico-USD; null for what is no amount of money. */
export function picoOf(usd: number): number | null {
  const pico = Math.round(usd * PICO_PER_USD)
  return Number.isFinite(pico) && pico >= 0 ? pico : null
}

type Billed = Pick<Bill, 'usage' | 'costPicoUsd' | 'costBasis'>

/** The cost of a turn: the sum of its rows; null when a row with usage has an unknown cost, or when none is billed by the call (R34). */
export function sumCosts(rows: readonly Billed[]): number | null {
  let sum: number | null = null
  for (const { usage, costPicoUsd, costBasis } of rows) {
    if (costPicoUsd !== null) sum = (sum ?? 0) + costPicoUsd
    else if (usage !== null && costBasis !== 'subscription') return null
  }
  return sum
}

/** The tokens of a turn: each count summed over the rows that tell it; null when no row has usage. */
export function sumUsage(rows: readonly { readonly usage: Usage | null }[]): Usage | null {
  let sum: Usage | null = null
  for (const { usage } of rows) if (usage !== null) sum = sum === null ? usage : addUsage(sum, usage)
  return sum
}

function addUsage(left: Usage, right: Usage): Usage {
  const sum: Usage = {}
  for (const count of ['input', 'output', 'cachedInput'] as const) {
    if (left[count] !== undefined || right[count] !== undefined) sum[count] = (left[count] ?? 0) + (right[count] ?? 0)
  }
  return sum
}
