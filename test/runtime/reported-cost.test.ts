import { from } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { fakes } from '../engines/fake-cli/run.ts'

const usage = { input: 800, output: 30 }
const price = { opus: { input: 15, output: 75 } }

/** One turn on `claude`, which says that it would have cost 12 345 millionths of a USD. */
async function rowOf(profile: object) {
  const clis = await fakes({ claude: [{ text: 'done', usage, costUsd: 0.012345 }] })
  const config = { primary: 'claude.max', profiles: { 'claude.max': { model: 'opus', ...profile } } }
  const kernel = createKernel(config, { processes: { environment: { ...process.env, PATH: clis.path } } })
  const turn = kernel.turn({ prompt: 'hi', sinks: ['event'] })
  const warned: string[] = []
  for await (const event of turn) if (event.type === 'warning.raised') warned.push(event.warning.code)
  await kernel.stop()
  return { outcome: await turn.outcome, warned, rows: kernel.ledger.rows() }
}

describe('R34 what a CLI says that its run would have cost', () => {
  it('is kept apart: on its plan a run owes nothing, and nothing is warned of', async () => {
    const { outcome, warned, rows } = await rowOf({})
    expect(outcome).toMatchObject({ kind: 'ok', cost: null })
    expect(rows).toMatchObject([{ costBasis: 'subscription', costPicoUsd: null, price: null, reportedPicoUsd: 12_345_000_000, usage }])
    expect(warned).toEqual([])
  })

  it('stands beside what the run cost where its profile has a price', async () => {
    const { outcome, rows } = await rowOf({ price })
    expect(outcome.cost).toBe((800 * 15 + 30 * 75) / 1e6)
    expect(rows).toMatchObject([{ costBasis: 'metered', costPicoUsd: 14_250_000_000, reportedPicoUsd: 12_345_000_000 }])
  })

  it.each([Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN, -1])('is not known where it is %d', async (usd) => {
    const said: ProviderEvent[] = [
      { type: 'reportedCost', usd },
      { type: 'text', text: 'hi' },
      { type: 'final', finish: 'stop', terminated: true },
    ]
    const kernel = createKernel(
      { primary: 'claude.max', profiles: { 'claude.max': { model: 'opus' } } },
      { engines: () => ({ attempt: () => from(said) }) },
    )
    await kernel.turn({ prompt: 'hi' }).outcome
    await kernel.stop()
    expect(kernel.ledger.rows()).toMatchObject([{ outcome: 'ok', reportedPicoUsd: null }])
  })
})
