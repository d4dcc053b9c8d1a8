import { expect, test } from 'vitest'
import { teamClockOn } from '../../../src/runtime/team/system-team-clock.ts'
import { virtualClock } from '../../../src/simulate/virtual-clock.ts'

test('G12 a clock of the host that knows of suspends is what the runtime is charged by', () => {
  const wall = virtualClock(1_000)
  const clock = teamClockOn({ ...wall, elapsedMs: () => 250 })
  expect([clock.now(), clock.elapsedMs()]).toEqual([1_000, 250])
})

test('G12 one that knows only the wall clock is charged by that', () => {
  const clock = teamClockOn(virtualClock(1_000))
  expect([clock.now(), clock.elapsedMs()]).toEqual([1_000, 1_000])
})
