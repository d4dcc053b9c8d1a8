import { describe, expect, test } from 'vitest'
import { readScenario, type Scenario } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulate.ts'
import { Console, folderOf } from '../faces/console.ts'

/** A scenario that takes its time: whoever started it must be able to end it. */
const LONG = {
  format: 1,
  kind: 'calls',
  id: 'LONG',
  config: { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k' } }, reliability: { providerRetries: 1_000_000 } },
  script: { 'a.x/m1': { call: Array(5_000).fill({ http: 503 }) } },
  steps: [{ atMs: 0, turn: { id: 't1' } }],
}

function long(): Scenario {
  const read = readScenario(LONG)
  if ('problems' in read) throw new Error(read.problems[0]?.reason)
  return read.scenario
}

describe('a simulation leaves the process its turn', () => {
  test('what the host has asked for meanwhile comes before its end', async () => {
    const order: string[] = []
    setImmediate(() => order.push('host'))
    await simulate(long()).then(() => order.push('simulation'))
    expect(order).toEqual(['host', 'simulation'])
  })

  test('an aborted one ends with the reason of its signal', async () => {
    const controller = new AbortController()
    setImmediate(() => controller.abort(new Error('enough')))
    await expect(simulate(long(), { signal: controller.signal })).rejects.toThrow('enough')
  })

  test.each([
    ['simulate', 'long.json'],
    ['simulate', '--jsonl'],
  ])('relevo %s %s exits 130 at the interrupt', async (...argv) => {
    const text = JSON.stringify(LONG)
    const shell = new Console({ cwd: folderOf({ 'long.json': text }), stdin: `${text}\n` })
    setTimeout(() => shell.interrupt.abort(), 0)
    expect(await shell.run(...argv)).toBe(130)
    expect(shell.out).toBe('')
  })
})
