import { describe, expect, test } from 'vitest'
import { GroupEnding } from '../../../../src/engines/cli/process/group-ending.ts'
import type { ProcessGroup } from '../../../../src/engines/cli/process/process-group.ts'
import { virtualClock } from '../../../../src/simulate/virtual-clock.ts'

const GRACE_MS = 5_000

/** A group that is what the test says, and remembers what it was sent and when. */
function scene() {
  const clock = virtualClock(0)
  const log: string[] = []
  const state = { left: false, looks: 0 }
  const group: ProcessGroup = {
    signal: (signal) => void log.push(`${clock.now()} ${signal}`),
    isLeft: () => {
      state.looks += 1
      return state.left
    },
  }
  const onGone = (gone: boolean): void => void log.push(`${clock.now()} ${gone ? 'gone' : 'given up'}`)
  return { clock, log, state, ending: new GroupEnding(group, { clock, graceMs: GRACE_MS, onGone }) }
}

describe('the end of a group', () => {
  test('TERM, and no KILL for a leader that hears it', () => {
    const { clock, log, ending } = scene()
    ending.begin()
    clock.moveTo(40)
    ending.leaderExited()
    clock.moveTo(100_000)
    expect(log).toEqual(['0 SIGTERM', '40 gone'])
    expect(clock.pending).toBe(0)
  })

  test('KILL after the grace for one that does not', () => {
    const { clock, log, ending } = scene()
    ending.begin()
    clock.moveTo(GRACE_MS)
    ending.leaderExited()
    clock.moveTo(100_000)
    expect(log).toEqual(['0 SIGTERM', '5000 SIGKILL', '5000 gone'])
  })

  test('a leader that has gone while another lives is a group that is left', () => {
    const { clock, log, state, ending } = scene()
    state.left = true
    ending.begin()
    clock.moveTo(40)
    ending.leaderExited()
    clock.moveTo(GRACE_MS)
    state.left = false
    clock.moveTo(100_000)
    expect(log[1]).toBe('5000 SIGKILL')
    expect(log.slice(2)).toEqual([expect.stringMatching(/^5\d{3} gone$/)])
  })

  test('CLI-08 nothing is signalled once nobody is left: the number may be another group by then', () => {
    const { clock, log, state, ending } = scene()
    state.left = true
    ending.begin()
    ending.leaderExited()
    clock.moveTo(GRACE_MS - 1)
    state.left = false
    clock.moveTo(100_000)
    ending.begin()
    ending.kill()
    expect(log).toEqual(['0 SIGTERM', '5000 gone'])
  })

  test('a group that empties before it is asked to end is found gone, and gets no signal', () => {
    const { clock, log, state, ending } = scene()
    state.left = true
    ending.leaderExited()
    clock.moveTo(60_000)
    state.left = false
    clock.moveTo(61_000)
    ending.begin()
    expect(log).toEqual([expect.stringMatching(/^60\d{3} gone$/)])
  })

  test('looks come in waits that double up to a bound, so a long grace costs little', () => {
    const { clock, state, ending } = scene()
    state.left = true
    ending.begin()
    ending.leaderExited()
    clock.moveTo(GRACE_MS - 1)
    expect(state.looks).toBeLessThan(30)
    expect(state.looks).toBeGreaterThan(10)
  })

  test('what KILL does not end is given up after another grace', () => {
    const { clock, log, state, ending } = scene()
    state.left = true
    ending.begin()
    clock.moveTo(100_000)
    expect(log).toEqual(['0 SIGTERM', '5000 SIGKILL', '10000 given up'])
    ending.leaderExited()
    expect(log).toHaveLength(3)
    expect(clock.pending).toBe(0)
  })

  test('is begun once, and told once', () => {
    const { clock, log, ending } = scene()
    ending.begin()
    ending.begin()
    ending.leaderExited()
    ending.leaderExited()
    clock.moveTo(100_000)
    expect(log).toEqual(['0 SIGTERM', '0 gone'])
  })
})
