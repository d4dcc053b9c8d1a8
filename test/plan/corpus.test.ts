import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkConfig } from '../../src/config/check.ts'
import { describePlan } from '../../src/plan/describe.ts'
import { planTurn } from '../../src/plan/plan.ts'

/** The plans corpus: settings and an ask in, the JSON of `relevo plan` out, or the first fatal problem. */
interface PlanCase {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
  readonly config: unknown
  readonly ask: { readonly model?: string; readonly tools?: boolean; readonly effortPrompt?: string }
  readonly expect: Readonly<Record<string, unknown>>
}

const copyPath = fileURLToPath(new URL('../corpus/plans/plans.json', import.meta.url))
const sharedPath = fileURLToPath(new URL('../../../shared/corpus/plans/plans.json', import.meta.url))
const cases = JSON.parse(readFileSync(copyPath, 'utf8')) as readonly PlanCase[]
const noSecrets = { env: () => undefined, file: () => undefined }

function answer({ config, ask }: PlanCase): unknown {
  const { settings, errors } = checkConfig(config, { secrets: noSecrets })
  if (settings === null) return { error: { code: errors[0]?.code, path: errors[0]?.path } }
  const planned = planTurn(settings, { model: ask.model, tools: ask.tools, prompt: ask.effortPrompt })
  if ('error' in planned) return { error: { code: planned.error.code, path: planned.error.path } }
  return JSON.parse(JSON.stringify(describePlan(planned.plan, { board: new Map(), now: 0, ask: { tools: ask.tools } })))
}

/** An object matches when every key it names matches; a list matches in length and order (simulate.md). */
function matches(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(actual) && actual.length === expected.length && expected.every((item, index) => matches(actual[index], item))
  }
  if (typeof expected !== 'object' || expected === null) return actual === expected
  if (typeof actual !== 'object' || actual === null) return false
  return Object.entries(expected).every(([key, value]) => matches((actual as Record<string, unknown>)[key], value))
}

describe('plans corpus', () => {
  it('holds the documents that were handed over', () => expect(cases.length).toBeGreaterThanOrEqual(39))

  it.each(cases.map((one) => [one.id, one.rules.join(' '), one.title, one] as const))('%s %s %s', (_id, _rules, _title, one) => {
    const actual = answer(one)
    if (!matches(actual, one.expect)) expect(actual).toEqual(one.expect)
  })

  it('an expectation that does not hold is seen', () => {
    expect(matches({ entries: [{ profile: 'a.x' }] }, { entries: [] })).toBe(false)
    expect(matches({ error: { code: 'x' } }, { error: { code: 'y' } })).toBe(false)
  })

  it('the copy is that of ../shared/corpus', (context) => {
    if (!existsSync(sharedPath)) context.skip('../shared/corpus is absent: nothing to compare the copy with')
    expect(
      readFileSync(copyPath, 'utf8') === readFileSync(sharedPath, 'utf8'),
      'test/corpus/plans is older than ../shared/corpus: copy it again',
    ).toBe(true)
  })
})
