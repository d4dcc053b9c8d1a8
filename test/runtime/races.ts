import fc from 'fast-check'
import { expect } from 'vitest'
import type { FailureKind } from '../../src/model/failure.ts'
import type { TurnEvent } from '../../src/model/turn-event.ts'
import { type PlayedAttempt, rig, settle, TWO, type Watched, watch } from './rig.ts'

/**
 * Races on a kernel whose engines, host and clock all move in an order that fast-check chooses: each step of an attempt, each order of the
 * host and each wake is a task of the scheduler.
 */
export type Act = 'opened' | 'text' | 'reasoning' | 'providerTool' | 'final' | 'raise' | 'complete' | FailureKind | 'double end'

const ENDS: readonly Act[] = [
  'final',
  'raise',
  'complete',
  'rate_limited',
  'server_error',
  'auth',
  'network',
  'refusal',
  'context_window',
  'double end',
]

const performance = fc
  .tuple(fc.array(fc.constantFrom<Act>('opened', 'text', 'reasoning', 'providerTool'), { maxLength: 3 }), fc.constantFrom(...ENDS))
  .map(([before, end]): readonly Act[] => [...before, end])

const order = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('cancel' as const), turn: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('clearHold' as const), key: fc.constantFrom('a.x', 'b.y') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), turn: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const) }) },
)

export const race = fc.record({
  turns: fc.array(fc.constantFrom<'event' | 'draft' | 'none'>('event', 'event', 'draft', 'none'), { minLength: 1, maxLength: 3 }),
  performances: fc.array(performance, { minLength: 12, maxLength: 12 }),
  orders: fc.array(order, { maxLength: 3 }),
  ticks: fc.nat(8),
})
export type Race = typeof race extends fc.Arbitrary<infer Value> ? Value : never

function act(attempt: PlayedAttempt, what: Act): void {
  switch (what) {
    case 'opened':
      return void attempt.opened()
    case 'text':
      return void attempt.text('t')
    case 'reasoning':
      return void attempt.say({ type: 'reasoning', text: 'r' })
    case 'providerTool':
      return void attempt.say({ type: 'providerToolCall', id: null, name: 'search', arguments: '{}' })
    case 'final':
      return attempt.text('t').final()
    case 'raise':
      return attempt.raise(new Error('raised'))
    case 'complete':
      return attempt.complete()
    case 'double end':
      attempt.say({ type: 'text', text: 't' }, { type: 'final', finish: 'stop', terminated: true })
      return attempt.fail('network')
    default:
      return attempt.fail(what, what === 'rate_limited' ? { retryAfterMs: 2_000 } : {})
  }
}

type Noted = { readonly turn: number; readonly event: TurnEvent } | { readonly turn: number; readonly cancel: true } | { readonly cleared: string }

/** Runs one race to its end and judges it. */
export async function runRace(scheduler: fc.Scheduler, { turns, performances, orders, ticks }: Race): Promise<void> {
  const noted: Noted[] = []
  const { kernel, clock, attempts } = rig({
    config: TWO,
    onAttempt: (attempt, number) => void perform(attempt, performances[(number - 1) % performances.length] ?? []),
  })
  async function perform(attempt: PlayedAttempt, acts: readonly Act[]): Promise<void> {
    for (const what of acts) {
      await scheduler.schedule(Promise.resolve(), `${attempt.request.turn}: ${what}`)
      act(attempt, what)
    }
  }
  const controllers = turns.map(() => new AbortController())
  const watched = turns.map((sink, index): Watched => {
    const sinks = sink === 'none' ? [] : [sink]
    const each = watch(kernel, { id: `t${index}`, sinks, signal: controllers[index]?.signal })
    each.turn.events$.subscribe((event) => noted.push({ turn: index, event }))
    return each
  })
  let stopped = false
  const carryOut = (ordered: (typeof orders)[number]): void => {
    if (ordered.do === 'clearHold' && kernel.clearHold(ordered.key)) noted.push({ cleared: ordered.key })
    if (ordered.do === 'stop') {
      for (const turn of turns.keys()) noted.push({ turn, cancel: true })
      stopped = true
      void kernel.stop()
    }
    if (ordered.do !== 'cancel' && ordered.do !== 'abort') return
    const turn = ordered.turn % turns.length
    noted.push({ turn, cancel: true })
    if (ordered.do === 'abort') controllers[turn]?.abort()
    else watched[turn]?.turn.cancel()
  }
  for (const ordered of orders) void scheduler.schedule(Promise.resolve(), `host: ${JSON.stringify(ordered)}`).then(() => carryOut(ordered))
  for (let tick = 0; tick < ticks; tick++) void scheduler.schedule(Promise.resolve(), 'clock').then(() => clock.step())
  await settle()
  for (let turn = 0; turn < 500 && watched.some((each) => each.outcome === null); turn++) {
    await scheduler.waitIdle()
    await settle()
    if (watched.some((each) => each.outcome === null)) clock.step()
    await settle()
  }
  judge(noted, watched, attempts)
  if (!stopped) for (const { turn } of watched) kernel.turn({ id: turn.id, prompt: 'again' }).cancel()
  await settle()
  await kernel.stop()
  expect(clock.pending).toBe(0)
  expect(attempts.every((attempt) => attempt.closed)).toBe(true)
  for (const row of kernel.ledger.rows()) expect(row.outcome).not.toBeNull()
}

/** What the order of events so far forbids. */
class Judge {
  readonly #heldUntil = new Map<string, number>()
  readonly #committed = new Set<number>()
  readonly #ended = new Set<number>()
  readonly cancelled = new Set<number>()

  take(note: Noted): void {
    if ('cleared' in note) this.#heldUntil.delete(note.cleared)
    else if ('event' in note) this.#hear(note.turn, note.event)
    else if (!this.#ended.has(note.turn)) this.cancelled.add(note.turn)
  }

  #hear(turn: number, event: TurnEvent): void {
    expect(this.#ended.has(turn), `${event.type} after the end of turn ${turn}`).toBe(false)
    switch (event.type) {
      case 'turn.ended':
        return void this.#ended.add(turn)
      case 'hold.set':
        return void this.#heldUntil.set(event.hold.key, Math.max(event.hold.untilAt, this.#heldUntil.get(event.hold.key) ?? 0))
      case 'output.committed':
        return void this.#committed.add(turn)
      case 'attempt.ended':
        if (event.result === 'empty') this.#committed.delete(turn)
        return
      case 'attempt.started':
        expect(this.cancelled.has(turn), `an attempt of turn ${turn} after its cancel`).toBe(false)
        expect(this.#committed.has(turn), `an attempt of turn ${turn} after its commit`).toBe(false)
        expect(this.#heldUntil.get(event.profile) ?? 0, `an attempt on ${event.profile} while it is held`).toBeLessThanOrEqual(event.at)
    }
  }
}

function judge(noted: readonly Noted[], watched: readonly Watched[], attempts: readonly PlayedAttempt[]): void {
  const strict = new Judge()
  for (const note of noted) strict.take(note)
  for (const [turn, { outcome, events, turn: handle }] of watched.entries()) {
    expect(outcome, `turn ${turn} never ended`).not.toBeNull()
    expect(outcome?.kind).not.toBe('defect')
    if (strict.cancelled.has(turn)) expect(outcome?.kind).toBe('cancelled')
    const started = events.flatMap((event) => (event.type === 'attempt.started' ? [event.n] : []))
    expect(outcome?.attempts.map((attempt) => attempt.n)).toEqual(started)
    expect(attempts.filter((attempt) => attempt.request.turn === handle.id).map((attempt) => attempt.request.n)).toEqual(started)
  }
}
