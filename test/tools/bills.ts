import { type Bill, UNKNOWN_BILL, type Usage } from '../../src/model/usage.ts'
import { picoOf } from '../../src/policy/cost.ts'

/** The bill of an attempt that was paid by the call: so many USD at the price of the settings, or at one that nobody knows. */
export function billOf(usage: Usage | null, cost: number | null): Bill {
  const costPicoUsd = cost === null ? null : picoOf(cost)
  const price = cost === null ? null : { source: 'settings', version: null, model: 'm1' }
  return { ...UNKNOWN_BILL, usage, costPicoUsd, cost, costBasis: cost === null ? 'unknown' : 'metered', price }
}
