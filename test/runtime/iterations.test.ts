import { describe, expect, it, onTestFinished } from 'vitest'
import { startLoopbackProvider } from '../../src/engines/loopback/server.ts'
import { type Script, scriptedEngine } from '../../src/engines/scripted.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { Kernel, KernelConfig } from '../../src/runtime/kernel-door.ts'

/** The provider passes what `asked` declines to another model of its own: one attempt of ours, two of its. */
const iterations = [
  { model: 'asked', usage: { input: 400, output: 10 } },
  { model: 'other', usage: { input: 500, output: 20, cachedInput: 100 } },
]
const usage = { input: 500, output: 20, cachedInput: 100 }
const SCRIPT = {
  'anthropic.x/asked': {
    stream: [{ events: [{ text: 'hi' }, { usage, iterations }, { final: 'stop' as const }] }],
    call: [{ ok: 'hi', usage, iterations }],
  },
} satisfies Script

const price = { asked: { input: 10, output: 50 }, other: { input: 5, output: 25, cachedInput: 0.5 } }
const COSTS = [400 * 10 + 10 * 50, 400 * 5 + 100 * 0.5 + 20 * 25].map((millionths) => millionths * 1e6)

const config = (more: object = {}): KernelConfig => ({
  primary: 'anthropic.x',
  profiles: { 'anthropic.x': { model: 'asked', apiKey: 'no-key-needed', price, ...more } },
  modelFallbackNotice: 'detailed',
})

async function loopback(more: object = {}): Promise<Kernel> {
  const provider = await startLoopbackProvider({ script: SCRIPT })
  onTestFinished(() => provider.close())
  return createKernel(config({ endpoint: provider.endpoint('anthropic.x'), ...more }))
}

async function turnOf(kernel: Kernel, sinks: ['event'] | []) {
  const turn = kernel.turn({ prompt: 'hi', sinks })
  const told: TurnEvent[] = []
  for await (const event of turn) told.push(event)
  await kernel.stop()
  return { outcome: await turn.outcome, told, rows: kernel.ledger.rows() }
}

describe.each([
  ['a stream', ['event']],
  ['a call', []],
] as const)('R34 one attempt in which the provider tried two models, as %s', (_how, sinks) => {
  it.each([
    ['over HTTP', () => loopback()],
    ['of an engine that is scripted', async () => createKernel(config(), { engines: () => scriptedEngine(SCRIPT) })],
  ])('%s has a row for each, and costs their sum', async (_who, kernelOf) => {
    const { outcome, told, rows } = await turnOf(await kernelOf(), [...sinks])
    expect(rows).toMatchObject([
      { n: 1, iteration: 1, model: 'asked', accepted: false, usage: iterations[0]?.usage, costPicoUsd: COSTS[0] },
      { n: 1, iteration: 2, model: 'other', accepted: true, outcome: 'ok', usage: iterations[1]?.usage, costPicoUsd: COSTS[1] },
    ])
    expect(rows).toHaveLength(2)
    expect(outcome).toMatchObject({ kind: 'ok', usage: { input: 900, output: 30, cachedInput: 100 }, attempts: [{ n: 1, accepted: true }] })
    expect(outcome.cost).toBe(COSTS.reduce((sum, cost) => sum + cost, 0) / 1e12)
    expect(told.filter(({ type }) => type === 'warning.raised')).toEqual([])
  })

  it('R33 was served by the last of them, and says so', async () => {
    const { outcome } = await turnOf(await loopback(), [...sinks])
    const identity = (model: string) => ({ profile: 'anthropic.x', model })
    expect(outcome).toMatchObject({ requested: identity('asked'), served: identity('other') })
    expect(outcome.attribution).toEqual({ requested: identity('asked'), served: identity('other') })
    expect(outcome.notice).toContain('other')
  })
})

describe('R34 a model that the provider went on to', () => {
  it('has a price of its own or none: the sum is not known then, and the model is named', async () => {
    const { outcome, told, rows } = await turnOf(await loopback({ price: { asked: price.asked } }), ['event'])
    expect(rows).toMatchObject([
      { costPicoUsd: COSTS[0], costBasis: 'metered' },
      { costPicoUsd: null, costBasis: 'unknown' },
    ])
    expect(outcome.cost).toBeNull()
    expect(told.flatMap((event) => (event.type === 'warning.raised' ? [event.warning.path] : []))).toEqual(['profiles.anthropic.x.price.other'])
  })
})
