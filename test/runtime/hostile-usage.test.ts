import { describe, expect, it } from 'vitest'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { jsonlLedger } from '../../src/runtime/ledger-file.ts'
import { HOSTILE, ledgerFile, rowsIn } from './ledger-file/rig.ts'
import { LONE, rig, settle, watch } from './rig.ts'

const PRICED = {
  ...LONE,
  profiles: { 'a.x': { model: 'm1', apiKey: 'k-a', price: { m1: { input: 1, output: 2 } } } },
}

/** One answer before whose end this was told. */
async function told(events: readonly unknown[]) {
  const path = ledgerFile()
  const refuse = (error: Error): never => {
    throw error
  }
  const { kernel } = rig({
    config: PRICED,
    ports: { ledger: jsonlLedger(path, { onError: refuse }) },
    onAttempt: (attempt) =>
      attempt
        .opened()
        .say(...(events as ProviderEvent[]))
        .text('x')
        .final(),
  })
  const watched = watch(kernel, { sinks: ['event'] })
  for (let steps = 0; steps < 5 && watched.outcome === null; steps++) await settle()
  await kernel.stop()
  return { outcome: watched.outcome, rows: rowsIn(path), held: kernel.ledger.rows() }
}

describe('R34 an engine that says of tokens and money what is none', () => {
  it.each(HOSTILE)('%s costs no turn its answer, and no attempt its row', async (_, value) => {
    for (const [events, usage] of [
      [[{ type: 'usage', input: value, output: 1 }], { output: 1 }],
      [[{ type: 'iterations', iterations: value }], null],
      [[{ type: 'iterations', iterations: [value, { model: 'm2', usage: value }] }], null],
    ] as const) {
      const { outcome, rows, held } = await told([...events, { type: 'reportedCost', usd: value }])
      expect(outcome).toMatchObject({ kind: 'ok', text: 'x', usage, cost: null })
      expect(rows).toMatchObject([{ iteration: null, outcome: 'ok', accepted: true, usage, cost: null }])
      expect(held).toMatchObject([{ usage, cost: null }])
    }
    const models = ['m1', 'm2'].map((model) => ({ model, usage: { input: value, output: 1 } }))
    expect((await told([{ type: 'iterations', iterations: models }])).rows).toMatchObject([
      { iteration: 1, model: 'm1', usage: { output: 1 }, cost: null },
      { iteration: 2, model: 'm2', usage: { output: 1 }, cost: null },
    ])
  })
})
