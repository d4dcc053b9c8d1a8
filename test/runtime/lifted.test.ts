import { describe, expect, test } from 'vitest'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'

test('R18 C03 a hold that is lifted early starts the walk again at the top of the plan, not where it stood', async () => {
  const clock = virtualClock()
  const script = {
    'a.x/m1': { call: [{ http: 429, headers: { 'retry-after': '60' } }, { ok: 'from the top' }] },
    'a.x/m2': { call: [{ ok: 'from where it stood' }] },
  }
  const engine = scriptedEngine(script)
  const kernel = createKernel(
    {
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', fallbackModels: ['m2'], fallback: ['b.y'], apiKey: 'k-dummy' }, 'b.y': { model: 'm3', apiKey: 'k-dummy' } },
      reliability: { providerRetries: 1, jitter: 0 },
    },
    {
      clock,
      engines: () => engine,
      holds: { load: () => [{ key: 'b.y', untilAt: 5_000, reason: 'cooldown' }], report() {}, clear() {} },
    },
  )
  const turn = kernel.turn({ id: 't1', prompt: 'hi', stream: false })
  await new Promise<void>((resolve) => void turn.events$.subscribe((event) => event.type === 'wait.started' && resolve()))
  expect(
    kernel
      .holds()
      .map((hold) => hold.key)
      .sort(),
  ).toEqual(['a.x', 'b.y'])
  kernel.clearHold('a.x')
  expect((await turn.outcome).text).toBe('from the top')
  await kernel.stop()
})

describe.each(['cooldown', 'limit', 'outage'] as const)('R18 a hold by %s', (reason) => {
  function held() {
    const clock = virtualClock()
    const engine = scriptedEngine({ 'a.x/m1': { call: [{ ok: 'hi' }] } })
    const kernel = createKernel(
      { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k-dummy' } } },
      { clock, engines: () => engine, holds: { load: () => [{ key: 'a.x', untilAt: 5_000, reason }], report() {}, clear() {} } },
    )
    const told: number[] = []
    kernel.holds$.subscribe((holds) => told.push(holds.length))
    return { clock, kernel, told }
  }

  test('is over when it is lifted: nothing is held, it is told once, and the next turn is served at once', async () => {
    const { kernel, told } = held()
    expect([kernel.clearHold('a.x'), kernel.clearHold('a.x')]).toEqual([true, false])
    expect([kernel.holds(), told]).toEqual([[], [1, 0]])
    expect(await kernel.turn({ prompt: 'hi' }).outcome).toMatchObject({ kind: 'ok', endedAt: 0 })
    await kernel.stop()
  })

  test('is over at its deadline, which is told, and the next turn is served at once', async () => {
    const { clock, kernel, told } = held()
    clock.moveTo(5_000)
    expect([kernel.holds(), told]).toEqual([[], [1, 0]])
    expect(await kernel.turn({ prompt: 'hi' }).outcome).toMatchObject({ kind: 'ok', endedAt: 5_000 })
    await kernel.stop()
  })
})
