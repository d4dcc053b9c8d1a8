import { describe, expect, test } from 'vitest'
import { ConfigError } from '../../src/runtime/errors.ts'
import { LONE, rig, settle, TWO, typesOf, watch } from './rig.ts'

describe('names of turns', () => {
  test('a name in flight is refused, also before the turn of that name has started', async () => {
    const { kernel } = rig()
    kernel.turn({ id: 't', prompt: 'hi' })
    expect(() => kernel.turn({ id: 't', prompt: 'hi' })).toThrow(ConfigError)
    await settle()
    expect(() => kernel.turn({ id: 't', prompt: 'hi' })).toThrow(/turn_in_flight/)
    await kernel.stop()
  })

  test('a name is free again once its turn has ended, however it ended', async () => {
    const { kernel, last } = rig()
    const first = watch(kernel, { id: 't' })
    await settle()
    last().text('a').final()
    expect(first.outcome?.kind).toBe('ok')
    const second = watch(kernel, { id: 't' })
    second.turn.cancel()
    await settle()
    expect(second.outcome?.kind).toBe('cancelled')
    const third = watch(kernel, { id: 't' })
    await settle()
    expect(third.outcome).toBeNull()
    await kernel.stop()
  })

  test('R34 a name that is used again adds rows and replaces none', async () => {
    const { kernel, last } = rig()
    for (let time = 0; time < 2; time++) {
      watch(kernel, { id: 't' })
      await settle()
      last()
        .say({ type: 'usage', input: time + 1 })
        .text('a')
        .final()
    }
    expect(kernel.ledger.rows().map((row) => [row.turn, row.n, row.usage?.input, row.outcome])).toEqual([
      ['t', 1, 1, 'ok'],
      ['t', 1, 2, 'ok'],
    ])
  })

  test('minted names differ', async () => {
    const { kernel } = rig()
    const names = Array.from({ length: 100 }, () => kernel.turn({ prompt: 'hi' }).id)
    expect(new Set(names).size).toBe(100)
    await kernel.stop()
  })
})

describe('R18 holds and those who wait for them', () => {
  test('a hold lifted early wakes the turn that waits for it', async () => {
    const { kernel, clock, attempts, last } = rig({ config: LONE })
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    last().fail('rate_limited', { retryAfterMs: 20_000 })
    expect(kernel.holds()).toEqual([{ key: 'a.x', untilAt: 20_000, reason: 'cooldown' }])
    expect(kernel.clearHold('a.x')).toBe(true)
    expect(kernel.clearHold('a.x')).toBe(false)
    expect(kernel.holds()).toEqual([])
    expect(attempts).toHaveLength(2)
    last().text('x').final()
    expect(watched.outcome?.kind).toBe('ok')
    expect(watched.events.find((event) => event.type === 'wait.ended')).toMatchObject({ cut: true })
    expect(clock.pending).toBe(0)
  })

  test('every turn that waits looks again, and one that is limited anew waits anew', async () => {
    const { kernel, attempts } = rig({ config: { ...LONE, reliability: { jitter: 0, providerRetries: 3 } } })
    const first = watch(kernel, { sinks: ['event'] })
    await settle()
    attempts[0]?.fail('rate_limited', { retryAfterMs: 20_000 })
    const second = watch(kernel, { sinks: ['event'] })
    await settle()
    expect(attempts).toHaveLength(1)
    kernel.clearHold('a.x')
    expect(attempts).toHaveLength(3)
    attempts[2]?.fail('rate_limited', { retryAfterMs: 10_000 })
    attempts[1]?.text('x').final()
    expect(first.outcome?.kind).toBe('ok')
    expect(second.outcome).toBeNull()
    expect(typesOf(second.events).filter((type) => type === 'wait.started')).toHaveLength(2)
    await kernel.stop()
  })

  test('C48 two turns of one profile race a limit: the one that waits for its own retry passes the entry that the other held', async () => {
    const { kernel, clock, attempts } = rig({ config: TWO })
    const first = watch(kernel, { sinks: ['event'], stream: false })
    await settle()
    attempts[0]?.fail('server_error')
    const second = watch(kernel, { sinks: ['event'], stream: false })
    await settle()
    attempts[1]?.fail('rate_limited', { retryAfterMs: 8_000 })
    expect(attempts[2]?.request.entry).toBe('b.y/m2')
    clock.moveTo(500)
    await settle()
    expect(attempts[3]?.request.entry).toBe('b.y/m2')
    expect(first.events.find((event) => event.type === 'entry.skipped')).toMatchObject({ entry: 'a.x/m1', event: { attempt: 0, of: 2 } })
    attempts[2]?.text('x').final()
    attempts[3]?.text('x').final()
    expect([first.outcome?.kind, second.outcome?.kind]).toEqual(['ok', 'ok'])
  })

  test('holds$ tells the present holds and each change', async () => {
    const { kernel, clock, last } = rig()
    const told: (readonly unknown[])[] = []
    kernel.holds$.subscribe((holds) => told.push(holds.map((hold) => [hold.key, hold.untilAt])))
    watch(kernel, { stream: false, sinks: ['event'] })
    await settle()
    last().fail('rate_limited', { retryAfterMs: 3_000 })
    clock.moveTo(3_000)
    expect(told).toEqual([[], [['a.x', 3_000]], []])
    await kernel.stop()
  })

  test('a store of holds that throws costs no turn its answer and no hold its place', async () => {
    const boom = (): never => {
      throw new Error('store is down')
    }
    const warned: string[] = []
    const { kernel, attempts } = rig({
      ports: {
        holds: { load: () => [], report: boom, clear: boom },
        logger: { debug() {}, info() {}, error() {}, warn: (_, message) => warned.push(message) },
      },
      onAttempt: (attempt, number) => (number === 1 ? attempt.fail('rate_limited') : attempt.text('x').final()),
    })
    expect((await watch(kernel, { sinks: ['event'] }).turn.outcome).kind).toBe('ok')
    expect(attempts).toHaveLength(2)
    expect(kernel.holds()).toHaveLength(1)
    expect(kernel.clearHold('a.x')).toBe(true)
    expect(kernel.holds()).toEqual([])
    expect(warned.filter((message) => message === 'listener.threw')).toHaveLength(2)
  })

  test('an engine actor that has a defect is made anew: unknown means available', async () => {
    let broken = true
    const played = rig({ config: LONE })
    const { clock } = played
    const { kernel, last } = rig({
      config: LONE,
      ports: {
        clock: {
          now: () => clock.now(),
          wakeAt: (at, fire, options) => {
            if (broken && options?.background === true) throw new Error('no timer left')
            return clock.wakeAt(at, fire, options)
          },
        },
      },
      onAttempt: (attempt) => attempt.fail('rate_limited', { retryAfterMs: 40_000 }),
    })
    expect((await watch(kernel, { sinks: ['event'] }).turn.outcome).kind).toBe('all_held')
    expect(kernel.holds()).toEqual([])
    broken = false
    const again = await watch(kernel, { sinks: ['event'] }).turn.outcome
    expect(again.kind).toBe('all_held')
    expect(kernel.holds()).toHaveLength(1)
    expect(last().closed).toBe(true)
    await kernel.stop()
  })
})

describe('R12 reload', () => {
  const renamed = { ...TWO, primary: 'b.y' }

  test('takes effect at the next turn and leaves the present one alone', async () => {
    const { kernel, attempts } = rig()
    const before = watch(kernel, { sinks: ['event'] })
    await settle()
    kernel.reload({ ...renamed, endMarkers: ['par'] })
    attempts[0]?.fail('auth')
    expect(attempts[1]?.request.entry).toBe('b.y/m2')
    attempts[1]?.text('part').final()
    expect(before.outcome).toMatchObject({ kind: 'ok', text: 'part' })
    const after = watch(kernel, { sinks: ['event'] })
    await settle()
    expect(attempts[2]?.request.entry).toBe('b.y/m2')
    attempts[2]?.text('part').final()
    expect(after.outcome?.text).toBe('t')
  })

  test('R35 a notice is read from the live settings when it is delivered', async () => {
    const { kernel, attempts } = rig()
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    attempts[0]?.fail('auth')
    kernel.reload({ ...TWO, modelFallbackNotice: 'detailed' })
    attempts[1]?.text('x').final()
    expect(watched.outcome?.notice).toBe('Requested a.x/m1; answered by b.y/m2.')
  })

  test('wrong settings change nothing', async () => {
    const { kernel, attempts } = rig()
    expect(() => kernel.reload({ primary: 'nobody', profiles: {} })).toThrow(ConfigError)
    watch(kernel)
    await settle()
    expect(attempts[0]?.request.entry).toBe('a.x/m1')
    await kernel.stop()
  })

  test('holds survive it', async () => {
    const { kernel, attempts } = rig()
    watch(kernel, { sinks: ['event'] })
    await settle()
    attempts[0]?.fail('rate_limited', { retryAfterMs: 9_000 })
    kernel.reload(TWO)
    expect(kernel.holds()).toEqual([{ key: 'a.x', untilAt: 9_000, reason: 'cooldown' }])
    await kernel.stop()
  })
})

describe('R34 the ledger', () => {
  test('a price is looked up among the settings only: a model named like a built-in has none', async () => {
    const { kernel, last } = rig({ config: { primary: 'a.x', profiles: { 'a.x': { apiKey: 'k' } } } })
    const watched = watch(kernel, { model: 'constructor', sinks: ['event'] })
    await settle()
    last().say({ type: 'usage', input: 1, output: 1 }).text('x').final()
    expect(watched.outcome?.cost).toBeNull()
    expect(kernel.ledger.rows()[0]?.cost).toBeNull()
    expect(watched.events.filter((event) => event.type === 'warning.raised').map((event) => event.warning.code)).toEqual(['price_unknown'])
  })

  test('a row stands before its engine is asked, and is closed once', async () => {
    const rows: unknown[] = []
    const { kernel } = rig({
      config: LONE,
      onAttempt: (attempt) => {
        rows.push(kernel.ledger.rows().map((row) => row.outcome))
        attempt.text('x').final()
      },
    })
    await watch(kernel, { sinks: ['event'] }).turn.outcome
    expect(rows).toEqual([[null]])
    expect(kernel.ledger.rows().map((row) => row.outcome)).toEqual(['ok'])
  })
})
