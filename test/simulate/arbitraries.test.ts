import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readScenario, scenarioArbitrary, simulate } from '../../src/testing.ts'
import { oracle } from '../plan/oracle.ts'
import { scenario } from '../properties/arbitraries.ts'

const RUNS = { seed: 20_260_301, numRuns: 150 }
const SRC = join(import.meta.dirname, '../../src')

const OWN = {
  primary: 'a.main',
  profiles: {
    'a.main': { model: 'm1', apiKeys: ['k1', 'k2'], fallback: ['b.spare'] },
    'b.spare': { apiKey: 'k' },
    'c.fast': { model: 'quick', apiKey: 'k' },
    'd.unused': { model: 'm1', apiKey: 'k' },
  },
  modelRoutes: [{ hint: 'fast', modelProvider: 'c.fast', model: 'quick' }],
}

describe('scenarios that a host draws with its own fast-check', () => {
  test('each is accepted by readScenario and loses nothing there', () => {
    fc.assert(
      fc.property(scenarioArbitrary(fc), (generated) => {
        expect(readScenario(generated)).toEqual({ scenario: generated })
      }),
      RUNS,
    )
  })

  test('each is played to the end of all its turns', async () => {
    await fc.assert(
      fc.asyncProperty(scenarioArbitrary(fc), async (generated) => {
        const { trace } = await simulate(generated)
        const started = generated.steps.flatMap((step) => ('turn' in step ? [step.turn.id] : []))
        expect(trace.turns.map((turn) => turn.id).sort()).toEqual(started.sort())
        for (const turn of trace.turns) expect(['defect', undefined]).not.toContain(turn.outcome?.['kind'])
      }),
      RUNS,
    )
  })

  test('exactly the entries that a plan could hold have a script', () => {
    fc.assert(
      fc.property(scenario, ({ config, script }) => {
        const targets = [config.primary, ...config.modelRoutes.map((route) => route.modelProvider)]
        expect(Object.keys(script).sort()).toEqual([...new Set(targets.flatMap((target) => oracle(config, target)))].sort())
      }),
      RUNS,
    )
  })

  test('no mark stands in two items, and no item is left with the mark common to all', () => {
    fc.assert(
      fc.property(scenarioArbitrary(fc), ({ script }) => {
        const items = Object.values(script).flatMap(({ call = [], stream = [] }) => [...call, ...stream])
        const marks = items.flatMap((item) => [...new Set(JSON.stringify(item).match(/\[\d+\]/g))])
        expect(new Set(marks).size).toBe(marks.length)
        expect(JSON.stringify(script)).not.toContain('\\u0001')
      }),
      RUNS,
    )
  })

  test('settings of the host are played as they are, each of its entries scripted and each of its hints asked for', async () => {
    const hints = new Set<string | null | undefined>()
    const served = new Set<string>()
    await fc.assert(
      fc.asyncProperty(scenarioArbitrary(fc, { settings: fc.constant(OWN) }), async (generated) => {
        expect(generated.config).toEqual(OWN)
        expect(Object.keys(generated.script)).toEqual(['a.main#1/m1', 'a.main#2/m1', 'b.spare/*', 'c.fast/quick'])
        for (const step of generated.steps) if ('turn' in step) hints.add(step.turn.model)
        const { trace } = await simulate(generated)
        for (const attempt of trace.turns.flatMap((turn) => turn.attempts)) served.add(attempt.entry)
      }),
      RUNS,
    )
    expect(hints).toContain('hint:fast')
    expect([...served].sort()).toEqual(['a.main#1/m1', 'a.main#2/m1', 'b.spare/*', 'c.fast/quick'])
  })

  test('settings that a kernel refuses are played too: every turn ends as config_error', async () => {
    const refused = { primary: 'a.main', profiles: {} }
    await fc.assert(
      fc.asyncProperty(scenarioArbitrary(fc, { settings: fc.constant(refused) }), async (generated) => {
        const { trace } = await simulate(generated)
        expect(trace.turns.length).toBeGreaterThan(0)
        for (const turn of trace.turns) expect(turn.outcome?.['kind']).toBe('config_error')
      }),
      { ...RUNS, numRuns: 20 },
    )
  })

  test('a host without fast-check can load the door: the sources import its types only', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
    const importing = files.flatMap((file) => readFileSync(join(SRC, file), 'utf8').match(/^.*['"]fast-check['"].*$/gm) ?? [])
    expect(importing.length).toBeGreaterThan(0)
    for (const line of importing) expect(line).toMatch(/^import type /)
  })
})
