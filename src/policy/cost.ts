import type { Price, Usage } from '../model/usage.ts'

/** The price of a model in a table, or undefined. Only what the table itself says counts, whatever the model is named. */
export function priceOf(table: Readonly<Record<string, Price>>, model: string): Price | undefined {
  return Object.hasOwn(table, model) ? table[model] : undefined
}

/** USD of one attempt, or null when the price or a count is unknown (R34, C32). Cached input without a rate of its own costs the input rate. */
export function costOf(usage: Usage | null, price: Price | undefined): number | null {
  if (usage === null || price === undefined || usage.input === undefined || usage.output === undefined) return null
  const cached = usage.cachedInput ?? 0
  return ((usage.input - cached) * price.input + cached * (price.cachedInput ?? price.input) + usage.output * price.output) / 1e6
}

/** The cost of a turn: the sum of its rows; null when a row with usage has an unknown cost, or when no row has any (R34). */
export function sumCosts(rows: readonly { readonly usage: Usage | null; readonly cost: number | null }[]): number | null {
  const billed = rows.filter((row) => row.usage !== null)
  if (billed.length === 0) return null
  let sum = 0
  for (const row of billed) {
    if (row.cost === null) return null
    sum += row.cost
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
