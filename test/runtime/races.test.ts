import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { race, runRace } from './races.ts'
import { LONE, rig, settle, TWO, typesOf, watch } from './rig.ts'

describe('R15 R27 R30 races: any order of engines, host and clock', () => {
  test('one outcome each, nothing after it, nothing left behind', async () => {
    await fc.assert(fc.asyncProperty(fc.scheduler(), race, runRace), { seed: 20_260_301, numRuns: 150, endOnFailure: true })
  })
})

describe('named races', () => {
  test('R30 a failure and a cancel in one tick: whichever is first, one outcome and no attempt after the cancel', async () => {
    for (const cancelFirst of [true, false]) {
      const { kernel, attempts } = rig()
      const watched = watch(kernel, { sinks: ['event'] })
      await settle()
      const attempt = attempts[0]
      if (cancelFirst) watched.turn.cancel()
      attempt?.fail('server_error')
      if (!cancelFirst) watched.turn.cancel()
      await settle()
      expect(watched.outcome?.kind).toBe('cancelled')
      expect(attempts).toHaveLength(cancelFirst ? 1 : 2)
      expect(watched.outcome?.attempts.map((each) => each.result)).toEqual(cancelFirst ? ['cancelled'] : ['server_error', 'cancelled'])
    }
  })

  test('R25 a failure and a final in one tick: the first is the end', async () => {
    const failedFirst = rig({
      config: LONE,
      onAttempt: (attempt, number) => (number === 1 ? attempt.opened().fail('network') : attempt.text('b').final()),
    })
    const first = watch(failedFirst.kernel, { sinks: ['event'] })
    await settle()
    failedFirst.attempts[0]?.text('a').final()
    expect(first.outcome).toMatchObject({ kind: 'ok', text: 'b', recoveredFrom: 'stream_error' })
    const finalFirst = rig({ config: LONE })
    const second = watch(finalFirst.kernel, { sinks: ['event'] })
    await settle()
    finalFirst.last().text('a').final()
    finalFirst.last().fail('network')
    expect(second.outcome).toMatchObject({ kind: 'ok', text: 'a' })
    expect(finalFirst.attempts).toHaveLength(1)
  })

  test('R26 R28 C42 a limit after output: interrupted, the hold is set, and nobody else is asked', async () => {
    const { kernel, attempts, last } = rig()
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    last().opened().text('par').fail('rate_limited', { retryAfterMs: 7_000 })
    expect(watched.outcome).toMatchObject({ kind: 'interrupted', partialText: 'par' })
    expect(attempts).toHaveLength(1)
    expect(kernel.holds()).toEqual([{ key: 'a.x', untilAt: 7_000, reason: 'cooldown' }])
  })

  test('R15 two turns of one profile race a limit: the later deadline stands, whichever comes last', async () => {
    for (const [first, second] of [
      [20_000, 5_000],
      [5_000, 20_000],
    ]) {
      const { kernel, attempts } = rig()
      watch(kernel, { sinks: ['event'] })
      watch(kernel, { sinks: ['event'] })
      await settle()
      attempts[0]?.fail('rate_limited', { retryAfterMs: first ?? 0 })
      attempts[1]?.fail('rate_limited', { retryAfterMs: second ?? 0 })
      expect(kernel.holds()).toEqual([{ key: 'a.x', untilAt: 20_000, reason: 'cooldown' }])
      await kernel.stop()
    }
  })

  test('R30 a cancel and the end of a wait in one instant: no attempt', async () => {
    const { kernel, clock, attempts } = rig({ config: LONE })
    const watched = watch(kernel, { sinks: ['event'], stream: false })
    await settle()
    attempts[0]?.fail('server_error')
    clock.setTo(500)
    watched.turn.cancel()
    clock.moveTo(500)
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(attempts).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  test('R18 a hold that is lifted while another turn waits for its own retry does not shorten that wait', async () => {
    const { kernel, clock, attempts } = rig({ config: TWO })
    const watched = watch(kernel, { sinks: ['event'], stream: false })
    await settle()
    attempts[0]?.fail('server_error')
    watch(kernel, { sinks: ['event'], stream: false })
    await settle()
    attempts[1]?.fail('rate_limited')
    expect(kernel.clearHold('a.x')).toBe(true)
    expect(attempts).toHaveLength(3)
    expect(typesOf(watched.events).at(-1)).toBe('wait.started')
    clock.moveTo(500)
    expect(attempts).toHaveLength(4)
    await kernel.stop()
  })

  test('no rejection is left unhandled when nobody looks at the outcome', async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown): void => void unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const { kernel } = rig({ config: LONE, onAttempt: (attempt) => attempt.fail('auth') })
    kernel.turn({ prompt: 'hi' })
    kernel.turn({ prompt: 'hi' }).cancel()
    await kernel.stop()
    await settle()
    await settle()
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })
})
