import type { ConformanceCase } from './conformance/case.ts'
import { contractCases } from './conformance/contract-cases.ts'
import { failureCases } from './conformance/failure-cases.ts'
import { flowCases } from './conformance/flow-cases.ts'
import { meaningCases } from './conformance/meaning-cases.ts'

/**
 * Every promise of the engine contract as a case that any engine can be run through, whatever test framework runs it.
 * `run` resolves when the engine kept the promise and rejects with one line that says how it did not.
 */
export function conformanceCases(): ConformanceCase[] {
  return [...contractCases(), ...meaningCases(), ...failureCases(), ...flowCases()]
}
