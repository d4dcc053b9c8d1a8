import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { ActorWatch } from './actors.ts'

const CORPUS = join(import.meta.dirname, '../corpus/routing')

describe.each(readdirSync(CORPUS).sort())('%s', (file) => {
  const documents = JSON.parse(readFileSync(join(CORPUS, file), 'utf8')) as { id: string }[]
  test.each(documents.map((document) => [document.id, document] as const))('%s: every actor ends where the trace says', async (_, document) => {
    const read = readScenario(document)
    if ('problems' in read) throw new Error(JSON.stringify(read.problems))
    const watch = new ActorWatch()
    const { trace } = await simulate(read.scenario, { inspect: watch.inspect })
    expect(watch.problems(trace)).toEqual([])
  })
})
