import { Observable } from 'rxjs'
import { expect, it } from 'vitest'
import { CliAttempt } from '../../../src/engines/cli/attempt.ts'
import { codex } from '../../../src/engines/cli/codex/program.ts'
import type { ProcessListener } from '../../../src/engines/cli/process/process.ts'
import type { ProviderEvent } from '../../../src/model/provider-event.ts'
import type { Timeouts } from '../../../src/model/settings.ts'
import { systemClock } from '../../../src/runtime/system-clock.ts'
import { VirtualTeamClock } from '../../../src/simulate/team-clock.ts'
import { noTimeouts, profileOf, requestOf } from '../http/request.ts'

const STALL_MS = 600_000
const SUSPENDED_MS = 7_200_000

/** A run of codex on the clock that is shipped, on a machine that can be suspended. */
function run(timeouts: Partial<Timeouts> = {}) {
  const machine = new VirtualTeamClock(Date.parse('2026-03-01T12:00:00Z'))
  const clock = systemClock({
    now: () => machine.now(),
    elapsedMs: () => machine.elapsedMs(),
    setTimer: (ms, fire) => ({ clear: machine.after(ms, fire), keepAlive() {} }),
  })
  const cli = { command: null, args: [], directory: null, env: {}, stallMs: STALL_MS, path: '/bin/codex', absent: false }
  const profile = profileOf({ id: 'codex.x', family: 'codex', api: null, endpoint: null, timeouts: { ...noTimeouts, ...timeouts }, cli })
  const events: ProviderEvent[] = []
  const failures: string[] = []
  let heard: ProcessListener | null = null
  const processes = {
    start: (_: unknown, listener: ProcessListener) => {
      heard = listener
      return { pause() {}, resume() {}, stop() {}, gone: Promise.resolve() }
    },
  }
  new Observable<ProviderEvent>((subscriber) => {
    new CliAttempt(codex, requestOf({ profile, clock, model: 'default' }), subscriber).begin({ environment: {}, processes })
  }).subscribe((event) => {
    events.push(event)
    if (event.type === 'failed') failures.push(`${event.failure.code} at ${machine.elapsedMs()}`)
  })
  return {
    machine,
    failures,
    answer: () => {
      heard?.onLine('stdout', JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text: 'done' } }))
      heard?.onLine('stdout', JSON.stringify({ type: 'turn.completed', usage: {} }))
      heard?.onEnd({ kind: 'exited', code: 0, signal: null })
    },
    ended: () => events.at(-1)?.type,
    /** To this instant of what passed for the machine, through all that is due. */
    pass(elapsedMs: number) {
      for (;;) {
        const next = machine.nextMs
        const suspended = machine.sinceStartMs - machine.elapsedMs()
        if (next === null || next - suspended > elapsedMs) break
        machine.moveTo(next)
        machine.ring()
      }
      machine.moveTo(elapsedMs + machine.sinceStartMs - machine.elapsedMs())
    },
  }
}

it('T17 G10: a program that was suspended with the machine is no silent one, and its answer is taken', () => {
  const stage = run()
  stage.pass(300_000)
  stage.machine.suspend(SUSPENDED_MS)
  stage.pass(599_000)
  expect(stage.failures).toEqual([])
  stage.answer()
  expect(stage.ended()).toBe('final')
})

it('T17 G10: a suspend adds nothing to what a run may take', () => {
  const stage = run({ totalMs: 400_000 })
  stage.pass(300_000)
  stage.machine.suspend(SUSPENDED_MS)
  stage.pass(399_000)
  expect(stage.failures).toEqual([])
  stage.pass(500_000)
  expect(stage.failures).toEqual(['total at 400000'])
})

it('R31 silence that lasts as long on the machine is a stall, however often that was suspended', () => {
  const stage = run()
  for (const at of [100_000, 200_000, 300_000]) {
    stage.pass(at)
    stage.machine.suspend(SUSPENDED_MS)
  }
  stage.pass(700_000)
  expect(stage.failures).toEqual([`idle at ${STALL_MS}`])
})

it('R31 a wall clock that is set forward makes no program silent', () => {
  const stage = run()
  stage.pass(1_000)
  stage.machine.moveWallClock(SUSPENDED_MS)
  stage.pass(599_000)
  expect(stage.failures).toEqual([])
  stage.pass(700_000)
  expect(stage.failures).toEqual([`idle at ${STALL_MS}`])
})
