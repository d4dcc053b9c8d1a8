import { describe, expect, test } from 'vitest'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import type { TurnRequest } from '../../src/runtime/request.ts'
import { LONE, type OnAttempt, rig, settle, TWO, typesOf, watch } from './rig.ts'

/**
 * R30: a cancel from inside any callback. The scene brings every kind of event that can stand before the end of a turn: a shortened
 * history, a hold, a skip, a recovery, waits, and a stream that commits.
 */
const HISTORY = [
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'two' },
  { role: 'user', content: 'three' },
] as const

interface Scene {
  readonly request: TurnRequest
  readonly plays: readonly ((attempt: Parameters<OnAttempt>[0]) => void)[]
  readonly config?: typeof TWO
}

const committing: Scene = {
  request: { sinks: ['event', 'draft'], prompt: 'hi' },
  plays: [
    (attempt) =>
      attempt
        .opened()
        .say({ type: 'reasoning', text: 'hm' })
        .text('par', 'tial')
        .say(
          { type: 'providerToolCall', id: null, name: 'search', arguments: '{}' },
          { type: 'providerToolResult', id: null, name: 'search', output: '' },
        )
        .final(),
  ],
}

/** Overflow in the stream, a limit at the first entry, then a failure that is waited for, in calls. */
const walking: Scene = {
  request: { sinks: ['event', 'draft'], messages: HISTORY },
  config: { ...TWO, reliability: { jitter: 0, providerRetries: 2 } },
  plays: [
    (attempt) => attempt.fail('context_window'),
    (attempt) => attempt.fail('server_error'),
    (attempt) => attempt.fail('rate_limited', { retryAfterMs: 2_000 }),
    (attempt) => attempt.final(),
  ],
}

/** The only entry is held when the turn begins. */
const held: Scene = {
  request: { sinks: ['event'], prompt: 'hi' },
  config: LONE,
  plays: [(attempt) => attempt.opened().fail('rate_limited', { retryAfterMs: 2_000 }), (attempt) => attempt.text('late').final()],
}

/** The first entry is limited at the opening and passed while it is held. */
const skipping: Scene = {
  request: { sinks: ['event'], prompt: 'hi' },
  plays: [(attempt) => attempt.fail('rate_limited'), (attempt) => attempt.fail('auth')],
  config: { ...TWO, profiles: { ...TWO.profiles, 'a.x': { model: 'm1', apiKey: 'k-a', fallbackModels: ['m3'], fallback: ['b.y'] } } },
}

const SCENES: readonly [TurnEvent['type'], Scene][] = [
  ['turn.started', committing],
  ['attempt.started', committing],
  ['output.committed', committing],
  ['reasoning', committing],
  ['text', committing],
  ['draft', committing],
  ['providerToolCall', committing],
  ['providerToolResult', committing],
  ['attempt.ended', walking],
  ['attempt.failed', walking],
  ['history.shortened', walking],
  ['recovery.started', walking],
  ['hold.set', held],
  ['wait.started', held],
  ['wait.ended', held],
  ['entry.skipped', skipping],
]

type Route = 'event sink' | 'draft sink' | 'events$' | 'signal'
const ROUTES: readonly Route[] = ['event sink', 'events$', 'signal']

async function cancelAt(type: TurnEvent['type'], scene: Scene, route: Route) {
  const seen: TurnEvent[] = []
  const controller = new AbortController()
  let cancelledAt: number | null = null
  const { kernel, clock, attempts } = rig({
    ...(scene.config === undefined ? {} : { config: scene.config }),
    onAttempt: (attempt, number) => scene.plays[number - 1]?.(attempt),
  })
  const cancel = (): void => (route === 'signal' ? controller.abort() : turn.cancel())
  const take = (event: TurnEvent): void => {
    seen.push(event)
    if (event.type !== type || cancelledAt !== null) return
    cancelledAt = seen.length
    cancel()
  }
  const sinks = {
    ...(route === 'event sink' ? { event: take } : { event() {} }),
    ...(scene === committing || scene === walking ? { draft() {} } : {}),
  }
  const turn = kernel.turn({ ...scene.request, sinks, signal: controller.signal })
  if (route !== 'event sink') turn.events$.subscribe(take)
  for (let steps = 0; steps < 50; steps++) {
    await settle()
    if (!clock.step()) break
  }
  const outcome = await turn.outcome
  await kernel.stop()
  return { outcome, seen, cancelledAt, attempts, clock }
}

describe('R30 a cancel from inside a callback', () => {
  for (const [type, scene] of SCENES) {
    test.each(ROUTES)(`at ${type}, by %s, leads to no attempt and shows nothing more`, async (route) => {
      const { outcome, seen, cancelledAt, attempts, clock } = await cancelAt(type, scene, route)
      expect(cancelledAt, `the scene tells no ${type}`).not.toBeNull()
      expect(outcome.kind).toBe('cancelled')
      const after = seen.slice(cancelledAt ?? 0)
      const told = typesOf(after)
      for (const never of ['attempt.started', 'wait.started', 'text', 'draft', 'reasoning', 'providerToolCall', 'answer', 'notice']) {
        expect(told).not.toContain(never)
      }
      expect(told.filter((each) => each === 'turn.ended')).toHaveLength(1)
      expect(seen.at(-1)?.type).toBe('turn.ended')
      expect(attempts.every((attempt) => attempt.closed)).toBe(true)
      expect(attempts.length).toBeLessThanOrEqual(typesOf(seen).filter((each) => each === 'attempt.started').length)
      expect(outcome.attempts).toHaveLength(typesOf(seen).filter((each) => each === 'attempt.started').length)
      expect(clock.pending).toBe(0)
    })
  }

  test('inside attempt.started the engine is not asked at all', async () => {
    const { attempts, outcome } = await cancelAt('attempt.started', committing, 'event sink')
    expect(attempts).toHaveLength(0)
    expect(outcome.attempts.map((attempt) => attempt.result)).toEqual(['cancelled'])
  })

  test('inside turn.started there is not even an attempt', async () => {
    const { outcome, seen } = await cancelAt('turn.started', committing, 'event sink')
    expect(outcome.attempts).toEqual([])
    expect(typesOf(seen)).toEqual(['turn.started', 'turn.ended'])
  })

  test('inside output.committed keeps no partial text, since none was forwarded', async () => {
    const { outcome } = await cancelAt('output.committed', committing, 'event sink')
    expect(outcome.partialText).toBeNull()
  })

  test('inside the first chunk keeps that chunk as the partial text', async () => {
    const { outcome } = await cancelAt('text', committing, 'event sink')
    expect(outcome.partialText).toBe('par')
  })
})

describe('R30 when a cancel is asked for', () => {
  test('a signal that is aborted already: no attempt', async () => {
    const { kernel, attempts } = rig()
    const watched = watch(kernel, { signal: AbortSignal.abort() })
    await settle()
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(attempts).toHaveLength(0)
  })

  test('a signal that is aborted in the task that made the turn: no attempt (C26)', async () => {
    const { kernel, attempts } = rig()
    const controller = new AbortController()
    const watched = watch(kernel, { signal: controller.signal })
    controller.abort()
    await settle()
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(attempts).toHaveLength(0)
  })

  test('a cancel in the task that made the turn: no attempt (C26)', async () => {
    const { kernel, attempts } = rig()
    const watched = watch(kernel)
    watched.turn.cancel()
    await settle()
    expect(typesOf(watched.events)).toEqual(['turn.ended'])
    expect(watched.outcome?.kind).toBe('cancelled')
    expect(attempts).toHaveLength(0)
  })

  test('the cancel of a turn may be handed on before the turn has started', async () => {
    const { kernel, last } = rig()
    const { turn, events } = watch(kernel)
    const { cancel } = turn
    await settle()
    last().opened().text('par')
    cancel()
    expect((await turn.outcome).kind).toBe('cancelled')
    expect(last().closed).toBe(true)
    expect(typesOf(events).at(-1)).toBe('turn.ended')
  })

  test('a second cancel, and one after the end, change nothing', async () => {
    const { kernel, last } = rig()
    const watched = watch(kernel)
    await settle()
    last().opened().text('all').final()
    watched.turn.cancel()
    watched.turn.cancel()
    expect(watched.outcome?.kind).toBe('ok')
    expect(typesOf(watched.events).filter((type) => type === 'turn.ended')).toHaveLength(1)
  })

  test('reaches the engine within the call', async () => {
    const { kernel, last } = rig()
    const watched = watch(kernel)
    await settle()
    last().opened()
    watched.turn.cancel()
    expect(last().closed).toBe(true)
    expect(watched.outcome?.kind).toBe('cancelled')
  })

  test('the signal is let go of when the turn is over', async () => {
    const { kernel, last } = rig()
    const controller = new AbortController()
    let listening = 0
    const { signal } = controller
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listening++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listening--
      remove(...args)
    }
    watch(kernel, { signal })
    await settle()
    last().text('x').final()
    await settle()
    expect(listening).toBe(0)
  })
})
