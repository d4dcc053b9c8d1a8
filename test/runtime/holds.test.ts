import { describe, expect, test } from 'vitest'
import type { Hold } from '../../src/model/hold.ts'
import { rig, settle, TWO, watch } from './rig.ts'

const limited = (untilAt: number): Hold => ({ key: 'a.x', untilAt, reason: 'cooldown' })

/** Two turns whose calls run at once; the limit told second ends before the one told first. */
async function twoLimits() {
  const stored: Hold[] = []
  const store = { load: () => [], report: (hold: Hold) => void stored.push(hold), clear() {} }
  const { kernel, attempts } = rig({ config: { ...TWO, reliability: { jitter: 0, providerRetries: 0 } }, ports: { holds: store } })
  const turns = [watch(kernel, { sinks: [] }), watch(kernel, { sinks: [] })]
  await settle()
  attempts[0]?.fail('rate_limited', { retryAfterMs: 60_000 })
  attempts[1]?.fail('rate_limited', { retryAfterMs: 1_000 })
  const told = turns.map(({ events }) => events.flatMap((event) => (event.type === 'hold.set' ? [event.hold] : [])))
  const holds = kernel.holds()
  await kernel.stop()
  return { stored, told, holds }
}

describe('R15 a later deadline wins over an earlier one', () => {
  test('on the board', async () => {
    expect((await twoLimits()).holds).toEqual([limited(60_000)])
  })

  test('in a store, which is told only what stands', async () => {
    expect((await twoLimits()).stored).toEqual([limited(60_000)])
  })

  test('in the facts of a turn: a hold that was not set is not told', async () => {
    expect((await twoLimits()).told).toEqual([[limited(60_000)], []])
  })
})
