import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { readScenario, type Scenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import type { Trace } from '../../src/simulate/trace.ts'
import { Watch } from './watch.ts'

interface Document {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
  readonly expect: unknown
}

function documentsOf(folder: string): { file: string; documents: Document[] }[] {
  const path = join(import.meta.dirname, folder)
  return readdirSync(path)
    .sort()
    .map((file) => ({ file, documents: JSON.parse(readFileSync(join(path, file), 'utf8')) as Document[] }))
}

async function watched(document: Document): Promise<{ trace: Trace; unscripted: boolean; problems: readonly string[] }> {
  const watch = new Watch(scenarioOf(document))
  const { trace, unscripted } = await simulate(scenarioOf(document), watch.ports)
  return { trace, unscripted, problems: watch.problems(trace) }
}

function scenarioOf(document: Document): Scenario {
  const read = readScenario(document)
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.scenario
}

describe.each(documentsOf('../corpus/routing'))('$file: actors and facts agree with the trace', ({ documents }) => {
  test.each(documents)('$id', async (document) => {
    expect((await watched(document)).problems).toEqual([])
  })
})

// What the corpus leaves open and a mutation came through: npm run mutate.
describe.each(documentsOf('../scenarios'))('$file: scenarios of our own', ({ documents }) => {
  for (const document of documents) {
    test(`${document.rules.join(' ')} ${document.id}: ${document.title}`, async () => {
      const { trace, unscripted, problems } = await watched(document)
      expect(mismatches(document.expect, trace)).toEqual([])
      expect(unscripted).toBe(false)
      expect(problems).toEqual([])
    })
  }
})
