import { expect, test } from 'vitest'
import type { AnyMachineSnapshot, InspectionEvent } from 'xstate'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'

/** The present state of the supervisor, as an inspector sees it. */
function supervisorSeen() {
  let state: unknown = null
  const inspect = (event: InspectionEvent): void => {
    const isSupervisor = (event.actorRef as { logic?: { id?: string } }).logic?.id === 'supervisor'
    if (event.type === '@xstate.snapshot' && isSupervisor) state = (event.snapshot as AnyMachineSnapshot).value
  }
  return { inspect, state: () => state }
}

test('R18 a lifted hold wakes a turn that waits while another works', async () => {
  const seen = supervisorSeen()
  const engine = scriptedEngine({ 'a.x/m1': { call: [{ ok: 'woken' }] }, 'b.y/m2': { call: [{ pending: true }] } })
  const kernel = createKernel(
    {
      primary: 'a.x',
      profiles: { 'a.x': { model: 'm1', apiKey: 'k-dummy' }, 'b.y': { model: 'm2', apiKey: 'k-dummy' } },
      modelRoutes: [{ hint: 'b', modelProvider: 'b.y', model: 'm2' }],
    },
    {
      clock: virtualClock(),
      engines: () => engine,
      inspect: seen.inspect,
      holds: { load: () => [{ key: 'a.x', untilAt: 5_000, reason: 'cooldown' }], report() {}, clear() {} },
    },
  )
  const working = kernel.turn({ prompt: 'hi', model: 'hint:b' })
  const waiting = kernel.turn({ prompt: 'hi', stream: false })
  await new Promise<void>((resolve) => void waiting.events$.subscribe((event) => event.type === 'wait.started' && resolve()))
  expect(seen.state()).toBe('running')
  kernel.clearHold('a.x')
  expect((await waiting.outcome).text).toBe('woken')
  working.cancel()
  await working.outcome
  expect(seen.state()).toBe('choosing')
  await kernel.stop()
})

test('R34 a turn whose chart breaks is counted out: the supervisor is choosing again', async () => {
  const seen = supervisorSeen()
  const engine = scriptedEngine({ 'a.x/m1': { call: [{ http: 503 }] } })
  const kernel = createKernel(
    { primary: 'a.x', profiles: { 'a.x': { model: 'm1', apiKey: 'k-dummy' } } },
    {
      clock: virtualClock(),
      inspect: seen.inspect,
      engines: () => engine,
      random: () => {
        throw new Error('chance broke')
      },
    },
  )
  expect((await kernel.turn({ prompt: 'hi' }).outcome).kind).toBe('defect')
  expect(seen.state()).toBe('choosing')
  await kernel.stop()
})
