import { z } from 'zod'

/** One fault of a scenario: where it is, and what is wrong there. */
export interface ScenarioProblem {
  readonly path: string
  readonly reason: string
}

/**
 * A value that fits none of several forms is told by the form that it comes nearest to, if there is one: "Invalid input" would leave its
 * author with the whole step to look through.
 */
export function scenarioProblems(issue: z.core.$ZodIssue, above: readonly PropertyKey[] = []): ScenarioProblem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'invalid_union') {
    const [nearest, second] = [...issue.errors].sort((left, right) => left.length - right.length)
    if (nearest !== undefined && nearest.length < (second?.length ?? Number.POSITIVE_INFINITY))
      return nearest.flatMap((each) => scenarioProblems(each, path))
  }
  const reason = issue.code === 'invalid_union' ? `It has none of the forms that may stand here${decidingKeys(issue.errors)}` : issue.message
  return [{ path: z.core.toDotPath(path) || '(document)', reason }]
}

/** In words, the keys by which the forms of a union are told apart: what each of them lacks, without what all of them lack. */
function decidingKeys(forms: readonly (readonly z.core.$ZodIssue[])[]): string {
  const lacking = forms.map((issues) =>
    issues.flatMap(({ path, code }) => (path.length === 1 && code !== 'unrecognized_keys' ? [String(path[0])] : [])),
  )
  const keys = new Set(lacking.flat().filter((key) => !lacking.every((each) => each.includes(key))))
  return keys.size === 0 ? '' : `, each with one of ${[...keys].join(', ')}`
}
