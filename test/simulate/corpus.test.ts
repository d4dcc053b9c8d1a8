import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'

const CORPUS = join(import.meta.dirname, '../corpus/routing')
const SHARED = join(import.meta.dirname, '../../../shared/corpus/routing')

interface Document {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
  readonly expect: unknown
}

/** Rules that a later issue completes; their documents run here too, and those that do not pass yet are named. */
function isPending(rules: readonly string[]): boolean {
  return rules.some((rule) => rule === 'R11' || Number(rule.slice(1)) >= 35)
}

const files = readdirSync(CORPUS).sort()

describe.each(files)('%s', (file) => {
  const documents = JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as Document[]
  for (const document of documents) {
    test(`${document.rules.join(' ')} ${document.id}: ${document.title}${isPending(document.rules) ? ' (rules of a later issue)' : ''}`, async () => {
      const read = readScenario(document)
      if ('problems' in read) throw new Error(JSON.stringify(read.problems))
      const { trace, unscripted } = await simulate(read.scenario)
      expect(mismatches(document.expect, trace)).toEqual([])
      expect(unscripted).toBe(false)
    })
  }
})

test('the copy is that of ../shared/corpus', (context) => {
  if (!existsSync(SHARED)) context.skip('../shared/corpus is absent: nothing to compare the copy with')
  expect(readdirSync(SHARED).sort()).toEqual(files)
  const older = files.filter((file) => readFileSync(join(CORPUS, file), 'utf8') !== readFileSync(join(SHARED, file), 'utf8'))
  expect(older, 'test/corpus/routing is older than ../shared/corpus: copy these again').toEqual([])
})
