import { Observable, type Subscriber } from 'rxjs'
import { describe, expect, test } from 'vitest'
import type { Clock } from '../../src/model/clock.ts'
import type { ProviderEvent } from '../../src/model/provider-event.ts'
import { StreamInterruptedAfterOutput } from '../../src/runtime/errors.ts'
import { LONE, type OnAttempt, rig, settle, TWO, typesOf, watch } from './rig.ts'

/** Engines that keep their contract badly or in the hardest way: one outcome each, nothing after it, and the walk goes on where it may. */
async function play(onAttempt: OnAttempt, config = LONE) {
  const played = rig({ config, onAttempt })
  const watched = watch(played.kernel, { sinks: ['event'] })
  for (let steps = 0; steps < 50 && watched.outcome === null; steps++) {
    await settle()
    if (watched.outcome === null && !played.clock.step()) break
  }
  await played.kernel.stop()
  return { ...played, ...watched, outcome: watched.outcome }
}

describe('R25 R32 an engine that breaks its contract is a failed attempt, told once', () => {
  test('says everything in the very call that subscribes', async () => {
    const { outcome, events } = await play((attempt) => attempt.opened().text('a', 'b').final())
    expect(outcome).toMatchObject({ kind: 'ok', text: 'ab' })
    expect(typesOf(events)).toEqual(['turn.started', 'attempt.started', 'output.committed', 'text', 'text', 'attempt.ended', 'turn.ended'])
  })

  test('fails in the very call that subscribes, for every attempt', async () => {
    const { outcome, attempts } = await play((attempt) => attempt.fail('server_error'))
    expect(outcome?.kind).toBe('exhausted')
    // R29: the only candidate of a failed stream has a single attempt.
    expect(attempts).toHaveLength(2)
  })

  test('raises an error', async () => {
    const { outcome } = await play((attempt, number) => (number === 1 ? attempt.raise(new Error('boom')) : attempt.text('x').final()))
    expect(outcome).toMatchObject({ kind: 'ok', text: 'x', recoveredFrom: 'stream_error' })
    expect(outcome?.attempts.map((attempt) => attempt.result)).toEqual(['unknown', 'ok'])
  })

  test('raises an error after output', async () => {
    const { outcome, attempts } = await play((attempt) => attempt.opened().text('par').raise('boom'))
    expect(outcome).toMatchObject({ kind: 'interrupted', partialText: 'par' })
    expect(attempts).toHaveLength(1)
  })

  test('completes without an end', async () => {
    const { outcome } = await play((attempt, number) => (number === 1 ? attempt.opened().complete() : attempt.text('x').final()))
    expect(outcome?.attempts.map((attempt) => attempt.result)).toEqual(['unknown', 'ok'])
  })

  test('throws instead of answering', async () => {
    let asked = 0
    const { kernel } = rig({
      config: LONE,
      ports: {
        engines: () => ({
          attempt: () => {
            asked++
            throw new Error('boom')
          },
        }),
      },
    })
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    expect(watched.outcome?.kind).toBe('exhausted')
    expect(asked).toBe(2)
  })

  test('says two ends, and goes on after them', async () => {
    const { outcome, events } = await play((attempt) => {
      attempt.opened().say({ type: 'text', text: 'a' }, { type: 'final', finish: 'stop', terminated: true })
      attempt.say({ type: 'text', text: 'b' }, { type: 'final', finish: 'length', terminated: true }).fail('network')
    })
    expect(outcome).toMatchObject({ kind: 'ok', text: 'a' })
    expect(typesOf(events).filter((type) => type === 'attempt.ended')).toHaveLength(1)
  })

  test('goes on after it was unsubscribed', async () => {
    let say = (): void => {}
    const { kernel } = rig({
      config: LONE,
      ports: {
        engines: () => ({
          attempt: () =>
            new Observable((out) => {
              out.next({ type: 'opened' })
              // Past `out` itself, which RxJS closes: what an engine does that ignores its teardown.
              say = () => {
                out.next({ type: 'text', text: 'late' })
                out.next({ type: 'final', finish: 'stop', terminated: true })
              }
            }),
        }),
      },
    })
    const watched = watch(kernel, { sinks: ['event'] })
    await settle()
    watched.turn.cancel()
    say()
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(typesOf(watched.events)).toEqual(['turn.started', 'attempt.started', 'attempt.ended', 'turn.ended'])
  })

  test('R27 R28 never says that it was opened: what a reader saw still counts, and nothing is asked again', async () => {
    const { outcome, attempts, turn } = await play((attempt) => attempt.text('par').fail('network'), TWO)
    expect(outcome).toMatchObject({ kind: 'interrupted', partialText: 'par' })
    expect(attempts).toHaveLength(1)
    await expect(turn.text).rejects.toBeInstanceOf(StreamInterruptedAfterOutput)
  })

  test('R27 R28 says reasoning, or a tool that ran at the provider, without having been opened', async () => {
    const reasoning = await play((attempt) => attempt.say({ type: 'reasoning', text: 'hm' }).fail('network'), TWO)
    expect(reasoning.outcome).toMatchObject({ kind: 'interrupted', partialText: null })
    const tool = await play((attempt) => attempt.say({ type: 'providerToolCall', id: null, name: 'search', arguments: '{}' }).fail('network'), TWO)
    expect(tool.outcome).toMatchObject({ kind: 'interrupted', partialText: null })
  })
})

describe('R25 R30 an engine that throws where nothing may throw ends its attempt all the same', () => {
  /** An engine that says what it is told to and throws when the kernel lets go of it. */
  function throwingAtTeardown() {
    const outs: Subscriber<ProviderEvent>[] = []
    const { kernel } = rig({
      config: LONE,
      ports: {
        engines: () => ({
          attempt: () =>
            new Observable((out) => {
              outs.push(out)
              return () => {
                throw new Error('teardown broke')
              }
            }),
        }),
      },
    })
    return { kernel, outs }
  }

  test('its teardown throws after the end', async () => {
    const { kernel, outs } = throwingAtTeardown()
    const { turn } = watch(kernel, { sinks: ['event'] })
    await settle()
    outs[0]?.next({ type: 'text', text: 'x' })
    outs[0]?.next({ type: 'final', finish: 'stop', terminated: true })
    expect(await turn.outcome).toMatchObject({ kind: 'ok', text: 'x' })
  })

  test('its teardown throws at a cancel, and at a stop', async () => {
    const { kernel } = throwingAtTeardown()
    const [first, second, third] = [watch(kernel), watch(kernel), watch(kernel)]
    await settle()
    expect(() => first.turn.cancel()).not.toThrow()
    expect((await first.turn.outcome).kind).toBe('cancelled')
    await kernel.stop()
    expect((await second.turn.outcome).kind).toBe('cancelled')
    expect((await third.turn.outcome).kind).toBe('cancelled')
  })

  test.each([
    ['null', null],
    ['a text that is a number', { type: 'text', text: 5 }],
    ['a text that is missing', { type: 'text' }],
  ])('it says %s', async (_, garbage) => {
    const { outcome } = await play((attempt, number) => {
      if (number === 1) attempt.say(garbage as never)
      else attempt.text('x').final()
    })
    expect(outcome).toMatchObject({ kind: 'ok', text: 'x', recoveredFrom: 'stream_error' })
    expect(outcome?.attempts.map((attempt) => attempt.result)).toEqual(['unknown', 'ok'])
  })
})

describe('a defect ends one turn and nothing else', () => {
  /** The resolver is asked when the settings are checked and fails later, as a plug-in may. */
  function failingLater() {
    let broken = false
    const played = rig({ config: LONE })
    const hanging = new Observable<never>(() => {})
    const { kernel, clock } = rig({
      config: LONE,
      ports: {
        engines: () => {
          if (broken) throw new Error('resolver broke')
          return { attempt: () => hanging }
        },
      },
    })
    void played
    return {
      kernel,
      clock,
      breakNow: () => {
        broken = true
      },
    }
  }

  test('the turn ends as a defect and its row is closed', async () => {
    const { kernel, breakNow } = failingLater()
    breakNow()
    const { turn, events } = watch(kernel)
    const outcome = await turn.outcome
    expect(outcome.kind).toBe('defect')
    expect(kernel.ledger.rows().every((row) => row.endedAt !== null)).toBe(true)
    expect(typesOf(events).filter((type) => type === 'turn.ended')).toHaveLength(1)
    await expect(turn.text).rejects.toMatchObject({ code: 'defect' })
  })

  test('a turn that cannot even start ends as a defect', async () => {
    const clock: Clock = {
      now() {
        throw new Error('no time')
      },
      wakeAt: () => () => {},
    }
    const { kernel } = rig({ config: LONE, ports: { clock } })
    const { turn, events } = watch(kernel)
    expect((await turn.outcome).kind).toBe('defect')
    expect(typesOf(events)).toEqual(['turn.ended'])
    await expect(turn.text).rejects.toMatchObject({ code: 'defect', cause: { message: 'no time' } })
    await kernel.stop()
  })

  test('other turns go on, and stop still reaches them', async () => {
    const { kernel, breakNow, clock } = failingLater()
    const good = watch(kernel)
    await settle()
    breakNow()
    const bad = watch(kernel)
    await settle()
    expect(bad.outcome?.kind).toBe('defect')
    expect(good.outcome).toBeNull()
    await kernel.stop()
    expect(good.outcome?.kind).toBe('cancelled')
    expect(clock.pending).toBe(0)
  })

  test('a ledger that throws ends that turn, and stop still reaches the others', async () => {
    let broken = false
    const { kernel, clock } = rig({
      config: LONE,
      ports: {
        ledger: {
          append() {},
          close() {
            if (broken) throw new Error('disk full')
          },
          rows: () => [],
        },
      },
      onAttempt: (attempt) => {
        if (broken) attempt.text('x').final()
      },
    })
    const good = watch(kernel)
    await settle()
    broken = true
    const bad = watch(kernel)
    await settle()
    expect(bad.outcome?.kind).toBe('defect')
    broken = false
    await kernel.stop()
    expect(good.outcome?.kind).toBe('cancelled')
    expect(clock.pending).toBe(0)
  })

  test('a ledger that throws at a cancel still lets the turn end', async () => {
    const { kernel } = rig({
      config: LONE,
      ports: {
        ledger: {
          append() {},
          close() {
            throw new Error('disk full')
          },
          rows: () => [],
        },
      },
    })
    const { turn } = watch(kernel)
    await settle()
    turn.cancel()
    expect((await turn.outcome).kind).toBe('defect')
  })

  test('a logger that throws costs no turn its answer', async () => {
    const shout = (): never => {
      throw new Error('log is full')
    }
    const { kernel } = rig({
      config: LONE,
      ports: { logger: { debug: shout, info: shout, warn: shout, error: shout } },
      onAttempt: (attempt, number) => (number === 1 ? attempt.fail('network') : attempt.text('x').final()),
    })
    const { turn } = watch(kernel, { sinks: ['event'] })
    expect((await turn.outcome).kind).toBe('ok')
  })

  test('an inspector that throws costs no turn its answer', async () => {
    const { kernel } = rig({
      config: LONE,
      ports: {
        inspect: () => {
          throw new Error('page closed')
        },
      },
      onAttempt: (attempt) => attempt.text('x').final(),
    })
    expect((await watch(kernel).turn.outcome).kind).toBe('ok')
  })
})
