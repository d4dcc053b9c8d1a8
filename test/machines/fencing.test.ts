import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getNextSnapshot, initialTransition, type SnapshotFrom, transition } from 'xstate'
import { engineMachine } from '../../machines/engine.ts'
import { streamMachine } from '../../machines/stream.ts'
import { supervisorMachine } from '../../machines/supervisor.ts'
import { turnMachine } from '../../machines/turn.ts'
import { failure } from '../../src/model/failure.ts'
import type { AttemptEnd } from '../../src/policy/verdict.ts'
import { planOf, RELIABILITY } from '../policy/walks.ts'

/** Pokes: one state, one event, the state and the actions that follow. Nothing is carried out. */
type TurnSnapshot = SnapshotFrom<typeof turnMachine>

const port = { openAttempt() {}, closeAttempt() {}, abortAttempt() {}, startWait() {}, cancelWait() {}, reportHold() {} }
const at = (now: number) => ({ now, board: new Map() })

function begin(streaming: boolean): TurnSnapshot {
  const input = {
    fixed: {
      plan: planOf(['a.x', 'b.y']),
      needs: { streaming, tools: false, vision: false },
      reliability: { ...RELIABILITY, providerRetries: 2 },
      shortenable: false,
      random: () => 0.5,
    },
    port,
    ...at(0),
  }
  return initialTransition(turnMachine, input)[0]
}

const end = (more: Partial<AttemptEnd> = {}): AttemptEnd => ({
  mode: 'call',
  failure: null,
  finish: 'stop',
  answered: true,
  committed: false,
  providerTools: false,
  ...more,
})

const failed = end({ failure: failure('server_error', 'call', 'x'), finish: null, answered: false })
const limited = end({ failure: failure('rate_limited', 'call', 'x', { retryAfterMs: 2_000 }), finish: null, answered: false })

function ended(snapshot: TurnSnapshot, n: number, how: AttemptEnd, now = 0): TurnSnapshot {
  return getNextSnapshot(turnMachine, snapshot, { type: 'attempt.ended', n, end: how, ...at(now) })
}

/** The turn in each state in which it can stand, by real steps, each with a late event of an earlier number. */
const streaming = begin(true)
const attempting = begin(false)
const backingOff = ended(attempting, 1, failed)
const attemptingAgain = getNextSnapshot(turnMachine, backingOff, { type: 'wait.elapsed', number: 1, ...at(500) })
const backingOffAgain = ended(attemptingAgain, 2, failed, 500)
const lone = initialTransition(turnMachine, {
  fixed: {
    plan: planOf(['a.x']),
    needs: { streaming: true, tools: false, vision: false },
    reliability: RELIABILITY,
    shortenable: false,
    random: () => 0.5,
  },
  port,
  ...at(0),
})[0]
const coolingDown = ended(lone, 1, { ...limited, mode: 'stream' })

const STANDING: readonly (readonly [string, TurnSnapshot])[] = [
  ['streaming', streaming],
  ['attempting', attempting],
  ['backingOff', backingOff],
  ['coolingDown', coolingDown],
]

describe('the turn, poked', () => {
  test.each(STANDING)('stands in %s', (state, snapshot) => {
    expect(snapshot.value).toBe(state)
  })

  test.each([...STANDING, ['attempting', attemptingAgain], ['backingOff', backingOffAgain]] as const)(
    'R30 in %s an event of any number but the present one changes nothing and does nothing',
    (_, snapshot) => {
      fc.assert(
        fc.property(fc.integer({ min: -3, max: 6 }), fc.constantFrom(end(), failed, limited), (number, how) => {
          const { attempt, wait } = snapshot.context
          const standsInAttempt = snapshot.value === 'streaming' || snapshot.value === 'attempting'
          if (!standsInAttempt || number !== attempt.n) {
            const [next, actions] = transition(turnMachine, snapshot, { type: 'attempt.ended', n: number, end: how, ...at(9) })
            expect([next.value, next.context, actions]).toEqual([snapshot.value, snapshot.context, []])
          }
          if (standsInAttempt || number !== wait?.number) {
            const [next, actions] = transition(turnMachine, snapshot, { type: 'wait.elapsed', number, ...at(9) })
            expect([next.value, next.context, actions]).toEqual([snapshot.value, snapshot.context, []])
          }
        }),
        { numRuns: 100 },
      )
    },
  )

  test('a late end of the attempt before is not taken for the present one', () => {
    const [next, actions] = transition(turnMachine, attemptingAgain, { type: 'attempt.ended', n: 1, end: end(), ...at(9) })
    expect(next.value).toBe('attempting')
    expect(actions).toEqual([])
  })

  test.each(STANDING)('R30 a cancel in %s aborts what is open, asks nobody, and is the end', (state, snapshot) => {
    const [next, actions] = transition(turnMachine, snapshot, { type: 'turn.cancel', ...at(9) })
    expect(next.value).toBe('cancelled')
    expect(next.status).toBe('done')
    expect(next.output?.kind).toBe('cancelled')
    const types = actions.map((action) => action.type)
    expect(types).toContain('abortAttempt')
    expect(types).not.toContain('openAttempt')
    expect(types).not.toContain('startWait')
    expect(types.includes('cancelWait')).toBe(state === 'backingOff' || state === 'coolingDown')
  })

  test('R13 a failed attempt is closed and its wait begins, in that order', () => {
    const [next, actions] = transition(turnMachine, attempting, { type: 'attempt.ended', n: 1, end: failed, ...at(0) })
    expect(next.value).toBe('backingOff')
    expect(next.context.wait).toMatchObject({ number: 1, untilAt: 500, why: 'backoff' })
    expect(actions.map((action) => action.type).filter((type) => !type.startsWith('xstate.'))).toEqual(['closeAttempt', 'reportHold', 'startWait'])
  })

  test('R18 a lifted hold starts the walk again at the top; it does nothing to a backoff', () => {
    expect(getNextSnapshot(turnMachine, coolingDown, { type: 'hold.lifted', ...at(9) }).value).toBe('attempting')
    expect(getNextSnapshot(turnMachine, backingOff, { type: 'hold.lifted', ...at(9) }).value).toBe('backingOff')
  })
})

describe('the stream, poked', () => {
  const opening = initialTransition(streamMachine)[0]
  const silent = getNextSnapshot(streamMachine, opening, { type: 'stream.opened' })
  const committed = getNextSnapshot(streamMachine, silent, { type: 'output.committed' })
  const broken = { ...end({ failure: failure('network', 'stream', 'x'), answered: false }) }

  test('R27 the same failure is truncated before the boundary and interrupted after it', () => {
    expect(getNextSnapshot(streamMachine, silent, { type: 'stream.ended', end: broken }).value).toBe('truncated')
    expect(getNextSnapshot(streamMachine, committed, { type: 'stream.ended', end: broken }).value).toBe('interrupted')
  })

  test('R19 an end in order without an answer is empty on both sides', () => {
    const empty = end({ answered: false })
    expect(getNextSnapshot(streamMachine, silent, { type: 'stream.ended', end: empty }).value).toBe('empty')
    expect(getNextSnapshot(streamMachine, committed, { type: 'stream.ended', end: empty }).value).toBe('empty')
  })

  test('its output says whether the boundary was crossed', () => {
    for (const [before, expected] of [
      [silent, false],
      [committed, true],
    ] as const) {
      expect(getNextSnapshot(streamMachine, before, { type: 'stream.ended', end: end() }).output).toEqual({ committed: expected })
      expect(getNextSnapshot(streamMachine, before, { type: 'stream.cancelled' }).output).toEqual({ committed: expected })
    }
  })
})

describe('the engine, poked', () => {
  const idle = initialTransition(engineMachine, { key: 'a.x', port: { publish() {} } })[0]
  const report = (snapshot: typeof idle, untilAt: number, reason: 'cooldown' | 'limit' | 'outage' = 'cooldown') =>
    transition(engineMachine, snapshot, { type: 'hold.reported', hold: { key: 'a.x', untilAt, reason } })

  test('R15 the latest deadline stands after any order of reports', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(100), fc.constantFrom('cooldown' as const, 'limit' as const, 'outage' as const)), { minLength: 1 }),
        (reports) => {
          let snapshot = idle
          for (const [untilAt, reason] of reports) snapshot = report(snapshot, untilAt, reason)[0]
          const latest = Math.max(...reports.map(([untilAt]) => untilAt))
          const first = reports.find(([untilAt]) => untilAt === latest)
          expect(snapshot.context.hold).toEqual({ key: 'a.x', untilAt: latest, reason: first?.[1] })
          expect(snapshot.value).toBe({ cooldown: 'cooling', limit: 'limited', outage: 'unreachable' }[first?.[1] ?? 'cooldown'])
        },
      ),
    )
  })

  test('R15 an earlier or equal deadline is not even told', () => {
    const held = report(idle, 100)[0]
    expect(report(held, 100, 'limit')[1]).toEqual([])
    expect(report(held, 99, 'limit')[1]).toEqual([])
    expect(report(held, 101)[1].map((action) => action.type)).toContain('publishHold')
  })

  test('R18 a hold ends exactly at its deadline', () => {
    const held = report(idle, 100)[0]
    expect(getNextSnapshot(engineMachine, held, { type: 'hold.lapsed', now: 99 }).value).toBe('cooling')
    const [free, actions] = transition(engineMachine, held, { type: 'hold.lapsed', now: 100 })
    expect([free.value, free.context.hold]).toEqual(['available', null])
    expect(actions.map((action) => action.type)).toContain('publishHold')
  })

  test('R15 a lapse of an earlier hold does not end a later one', () => {
    const held = report(report(idle, 100)[0], 200)[0]
    expect(getNextSnapshot(engineMachine, held, { type: 'hold.lapsed', now: 100 }).value).toBe('cooling')
  })
})

type Word = 'turn.started' | 'turn.waiting' | 'turn.resumed' | 'xstate.done.actor.turn'
type Move = 'start' | 'wait' | 'resume' | 'end'

/** Turns as a dumb list: each goes, waits, goes on, or ends. Says the words that a kernel would say for a move; none where it has no sense. */
class Turns {
  readonly waits: boolean[] = []

  take(move: Move, index: number): Word[] {
    if (move === 'start') {
      this.waits.push(false)
      return ['turn.started']
    }
    const waiting = this.waits[index]
    if (waiting === undefined) return []
    if (move === 'end') {
      this.waits.splice(index, 1)
      // A turn that waits leaves its wait before it ends.
      return waiting ? ['turn.resumed', 'xstate.done.actor.turn'] : ['xstate.done.actor.turn']
    }
    if (waiting === (move === 'wait')) return []
    this.waits[index] = move === 'wait'
    return [move === 'wait' ? 'turn.waiting' : 'turn.resumed']
  }

  get state(): string {
    if (this.waits.length === 0) return 'choosing'
    return this.waits.every((waits) => waits) ? 'rateLimited' : 'running'
  }
}

describe('the supervisor, poked', () => {
  test('it counts as many turns as there are, and is rateLimited exactly when all of them wait', () => {
    const moves = fc.array(fc.tuple(fc.constantFrom<Move>('start', 'wait', 'resume', 'end'), fc.nat(5)), { maxLength: 40 })
    fc.assert(
      fc.property(moves, (chosen) => {
        let snapshot = initialTransition(supervisorMachine, { port: { wakeWaiting() {}, cancelTurns() {} } })[0]
        const turns = new Turns()
        for (const [move, index] of chosen) {
          for (const type of turns.take(move, index))
            snapshot = getNextSnapshot(supervisorMachine, snapshot, type === 'xstate.done.actor.turn' ? { type, output: null } : { type })
          expect(snapshot.context).toMatchObject({ inFlight: turns.waits.length, waiting: turns.waits.filter((waits) => waits).length })
          expect(snapshot.value).toBe(turns.state)
        }
      }),
      { numRuns: 300 },
    )
  })
})
