import { describe, expect, test } from 'vitest'
import { LONE, rig, settle, TWO, typesOf, watch } from './rig.ts'

describe('stop', () => {
  test('R30 ends turns in every state, and leaves no wake and no open attempt behind', async () => {
    const played = rig({ config: { ...TWO, reliability: { jitter: 0, providerRetries: 2 } } })
    const { kernel, clock, attempts } = played
    const backingOff = watch(kernel, { stream: false, sinks: ['event'] })
    await settle()
    attempts[0]?.fail('server_error')
    const attempting = watch(kernel, { stream: false, sinks: ['event'] })
    const silent = watch(kernel, { sinks: ['event'] })
    const committed = watch(kernel, { sinks: ['event'] })
    await settle()
    attempts[2]?.opened()
    attempts[3]?.opened().text('par')
    const unstarted = watch(kernel)
    await kernel.stop()
    expect(backingOff.events.some((event) => event.type === 'wait.started')).toBe(true)
    expect([backingOff, attempting, silent, committed, unstarted].map((each) => each.outcome?.kind)).toEqual(Array(5).fill('cancelled'))
    expect(committed.outcome?.partialText).toBe('par')
    expect(unstarted.outcome?.attempts).toEqual([])
    expect(attempts.every((attempt) => attempt.closed)).toBe(true)
    expect(clock.pending).toBe(0)
  })

  test('ends a turn that waits for a hold', async () => {
    const { kernel, clock, last } = rig({ config: LONE })
    const waiting = watch(kernel, { sinks: ['event'] })
    await settle()
    last().fail('rate_limited', { retryAfterMs: 5_000 })
    expect(typesOf(waiting.events).at(-1)).toBe('wait.started')
    await kernel.stop()
    expect(waiting.outcome?.kind).toBe('cancelled')
    expect(clock.pending).toBe(0)
  })

  test('a turn that was asked for in the same task never asks a provider', async () => {
    const { kernel, attempts } = rig()
    const watched = watch(kernel)
    await kernel.stop()
    await settle()
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(attempts).toHaveLength(0)
  })

  test('refuses turns afterwards, and may be repeated', async () => {
    const { kernel } = rig()
    await kernel.stop()
    await kernel.stop()
    expect(() => kernel.turn({ prompt: 'hi' })).toThrow(expect.objectContaining({ code: 'kernel_stopped' }))
  })

  test('from inside a callback of a turn ends that turn', async () => {
    const { kernel, attempts, clock } = rig({ onAttempt: (attempt) => attempt.opened().text('a', 'b').final() })
    const watched = watch(kernel, { sinks: ['event'] })
    let stopped: Promise<void> | undefined
    watched.turn.events$.subscribe((event) => {
      if (event.type === 'text') stopped ??= kernel.stop()
    })
    await watched.turn.outcome
    await stopped
    expect(watched.outcome).toMatchObject({ kind: 'cancelled', partialText: 'a' })
    expect(attempts).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })
})

describe('stop from inside any callback', () => {
  const SPOTS = [
    'turn.started',
    'attempt.started',
    'attempt.ended',
    'attempt.failed',
    'hold.set',
    'recovery.started',
    'wait.started',
    'wait.ended',
    'turn.ended',
  ] as const

  test.each(SPOTS)('at %s leaves no wake, no attempt and no turn behind', async (spot) => {
    const { kernel, clock, attempts } = rig({
      config: LONE,
      onAttempt: (attempt, number) => (number === 1 ? attempt.opened().fail('rate_limited', { retryAfterMs: 5_000 }) : attempt.text('x').final()),
    })
    const { turn, events } = watch(kernel, { sinks: ['event'] })
    let stopped: Promise<void> | undefined
    turn.events$.subscribe((event) => {
      if (event.type === spot) stopped ??= kernel.stop()
    })
    for (let steps = 0; steps < 5 && stopped === undefined; steps++) {
      await settle()
      if (stopped === undefined) clock.step()
    }
    await stopped
    expect(stopped).toBeDefined()
    expect((await turn.outcome).kind).toBe(spot === 'turn.ended' ? 'ok' : 'cancelled')
    expect(typesOf(events).at(-1)).toBe('turn.ended')
    expect(attempts.every((attempt) => attempt.closed)).toBe(true)
    expect(clock.pending).toBe(0)
  })
})
