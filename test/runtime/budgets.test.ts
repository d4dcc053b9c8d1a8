import { describe, expect, test } from 'vitest'
import type { KernelConfig, KernelPorts, PriceBook } from '../../src/index.ts'
import { createKernel } from '../../src/index.ts'
import { scriptedEngine, virtualClock } from '../../src/testing.ts'
import { Stage } from '../cli/stage.ts'

const PRICE = { input: 1, output: 2 }
const PAID = { ok: 'paid', usage: { input: 1_000_000, output: 0 } }
const AB: KernelConfig['profiles'] = {
  'a.x': { model: 'm1', apiKey: 'k-a', fallback: ['b.y'], price: { m1: PRICE } },
  'b.y': { model: 'm2', apiKey: 'k-b', price: { m2: PRICE } },
}

function kernelOf(budgets: KernelConfig['budgets'], { profiles = AB, ...ports }: KernelPorts & { profiles?: KernelConfig['profiles'] } = {}) {
  const clock = virtualClock(Date.UTC(2026, 2, 1, 12))
  const engine = scriptedEngine(Object.fromEntries(['a.x/m1', 'b.y/m2', 'claude.main/opus'].map((key) => [key, { call: Array(9).fill(PAID) }])))
  const config: KernelConfig = { primary: 'a.x', profiles, budgets, reliability: { jitter: 0, providerRetries: 0 } }
  return { clock, kernel: createKernel(config, { clock, engines: () => engine, ...ports }) }
}

describe('R34 budgets of a kernel', () => {
  test('what is barred can be asked for before it is decided', async () => {
    const { kernel } = kernelOf({ perProfile: { 'a.x': 1 } })
    expect(kernel.plan().entries.map(({ skip }) => skip)).toEqual([null, null])
    await kernel.turn({ prompt: 'hi' }).outcome
    expect(kernel.plan().entries.map(({ skip }) => skip)).toEqual(['over_budget', null])
  })

  test('turns that run at once are each bounded by what has ended, and the next by all of it', async () => {
    const { kernel } = kernelOf({ perRun: 2 })
    const outcomes = await Promise.all([1, 2, 3].map(() => kernel.turn({ prompt: 'hi' }).outcome))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'budget'])
  })

  test('the error says why, names nobody, and when to come back', async () => {
    const { kernel } = kernelOf({ perDay: 0 })
    const turn = kernel.turn({ prompt: 'hi' })
    await expect(turn.text).rejects.toMatchObject({
      code: 'budget',
      message: expect.stringMatching(/^nobody who may be asked is within the budgets of money; /),
    })
    expect((await turn.outcome).retryAt).toBe(Date.UTC(2026, 2, 2))
    expect(kernel.ledger.rows()).toEqual([])
  })

  test('a reload that raises it counts from the next turn on', async () => {
    const { kernel } = kernelOf({ perRun: 1 })
    await kernel.turn({ prompt: 'hi' }).outcome
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('budget')
    kernel.reload({ primary: 'a.x', profiles: AB, budgets: { perRun: 2 } })
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('ok')
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('budget')
  })

  test('what earlier processes spent today counts for the day and its profile, and not for the run', async () => {
    const today = { profile: 'a.x', at: Date.UTC(2026, 2, 1, 3), costPicoUsd: 1e12 }
    const yesterday = { ...today, at: Date.UTC(2026, 1, 28, 23) }
    const kindOf = async (budgets: KernelConfig['budgets'], earlier: KernelPorts['earlier']) =>
      (await kernelOf(budgets, { earlier }).kernel.turn({ prompt: 'hi' }).outcome).kind
    expect(await kindOf({ perDay: 1 }, [today])).toBe('budget')
    expect(await kindOf({ perDay: 1 }, [yesterday])).toBe('ok')
    expect(await kindOf({ perProfile: 1 }, [today, { ...today, profile: 'b.y' }])).toBe('budget')
    expect(await kindOf({ perRun: 1 }, [today])).toBe('ok')
  })

  test('a profile that no budget can be of is told when the kernel is made', () => {
    expect(() => kernelOf({ perProfile: { 'a.z': 1 } })).toThrow(/budgets\.perProfile\.a\.z: A budget is set for `a\.z`, which is not configured/)
  })

  test('a program on its plan is asked when money is used up, and its row owes nothing', async () => {
    const stage = await Stage.of({ claude: [{ text: 'On the plan.', usage: { input: 3, output: 1 } }] })
    const openai = { model: 'm1', apiKey: 'k-a', endpoint: 'http://127.0.0.1:9', fallback: ['claude.main'], price: { m1: PRICE } }
    const kernel = stage.kernel({
      primary: 'openai.main',
      profiles: { 'openai.main': openai, 'claude.main': { model: 'opus' } },
      budgets: { perRun: 0 },
    })
    const outcome = await kernel.turn({ prompt: 'hi' }).outcome
    expect(outcome).toMatchObject({ kind: 'ok', served: { profile: 'claude.main' }, cost: null })
    expect(kernel.ledger.rows()).toMatchObject([
      { costBasis: 'subscription', costPicoUsd: null, cost: null, price: null, usage: { input: 3, output: 1 } },
    ])
  })
})

describe('R34 a price book', () => {
  const profiles: KernelConfig['profiles'] = { 'a.x': { model: 'm1', apiKey: 'k-a' } }
  const book: PriceBook = {
    source: 'book',
    version: '7',
    quote: ({ model, usage }) => (model === 'm1' ? { model: 'm1-2026', costPicoUsd: usage === null ? null : 3e12 } : null),
  }

  test('prices what the settings do not, and says on the row whose price it was', async () => {
    const { kernel } = kernelOf({ perRun: 3 }, { profiles, prices: book })
    expect((await kernel.turn({ prompt: 'hi' }).outcome).cost).toBe(3)
    expect(kernel.ledger.rows()).toMatchObject([
      { costPicoUsd: 3e12, cost: 3, costBasis: 'metered', price: { source: 'book', version: '7', model: 'm1-2026' } },
    ])
    expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('budget')
  })

  test('comes behind the table of the profile', async () => {
    const { kernel } = kernelOf(null, { prices: book })
    await kernel.turn({ prompt: 'hi' }).outcome
    expect(kernel.ledger.rows()).toMatchObject([{ cost: 1, price: { source: 'settings', version: null, model: 'm1' } }])
  })

  test.each<[string, PriceBook['quote']]>([
    ['throws', () => expect.fail('no prices today')],
    ['rejects later', (() => Promise.reject(new Error('no prices today'))) as never],
    ['says NaN', () => ({ model: 'm1', costPicoUsd: Number.NaN })],
    ['says less than nothing', () => ({ model: 'm1', costPicoUsd: -1 })],
    ['says a part of a pico-USD', () => ({ model: 'm1', costPicoUsd: 0.5 })],
  ])('one that %s knows no price, and costs no answer', async (_, quote) => {
    const { kernel } = kernelOf(null, { profiles, prices: { ...book, quote } })
    const outcome = await kernel.turn({ prompt: 'hi' }).outcome
    expect(outcome).toMatchObject({ kind: 'ok', cost: null })
    expect(kernel.ledger.rows()).toMatchObject([{ cost: null, costBasis: 'unknown', price: null }])
  })

  test('a price that nobody knows is said once where it is over a budget, and named', async () => {
    const { kernel } = kernelOf({ perDay: 5 }, { profiles })
    const warned: string[] = []
    for (const _ of [1, 2]) {
      const turn = kernel.turn({ prompt: 'hi', sinks: [] })
      turn.events$.subscribe((event) => event.type === 'warning.raised' && warned.push(`${event.warning.path}: ${event.warning.message}`))
      expect((await turn.outcome).kind).toBe('budget')
    }
    expect(warned).toEqual([expect.stringMatching(/^profiles\.a\.x\.price\.m1: .*over every budget/)])
  })

  test('an answer without tokens is in no budget, and that is said once', async () => {
    const warnings: string[] = []
    const priced = { 'a.x': { model: 'm1', apiKey: 'k-a', price: { m1: PRICE } } }
    const engine = scriptedEngine({ 'a.x/m1': { call: [{ ok: 'a' }, { ok: 'b' }] } })
    const { kernel } = kernelOf({ perDay: 1 }, { profiles: priced, engines: () => engine })
    for (const _ of [1, 2]) {
      const turn = kernel.turn({ prompt: 'hi', sinks: [] })
      turn.events$.subscribe((event) => event.type === 'warning.raised' && warnings.push(event.warning.code))
      expect((await turn.outcome).kind).toBe('ok')
    }
    expect(warnings).toEqual(['cost_uncounted'])
  })

  test('an unknown price is said once', async () => {
    const { kernel } = kernelOf(null, { profiles })
    const warnings: string[] = []
    for (const _ of [1, 2]) {
      const turn = kernel.turn({ prompt: 'hi', sinks: [] })
      turn.events$.subscribe((event) => event.type === 'warning.raised' && warnings.push(event.warning.code))
      await turn.outcome
    }
    expect(warnings).toEqual(['price_unknown'])
  })
})
