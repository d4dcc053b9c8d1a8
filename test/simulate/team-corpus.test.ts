import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mismatches } from '../../src/simulate/match.ts'
import { simulateTeam } from '../../src/simulate/simulate-team.ts'
import { readTeamScenario } from '../../src/simulate/team-scenario.ts'
import { brokenLaws } from './team-laws.ts'

const CORPUS = join(import.meta.dirname, '../corpus/team')
const SHARED = join(import.meta.dirname, '../../../shared/corpus/team')

interface Document {
  readonly id: string
  readonly title: string
  readonly rules: readonly string[]
  readonly expect: Readonly<Record<string, unknown>>
}

const OWN = join(import.meta.dirname, '../team-scenarios')

const files = readdirSync(CORPUS).sort()
const paths = [...files.map((file) => join(CORPUS, file)), ...readdirSync(OWN).map((file) => join(OWN, file))]

describe.each(paths.map((path) => [basename(path), path] as const))('%s', (_, path) => {
  const documents = JSON.parse(readFileSync(path, 'utf8')) as Document[]
  for (const document of documents) {
    test(`${document.rules.join(' ')} ${document.id}: ${document.title}`, async () => {
      const read = readTeamScenario(document)
      if ('problems' in read) return expect(document.expect, JSON.stringify(read.problems)).toEqual({ exit: 2 })
      const { trace, unscripted } = await simulateTeam(read.scenario)
      expect(mismatches(document.expect, trace)).toEqual([])
      expect(unscripted).toBe(false)
      expect(brokenLaws(read.scenario, trace)).toEqual([])
      // The comparison asks no more of `limits` than the names that are expected; a limit that nobody expects is wrong all the same.
      if (document.expect['limits'] !== undefined) expect(trace.limits).toEqual(document.expect['limits'])
    })
  }
})

test('the copy is that of ../shared/corpus', (context) => {
  if (!existsSync(SHARED)) context.skip('../shared/corpus is absent: nothing to compare the copy with')
  expect(readdirSync(SHARED).sort()).toEqual(files)
  const older = files.filter((file) => readFileSync(join(CORPUS, file), 'utf8') !== readFileSync(join(SHARED, file), 'utf8'))
  expect(older, 'test/corpus/team is older than ../shared/corpus: copy these again').toEqual([])
})
