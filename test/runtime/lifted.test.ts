import { expect, test } from 'vitest'
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
