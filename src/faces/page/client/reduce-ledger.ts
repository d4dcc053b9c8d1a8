import type { LedgerRow } from '../../../index.ts'
import type { Draft } from './draft.ts'
import { BOUNDS, type Known, keyOf, type LedgerSum } from './state.ts'

const NOTHING: Known = { sum: 0, told: 0, unknown: 0 }

/** The last sum takes what has no place of its own, so that a list of models without end stays a list. */
const OTHERS = { profile: 'others', model: '*' }

/** A closed attempt goes into the sum of its profile and model, and stays there when its row is let go. */
export function enterRow(draft: Draft, row: LedgerRow): void {
  draft.push('rows', row, BOUNDS.rows)
  const sums = draft.map('sums')
  const named = { profile: row.profile, model: row.model }
  const own = keyOf(named.profile, named.model)
  const { profile, model } = sums.has(own) || sums.size < BOUNDS.sums ? named : OTHERS
  const key = keyOf(profile, model)
  sums.set(key, added(sums.get(key) ?? { profile, model, attempts: 0, ...EMPTY_SUM }, row))
}

const EMPTY_SUM = { input: NOTHING, output: NOTHING, cached: NOTHING, costPicoUsd: NOTHING, bases: { metered: 0, subscription: 0, unknown: 0 } }

function added(sum: LedgerSum, row: LedgerRow): LedgerSum {
  const { usage, costBasis } = row
  return {
    ...sum,
    attempts: sum.attempts + 1,
    input: plus(sum.input, usage?.input),
    output: plus(sum.output, usage?.output),
    cached: plus(sum.cached, usage?.cachedInput),
    costPicoUsd: costBasis === 'subscription' ? sum.costPicoUsd : plus(sum.costPicoUsd, row.costPicoUsd),
    bases: { ...sum.bases, [costBasis]: sum.bases[costBasis] + 1 },
  }
}

function plus(known: Known, value: number | null | undefined): Known {
  if (value === null || value === undefined) return { ...known, unknown: known.unknown + 1 }
  return { ...known, sum: known.sum + value, told: known.told + 1 }
}

/** Several sums as one. */
export function together(sums: readonly Known[]): Known {
  let [sum, told, unknown] = [0, 0, 0]
  for (const each of sums) {
    sum += each.sum
    told += each.told
    unknown += each.unknown
  }
  return { sum, told, unknown }
}
