import { FAILURE_KINDS } from '../model/failure.ts'
import type { Iteration } from '../model/provider-event.ts'
import { type AttemptResult, type Usage, usageSchema } from '../model/usage.ts'

/**
 * What an engine told of tokens and money. It may be a host's own, and what it says be no count, no list and no money.
 *
 * 1. A count that is none is one that was not told, and costs the others nothing; in its place no other count is put.
 * 2. A list of models counts as a whole or not at all: half of it would be billed as all of it.
 */
export function toldUsage(told: unknown): Usage {
  const usage: Usage = {}
  if (!isObject(told)) return usage
  for (const name of COUNTS) {
    const count = told[name]
    if (isCount(count)) usage[name] = count
  }
  return usage
}

export function isCount(told: unknown): told is number {
  return Number.isSafeInteger(told) && (told as number) >= 0
}

const COUNTS = Object.keys(usageSchema.shape) as (keyof Usage)[]

const RESULTS: readonly AttemptResult[] = [...FAILURE_KINDS, 'ok', 'incomplete', 'cancelled']

/** No provider tries as many models for one request, and each is a row. */
const MOST_ITERATIONS = 100

/** The models that a provider tried, each with its tokens; none when the list is not one of those. */
export function toldIterations(told: unknown): readonly Iteration[] {
  if (!Array.isArray(told) || told.length > MOST_ITERATIONS) return []
  const iterations: Iteration[] = []
  for (const each of told as readonly unknown[]) {
    if (!isObject(each) || typeof each['model'] !== 'string' || !isObject(each['usage'])) return []
    const result = RESULTS.find((one) => one === each['result'])
    iterations.push({ model: each['model'], usage: toldUsage(each['usage']), ...(result === undefined ? {} : { result }) })
  }
  return iterations
}

/** USD; null for what is no amount of money. */
export function toldUsd(told: unknown): number | null {
  return typeof told === 'number' && Number.isFinite(told) && told >= 0 ? told : null
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
