import { expect, test } from 'vitest'
import { readScenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { differences } from './differences.ts'
import { runReal } from './real-run.ts'
import { parityTests } from './suite.ts'

await parityTests(60, 60)

test('a run under another setting is told apart: one retry less, one answer less waited for', async () => {
  const scenarioWith = (providerRetries: number) => {
    const read = readScenario({
      format: 1,
      kind: 'calls',
      id: 'TOLD-APART',
      config: { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k-dummy' } }, reliability: { providerRetries } },
      script: { 'a.x/m1': { call: [{ http: 503 }, { ok: 'hi', usage: { input: 3, output: 1 } }] } },
      steps: [{ atMs: 0, turn: { id: 't1' } }],
    })
    if ('problems' in read) throw new Error(JSON.stringify(read.problems))
    return read.scenario
  }
  const { trace } = await simulate(scenarioWith(1))
  const same = await runReal(scenarioWith(1), { 'a.x': 'openai-chat' }, 50)
  const other = await runReal(scenarioWith(0), { 'a.x': 'openai-chat' }, 50)
  expect(differences(trace, same.trace, 50)).toEqual([])
  expect(differences(trace, other.trace, 50).map((each) => each.path)).toContain('turns[0].attempts')
})
