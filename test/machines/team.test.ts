import { describe, expect, test } from 'vitest'
import { initialTransition, transition } from 'xstate'
import { type TeamMachineEvent, teamMachine } from '../../machines/team.ts'
import type { RunResult } from '../../src/model/team.ts'
import { membersOf } from '../../src/policy/team/chain.ts'
import { narrator } from '../../src/policy/team/narrate.ts'
import { listedOrder } from '../../src/policy/team/order.ts'

/** State and event → state and actions; nothing is executed. */
type Said = TeamMachineEvent extends infer Event ? (Event extends unknown ? Omit<Event, 'now' | 'elapsedMs'> : never) : never

const HOUR = 3_600_000
const limited: RunResult = { kind: 'limited', limit: { resetAt: HOUR } }
const posted: RunResult = { kind: 'posted', limit: null }
const failed: RunResult = { kind: 'failed', fault: { kind: 'exited', code: 1 } }
const ran = (result: RunResult, number = 1): Said => ({ type: 'run.ended', number, result })
const start: Said = { type: 'team.start' }

function chart(...chains: readonly string[][]) {
  const participants = chains.map(([provider = '', ...failover], index) => ({ id: ['ana', 'bo'][index] ?? '', provider, model: null, failover }))
  const fixed = {
    members: membersOf(participants, () => true),
    settings: { maxIterations: null, maxRuntimeMin: null, maxWaitMin: null, sleepSliceMs: 60_000 },
    choice: listedOrder(null),
    narrator: narrator('UTC'),
    until: () => false,
  }
  const port = { startRun() {}, abortRun() {}, startWait() {}, cancelWait() {} }
  return (...events: readonly Said[]) => {
    let [snapshot, actions] = initialTransition(teamMachine, { fixed, port, now: 0, elapsedMs: 0 })
    for (const [index, event] of events.entries()) {
      ;[snapshot, actions] = transition(teamMachine, snapshot, { ...event, now: index, elapsedMs: index } as TeamMachineEvent)
    }
    const effects = actions.map(({ type }) => type).filter((type) => /^(start|abort|cancel)/.test(type))
    return { state: snapshot.value, effects, turn: snapshot.context.turn, output: snapshot.output }
  }
}

const said: Said = { type: 'message.posted', asked: null }
const one = chart(['claude'])
const chained = chart(['claude', 'codex'])
const two = chart(['claude'], ['codex'])

describe('the chart of a team', () => {
  test.each<[string, ReturnType<typeof chart>, Said[], string, string[]]>([
    ['a run begins paused', one, [], 'paused', []],
    ['the start chooses a turn', one, [start], 'running', ['startRun']],
    ['a post, and the next turn', one, [start, ran(posted)], 'running', ['startRun']],
    ['T9 a limit, and the chain in the same step', chained, [start, ran(limited)], 'running', ['startRun']],
    ['T11 a limit, and a teammate', two, [start, ran(limited)], 'running', ['startRun']],
    ['T16 a limit, and nobody', one, [start, ran(limited)], 'rateLimited', ['startWait']],
    ['T18 an outage, and nobody', one, [start, ran({ kind: 'network' })], 'unreachable', ['startWait']],
    ['T19 a failed call', one, [start, ran(failed)], 'backingOff', ['startWait']],
    ['T17 a wait play', one, [start, ran({ kind: 'waiting', minutes: 1 })], 'waiting', ['startWait']],
    ['T17 a message in a limit sleep changes nothing', one, [start, ran(limited), said], 'rateLimited', []],
    ['G11 nor in an outage', one, [start, ran({ kind: 'network' }), said], 'unreachable', []],
    ['T19 a message after a failed call: again at once', one, [start, ran(failed), said], 'running', ['cancelWait', 'startRun']],
    ['a message in a pause is only noted', one, [start, { type: 'team.pause' }, ran(posted), said], 'paused', []],
    ['everybody is done: a pause', one, [start, ran({ ...posted, done: true })], 'paused', []],
    ['everybody is done: a message is what they wait for', one, [start, ran({ ...posted, done: true }), said], 'running', ['startRun']],
    ['T17 a pause ends a sleep', one, [start, ran(limited), { type: 'team.pause' }], 'paused', ['cancelWait']],
    ['T17 a stop ends a sleep', one, [start, ran(limited), { type: 'team.stop', immediate: false }], 'stopped', ['cancelWait']],
    ['G22 a stop lets the call end', one, [start, { type: 'team.stop', immediate: false }], 'running', []],
    ['G22 and then nothing follows', one, [start, { type: 'team.stop', immediate: false }, ran(posted)], 'stopped', []],
    ['G22 not even a hop', chained, [start, { type: 'team.pause' }, ran(limited)], 'paused', []],
    ['an immediate stop breaks it off', one, [start, { type: 'team.stop', immediate: true }], 'stopped', ['abortRun']],
    ['a result of another run has no edge', one, [start, ran(posted, 7)], 'running', []],
    ['a result of an earlier run has no edge', one, [start, ran(posted), ran(limited, 1)], 'running', []],
    ['the end of another wait has no edge', one, [start, ran(limited), { type: 'wait.elapsed', number: 9 }], 'rateLimited', []],
    [
      'the end of an earlier wait has no edge',
      one,
      [start, ran(limited), { type: 'team.pause' }, { type: 'team.resume' }, { type: 'wait.elapsed', number: 1 }],
      'rateLimited',
      [],
    ],
    ['a result in a wait has no edge', one, [start, ran(limited), ran(posted)], 'rateLimited', []],
    ['a start is once: in a run it has no edge', one, [start, start], 'running', []],
    ['T12 an approval of nothing shortens nothing', one, [start, ran(failed), { type: 'gate.approved', participant: 'ana' }], 'backingOff', []],
    [
      'G23 an approval does not end a limit sleep',
      one,
      [start, ran(limited), { type: 'gate.opened', participant: 'ana' }, { type: 'gate.approved', participant: 'ana' }],
      'rateLimited',
      [],
    ],
  ])('%s', (_, play, events, state, effects) => {
    expect(play(...events)).toMatchObject({ state, effects })
  })

  test('T9 T14 the hop is the same turn, on the next entry', () => {
    expect(chained(start, ran(limited)).turn).toMatchObject({ n: 1, participant: 'ana', entry: { engine: 'codex' }, startedBy: 'pick' })
  })

  test('T11 the handoff is a turn of its own', () => {
    expect(two(start, ran(limited)).turn).toMatchObject({ n: 2, participant: 'bo', startedBy: 'handoff' })
  })

  test('T12 an approved turn is handed to nobody and hops to nothing', () => {
    const gate: Said[] = [
      { type: 'gate.opened', participant: 'ana' },
      { type: 'gate.approved', participant: 'ana' },
    ]
    expect(chart(['claude', 'codex'], ['agy'])(...gate, start, ran(limited))).toMatchObject({ state: 'rateLimited', turn: { startedBy: 'gate' } })
  })

  test('nothing leads on from stopped, and it says why it is over', () => {
    const stopped = one(start, { type: 'team.stop', immediate: true })
    expect(stopped.output).toEqual({ reason: 'stop' })
    expect(teamMachine.root.states['stopped']?.transitions.size).toBe(0)
  })
})
