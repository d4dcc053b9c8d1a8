import { presentModel } from '../config/graph.ts'

/**
 * Whose choice of a model counts (R40): the call's, else that of the nearest scope in which an operator made one. A choice of `auto` counts
 * as one: it turns the automatic step on again there, whatever stands in a farther scope. Null where nobody has chosen.
 */
export function choiceOf(call: string | null | undefined, scopes: Iterable<string | undefined>): string | null {
  const own = presentModel(call ?? null)
  if (own !== null) return own
  for (const chosen of scopes) if (chosen !== undefined) return chosen
  return null
}
